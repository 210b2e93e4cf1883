package companion

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const (
	redialMin = 20 * time.Millisecond
	redialMax = time.Second
	// offlineAfter is how long requests wait for a lost hub to come back before
	// the companion answers them itself.
	offlineAfter = 5 * time.Second
	// sendTimeout is how long the hub may take to read the lines that are sent
	// to it.
	sendTimeout = 30 * time.Second
)

// keepLinked connects to the hub, and reconnects whenever the connection is lost, until ctx ends.
func (c *Companion) keepLinked(ctx context.Context) {
	open := c.open
	if open == nil {
		open = c.connect
	}
	delay, lost := redialMin, time.Now()
	for ctx.Err() == nil {
		link, err := open(ctx)
		if err == nil {
			c.runLink(ctx, link)
			delay, lost = redialMin, time.Now()
			continue
		}
		var noStart startFailure
		if (errors.Is(err, errStopped) || errors.As(err, &noStart) || time.Since(lost) > offlineAfter) && !c.mayWait(err) {
			c.setOffline(err)
		}
		select {
		case <-time.After(delay):
		case <-c.wake:
		case <-ctx.Done():
		}
		delay = min(2*delay, redialMax)
	}
}

var errStopped = fault.New(fault.Denied,
	"Agent Discover was stopped by the user; start it from the tray or the window, or with: agent-discover start")

// startFailure wraps the reason why no hub could be started. After this error, requests are answered at once, because
// waiting does not help.
type startFailure struct{ error }

func (f startFailure) Unwrap() error { return f.error }

// connect opens a session with the hub and starts a hub if none is running.
func (c *Companion) connect(ctx context.Context) (net.Conn, error) {
	info, err := instance.Ensure(ctx, c.Folder, "companion")
	if errors.Is(err, instance.ErrStopped) {
		return nil, errStopped
	}
	if err != nil {
		return nil, startFailure{err}
	}
	c.hub = info
	began := time.Now()
	link, err := Dial(ctx, info, c.Version, c.session, c.Entry)
	c.endHung(ctx, info, began, err)
	if fault.KindOf(err) == fault.Denied {
		// Another program listens at the hub's address, so the hub may be dead. If the hub is alive, the process that
		// Start creates finds the hub's lock and exits.
		_ = instance.Start(ctx, c.Folder, "companion")
	}
	return link, err
}

// mayWait reports whether requests may wait for a hub although connecting has failed with the error reason. They may
// wait while a person starts or restarts the hub. They also may wait if reason is errStopped but the hub no longer
// counts as stopped by the user.
func (c *Companion) mayWait(reason error) bool {
	return instance.Starting(c.Folder) || reason == error(errStopped) && !instance.Stopped(c.Folder)
}

// reconsider lets requests wait again if a person has started the hub since the
// companion gave up.
func (c *Companion) reconsider() {
	c.mu.Lock()
	reason := c.offline
	c.mu.Unlock()
	if reason == nil || !c.mayWait(reason) {
		return
	}
	c.mu.Lock()
	c.offline = nil
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // keepLinked was woken already, or is connecting
	}
}

// setOffline makes the companion answer the queued requests itself; see offlineReply. reason says why no hub is
// connected. Later requests are answered in the same way until requests may wait again or a hub is connected.
func (c *Companion) setOffline(reason error) {
	c.mu.Lock()
	first := c.offline == nil
	c.offline = reason
	var replies [][]byte
	for _, line := range c.queue {
		if m, err := jsonrpc.Parse(line); err == nil {
			if reply, err := c.offlineReply(&m); err == nil && reply != nil {
				replies = append(replies, reply)
			}
		}
	}
	c.queue = nil
	c.mu.Unlock()
	if first {
		c.Log.Warn("could not connect to a hub", "reason", reason)
	}
	c.writeAll(replies)
	c.mu.Lock()
	c.checkSettled()
	c.mu.Unlock()
}

// runLink serves the connection with a new hub until the connection is lost or ctx ends. It first sends the hub the
// lines that restore the session, and then the queued lines. It copies the hub's lines to the client.
func (c *Companion) runLink(ctx context.Context, link net.Conn) {
	defer context.AfterFunc(ctx, func() { _ = link.Close() })()
	if s, ok := link.(*stream); ok && s.notice != "" {
		c.Log.Warn(s.notice)
	}
	c.sending.Lock()
	c.mu.Lock()
	missed := c.memory.replay()
	c.sent, c.read = bytes.Count(missed, []byte("\n")), everything
	for _, line := range c.queue {
		missed = append(missed, line...)
		c.sent++
		if m, err := jsonrpc.Parse(line); err == nil && m.IsRequest() {
			c.memory.send(m.ID, c.sent, bytes.TrimSuffix(line, []byte("\n")))
		}
	}
	var again []byte
	if !c.early || c.offline != nil { // otherwise keep compares the cached list with the new one
		again = c.memory.missed()
	}
	c.memory.sendListens()
	c.link, c.queue, c.offline, c.linked, c.early = link, nil, nil, true, false
	c.asked = make(chan struct{}, 1)
	c.mu.Unlock()
	// Read while sending: the hub may answer before it has read every line.
	var sent sync.WaitGroup
	sent.Go(func() {
		if len(missed) > 0 {
			send(link, missed)
		}
		c.sending.Unlock()
		c.releasePages()
	})
	if len(again) > 0 {
		_ = c.write(again)
	}
	why := "the hub ended"
	watched, stopWatching := context.WithCancel(ctx)
	hang := make(chan string, 1)
	go func() { hang <- c.watchHub(watched, link) }()
	if c.readHub(link) {
		why = "the hub closed the connection, because this client did not read its messages for a long time,"
	}
	stopWatching()
	why = cmp.Or(<-hang, why)
	_ = link.Close() // unblocks send
	sent.Wait()
	c.unlink(why)
}

// releasePages returns memory to the operating system. An editor may run many companions, which are idle most of the
// time. Most of the memory of an idle companion is code that it needed only when it started.
func (c *Companion) releasePages() {
	if err := process.ReleasePages(); err != nil {
		c.Log.Debug("could not release memory", "error", err)
	}
}

// send writes lines to the hub. If the write fails, send closes the link, which
// ends readHub.
func send(link net.Conn, lines []byte) {
	_ = link.SetWriteDeadline(time.Now().Add(sendTimeout))
	if _, err := link.Write(lines); err != nil {
		_ = link.Close()
	}
}

// stall is how long a write of one line to the client may take before it counts as too slow. If a write was too slow
// and the link is lost afterwards, the companion says in its errors that the client did not read. The hub waits longer
// than stall before it disconnects a client that does not read.
const stall = 20 * time.Second

// readHub copies the hub's lines to the client until the link ends. It reports whether the client took so long
// to read a line that the hub may have dropped the link.
func (c *Companion) readHub(link io.Reader) (stalled bool) {
	version := c.Version
	if s, ok := link.(*stream); ok {
		version = s.version
	}
	lines := jsonrpc.NewLineReader(link, maxHubLine)
	lines.Whole = true // an incomplete last line is dropped
	for {
		line, err := lines.Next()
		if err != nil {
			return stalled
		}
		if f, ok := parseFarewell(line); ok {
			c.mu.Lock()
			c.read = f.Read
			c.memory.rewind(f.Undone)
			c.mu.Unlock()
			continue
		}
		began := time.Now()
		if c.fromHub(line, version) != nil {
			return stalled
		}
		stalled = stalled || time.Since(began) > stall
	}
}

// fromHub passes a line of the hub to the client. It drops answers to requests that the companion itself has repeated,
// and all acknowledgements of a listen request after the first. It caches answers for later companions. version is the
// version of the hub.
func (c *Companion) fromHub(line []byte, version string) error {
	if id := responseID(line); id != nil {
		c.mu.Lock()
		q := c.memory.question(string(id))
		forClient := c.memory.settle(string(id))
		c.mu.Unlock()
		var err error
		if forClient {
			err = c.write(append(line, '\n'))
		}
		if q != nil {
			q.key.Version = version
			c.keep(*q, line)
		}
		c.mu.Lock()
		c.checkSettled()
		c.mu.Unlock()
		return err
	}
	if id := acknowledged(line); id != nil {
		c.mu.Lock()
		first, missed := c.memory.acknowledge(string(id))
		c.mu.Unlock()
		if !first {
			return nil
		}
		return c.write(append(append(line, '\n'), missed...))
	}
	return c.write(append(line, '\n'))
}

// acknowledged returns the id of the listen request that a line acknowledges, and nil
// for any other message.
func acknowledged(line []byte) json.RawMessage {
	const method = "notifications/subscriptions/acknowledged"
	if !bytes.Contains(line, []byte(method)) {
		return nil
	}
	m, err := jsonrpc.Parse(line)
	if err != nil || m.Method != method {
		return nil
	}
	return mcpversion.ReadMeta(m.Params).SubscriptionID
}

// responseID returns the id of a response, and nil for any other message. The
// hub writes the id as the first member, so that long results need not be
// parsed.
func responseID(line []byte) json.RawMessage {
	const head = `{"jsonrpc":"2.0","id":`
	if rest, ok := bytes.CutPrefix(line, []byte(head)); ok {
		if i := bytes.IndexByte(rest, ','); i > 0 && !bytes.Contains(rest[:i], []byte(`\`)) &&
			(bytes.HasPrefix(rest[i:], []byte(`,"result":`)) || bytes.HasPrefix(rest[i:], []byte(`,"error":`))) {
			return rest[:i]
		}
	}
	if m, err := jsonrpc.Parse(line); err == nil && m.IsResponse() {
		return m.ID
	}
	return nil
}

// unlink handles the requests that were in flight on a lost link. It queues those that the hub did not read or
// that change nothing. It answers the others with an error, because the hub may have carried them out. why says
// how the link was lost.
func (c *Companion) unlink(why string) {
	c.mu.Lock()
	c.link = nil
	again, lost := c.memory.abandon(c.read)
	c.queue = append(c.memory.pending(), again...)
	var replies [][]byte
	for _, id := range lost {
		replies = append(replies, answer(json.RawMessage(id), nil, jsonrpc.NewError(codeUnknownOutcome,
			"%s while this request was in flight; its outcome is unknown. The companion reconnects on its own: check the outcome before "+
				"you repeat an action that changes something", why)))
	}
	c.mu.Unlock()
	c.writeAll(replies)
	c.mu.Lock()
	c.checkSettled()
	c.mu.Unlock()
}

// writeAll writes lines to the client. It ignores errors: if the client is gone, readClient ends too.
func (c *Companion) writeAll(lines [][]byte) {
	for _, line := range lines {
		_ = c.write(line)
	}
}
