package journal

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	// maxNotifications is how many notifications and progress reports of one
	// server are recorded per second.
	maxNotifications = 50
	// maxParams is how many bytes of a notification's params become the text of
	// its record. The text is shortened again when the record is stored.
	maxParams = 8 << 10
	// notificationBuffer is how many published notifications may wait to be
	// recorded.
	notificationBuffer = 1024
)

// listener records the notifications and progress reports of servers, up to
// maxNotifications per server and second.
type listener struct {
	journal *Journal
	second  *time.Timer
	counts  map[string]int // by server, in the current second
	missed  bool           // the bus dropped events of this second before they were counted

	notified                     <-chan upstream.Notified
	progressed                   <-chan upstream.Progressed
	stopNotified, stopProgressed func()
}

// newListener subscribes to the notifications and progress reports that package upstream publishes.
func newListener(j *Journal) *listener {
	l := &listener{journal: j, counts: make(map[string]int)}
	l.notified, l.stopNotified = events.Subscribe[upstream.Notified](j.bus, notificationBuffer)
	l.progressed, l.stopProgressed = events.Subscribe[upstream.Progressed](j.bus, notificationBuffer)
	return l
}

// run records the notifications and progress reports since newListener, until ctx ends.
func (l *listener) run(ctx context.Context) {
	l.second = time.NewTimer(time.Second)
	defer l.second.Stop()
	defer func() { l.stopNotified(); l.stopProgressed() }()
	for {
		select {
		case e, ok := <-l.notified:
			if !ok { // the bus drops a subscriber that is too slow
				l.missed = true
				l.notified, l.stopNotified = events.Subscribe[upstream.Notified](l.journal.bus, notificationBuffer)
				continue
			}
			l.record(e.Server, func() (Record, json.RawMessage) {
				params := e.Params
				if params == nil {
					params = json.RawMessage("{}")
				}
				return Record{At: e.At, Kind: Notification, Tool: e.Method, Response: string(params[:min(len(params), maxParams)])}, params
			})
		case e, ok := <-l.progressed:
			if !ok {
				l.missed = true
				l.progressed, l.stopProgressed = events.Subscribe[upstream.Progressed](l.journal.bus, notificationBuffer)
				continue
			}
			l.record(e.Server, func() (Record, json.RawMessage) { return progressRecord(e) })
		case <-l.second.C:
			l.endSecond()
		case <-ctx.Done():
			l.endSecond()
			return
		}
	}
}

// record adds the record that build returns to the journal. If the server is
// over its limit, record only counts the event and does not call build.
func (l *listener) record(server string, build func() (Record, json.RawMessage)) {
	if len(l.counts) == 0 {
		l.second.Reset(time.Second)
	}
	if l.counts[server]++; l.counts[server] > maxNotifications {
		return
	}
	r, args := build()
	r.Server, r.Outcome = server, OK
	l.journal.Record(r, args, nil, nil) // no redactor: published params are redacted already
}

// endSecond records, for each server over its limit, how many events were left
// out, and resets the counts.
func (l *listener) endSecond() {
	for server, n := range l.counts {
		if n <= maxNotifications {
			continue
		}
		left := strconv.Itoa(n - maxNotifications)
		text := left + " more in the same second are left out"
		if l.missed {
			text = "at least " + text
		}
		l.journal.Record(Record{
			Kind: Notification, Server: server, Tool: "left out", Response: text, Outcome: OK,
		}, json.RawMessage(`{"count":`+left+`}`), nil, nil)
	}
	clear(l.counts)
	l.missed = false
}

// progressRecord returns the record of a progress report. Its arguments contain
// the progress token, which for calls through REST is the name of the tool.
func progressRecord(e upstream.Progressed) (Record, json.RawMessage) {
	args := json.RawMessage("{}")
	for _, member := range [][2]string{{"token", "progressToken"}, {"progress", "progress"}, {"total", "total"}, {"message", "message"}} {
		if value := jsonrpc.Get(e.Params, member[1]); value != nil {
			args = jsonrpc.Set(args, member[0], value)
		}
	}
	return Record{At: e.At, Kind: Progress, Tool: "progress"}, args
}
