package upstream

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	// ackWait is how long a server may take to acknowledge subscriptions/listen.
	ackWait = 10 * time.Second
	// listenDelay is the time before a listen request that has ended is sent again.
	// It doubles up to maxListenDelay while these requests fail.
	listenDelay    = time.Second
	maxListenDelay = time.Minute
)

// feed receives the notifications of a server of the modern era. It keeps one
// subscriptions/listen request open, for changes of the lists and for the subscribed resources.
// When the subscriptions change, it opens a new request before it ends the old one, so that no
// notification is lost.
type feed struct {
	*origin
	peer      *peer
	lists     *lister
	announced announcer
	work      *sync.WaitGroup

	wake chan struct{}        // has a token when topics have changed
	acks chan json.RawMessage // the parts of listen requests that the server honours; sent by inbox

	mu       sync.Mutex         // guards the fields below
	cancel   context.CancelFunc // ends run; nil before it was started
	topics   map[topic]bool
	version  int            // increases with each change of topics
	settled  int            // the version that the server has answered
	honoured map[topic]bool // topics of the version settled that the server has accepted
	changed  chan struct{}  // closed when settled or err changes
	err      error          // why the server sends no notifications; nil if it does
}

// topic is a resource or a task whose changes a server announces.
type topic struct {
	task bool
	name string // the URI or the id
}

// start begins to receive notifications, until ctx ends or stop is called.
func (f *feed) start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	f.cancel = cancel
	f.mu.Unlock()
	f.work.Go(func() { defer cancel(); f.run(ctx) })
}

// stop ends run, if start has been called.
func (f *feed) stop() {
	f.mu.Lock()
	cancel := f.cancel
	f.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// subscribe adds a topic and waits until the server has accepted or refused it.
func (f *feed) subscribe(ctx context.Context, to topic) error {
	f.mu.Lock()
	if !f.topics[to] {
		f.topics[to] = true
		f.version++
		f.ring()
	}
	want := f.version
	f.mu.Unlock()
	for {
		f.mu.Lock()
		settled, accepted, err, changed := f.settled >= want, f.honoured[to], f.err, f.changed
		f.mu.Unlock()
		switch {
		case settled && accepted:
			return nil
		case settled || err != nil:
			f.unsubscribe(to)
			if err == nil {
				err = fault.New(fault.Failed, "it did not accept the subscription")
			}
			why, answered := jsonrpc.ErrorText(err)
			if !answered {
				why = fault.MessageOf(err)
			}
			return jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "server %q does not announce changes of %q: %s",
				f.server.Name, to.name, f.redactor.Text(why))
		}
		select {
		case <-changed:
		case <-f.peer.conn.Done():
			return jsonrpc.ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (f *feed) unsubscribe(from topic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.topics[from] {
		delete(f.topics, from)
		f.version++
		f.ring()
	}
}

// ring wakes run. The caller holds mu.
func (f *feed) ring() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run receives notifications until ctx ends.
func (f *feed) run(ctx context.Context) {
	var open *listening
	defer func() { open.end() }()
	delay := time.Duration(0)
	for {
		next := f.open(ctx)
		began := time.Now()
		if next == nil { // there is nothing to listen to
			f.settle(f.current(), nil, nil)
		} else if honoured, err := f.await(ctx, next); err != nil {
			next.end()
			next = nil
			f.settle(-1, nil, err)
			delay = min(max(2*delay, listenDelay), maxListenDelay)
		} else {
			f.settle(next.version, honoured, nil)
		}
		open.end()
		open = next
		switch broken, ok := f.wait(ctx, open, delay); {
		case !ok:
			return
		case broken:
			open.end()
			open = nil
			if delay = max(2*delay, listenDelay); time.Since(began) > maxListenDelay {
				delay = listenDelay
			}
			if pause(ctx, min(delay, maxListenDelay)) != nil {
				return
			}
			f.catchUp()
		case open != nil:
			delay = 0
		}
	}
}

// wait waits until the subscriptions have to be renewed; ok is false if ctx has ended.
// broken is true if the server ended the open request. If no request is open, wait
// waits for at most delay, unless delay is zero.
func (f *feed) wait(ctx context.Context, open *listening, delay time.Duration) (broken, ok bool) {
	var again <-chan time.Time
	var ended <-chan struct{}
	if open != nil {
		ended = open.done
	} else if delay > 0 {
		again = time.After(delay)
	}
	for {
		select {
		case <-f.wake:
			if open != nil && open.version == f.current() {
				continue // the open request contains the change already
			}
			return false, true
		case <-again:
			return false, true
		case <-ended:
			return true, ctx.Err() == nil
		case <-ctx.Done():
			return false, false
		}
	}
}

func (f *feed) current() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// settle stores the outcome of the listen request that contains the given version of topics, and wakes the callers that
// wait for this outcome.
func (f *feed) settle(version int, honoured map[topic]bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settled, f.honoured, f.err = version, honoured, err
	close(f.changed)
	f.changed = make(chan struct{})
}

// catchUp reads all lists again and announces a change of each subscribed resource, because notifications may have
// been lost.
func (f *feed) catchUp() {
	f.lists.relist(func(list) bool { return true })
	f.mu.Lock()
	topics := slices.Collect(maps.Keys(f.topics))
	f.mu.Unlock()
	for _, t := range topics {
		if t.task {
			continue // clients also poll the states of tasks
		}
		f.announced("notifications/resources/updated", jsonrpc.Set(nil, "uri", jsonrpc.Quote(t.name)), nil)
	}
}

// listening is a subscriptions/listen request in flight; nil means that there is none.
type listening struct {
	version int // version of feed.topics in the request
	cancel  context.CancelFunc
	done    chan struct{} // closed when the request has ended
	err     error         // valid after done is closed
}

// end cancels the request and waits for its end.
func (l *listening) end() {
	if l != nil {
		l.cancel()
		<-l.done
	}
}

// open sends a listen request. It returns nil if there is nothing to listen to.
func (f *feed) open(ctx context.Context) *listening {
	wanted, version := f.wanted()
	if wanted == nil {
		return nil
	}
	select {
	case <-f.acks: // drop the acknowledgement of a request that was given up
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &listening{version: version, cancel: cancel, done: make(chan struct{})}
	declared := Declared{}
	if jsonrpc.Get(wanted, "taskIds") != nil {
		declared.Capabilities = json.RawMessage(`{"extensions":{"` + tasks + `":{}}}`)
	}
	params := f.peer.modernMeta(declared).Stamp(jsonrpc.Set(nil, "notifications", wanted))
	f.work.Go(func() {
		defer close(l.done)
		_, l.err = f.peer.conn.Call(ctx, jsonrpc.Call{Method: "subscriptions/listen", Params: params})
	})
	return l
}

// wanted returns the notifications to listen for, or nil if there are none. version is the version of topics from which
// they were taken.
func (f *feed) wanted() (wanted json.RawMessage, version int) {
	yes := json.RawMessage("true")
	for _, l := range [...]struct{ capability, flag string }{
		{"tools", "toolsListChanged"}, {"prompts", "promptsListChanged"}, {"resources", "resourcesListChanged"},
	} {
		if f.peer.profile.declares(l.capability, "listChanged") {
			wanted = jsonrpc.Set(wanted, l.flag, yes)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	names := make(map[string][]string)
	for t := range f.topics {
		names[t.member()] = append(names[t.member()], t.name)
	}
	for _, member := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[member])
		list, _ := json.Marshal(names[member]) // cannot fail for strings
		wanted = jsonrpc.Set(wanted, member, list)
	}
	return wanted, f.version
}

// member returns the name of the member of a listen request that lists topics of this kind.
func (t topic) member() string {
	if t.task {
		return "taskIds"
	}
	return "resourceSubscriptions"
}

// await waits for the acknowledgement of a request and returns the topics that the server has acknowledged.
func (f *feed) await(ctx context.Context, l *listening) (honoured map[topic]bool, err error) {
	timeout := time.NewTimer(ackWait)
	defer timeout.Stop()
	select {
	case ack := <-f.acks:
		honoured = make(map[topic]bool)
		for _, t := range []topic{{}, {task: true}} {
			for item := range jsonrpc.Items(jsonrpc.Get(ack, t.member())) {
				if name, ok := jsonrpc.String(item); ok {
					honoured[topic{t.task, name}] = true
				}
			}
		}
		return honoured, nil
	case <-l.done:
		if l.err == nil {
			return nil, fault.New(fault.Failed, "it ended the subscription at once")
		}
		return nil, l.err
	case <-timeout.C:
		return nil, fault.New(fault.Timeout, "it did not acknowledge the subscription within %s", ackWait)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
