package proxy

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	// maxHeard is how many notifications and progress reports of one server
	// are recorded in a second.
	maxHeard = 50
	// maxSaid is how many bytes of one the journal may be shown; it keeps less.
	maxSaid = 8 << 10
	// heardAtOnce is how many may wait for Run.
	heardAtOnce = 1024
)

// hearing records what servers say of themselves, of each only so much.
type hearing struct {
	journal *journal.Journal
	second  *time.Timer
	counts  map[string]int // by server, since the second began
	missed  bool           // some came faster than they were counted
}

// Run records what servers say of themselves, which is notifications and the
// progress of calls, until ctx ends.
func (p *Proxy) Run(ctx context.Context) error {
	h := &hearing{journal: p.journal, second: time.NewTimer(time.Second), counts: make(map[string]int)}
	defer h.second.Stop()
	notified, stopNotified := events.Subscribe[upstream.Notified](p.bus, heardAtOnce)
	progressed, stopProgressed := events.Subscribe[upstream.Progressed](p.bus, heardAtOnce)
	defer func() { stopNotified(); stopProgressed() }()
	for {
		select {
		case e, ok := <-notified:
			if !ok {
				h.missed = true
				notified, stopNotified = events.Subscribe[upstream.Notified](p.bus, heardAtOnce)
				continue
			}
			h.hear(e.Server, func() (journal.Record, json.RawMessage) { return notification(e) })
		case e, ok := <-progressed:
			if !ok {
				h.missed = true
				progressed, stopProgressed = events.Subscribe[upstream.Progressed](p.bus, heardAtOnce)
				continue
			}
			h.hear(e.Server, func() (journal.Record, json.RawMessage) { return progress(e) })
		case <-h.second.C:
			h.sum()
		case <-ctx.Done():
			h.sum()
			return nil
		}
	}
}

// hear records one thing that a server said, or counts it.
func (h *hearing) hear(server string, said func() (journal.Record, json.RawMessage)) {
	if len(h.counts) == 0 {
		h.second.Reset(time.Second)
	}
	if h.counts[server]++; h.counts[server] > maxHeard {
		return
	}
	r, args := said()
	r.Server, r.Outcome = server, journal.OK
	h.journal.Record(r, args, nil, nil) // what is published is covered already
}

// sum ends the second and tells what of it is not in the journal.
func (h *hearing) sum() {
	for server, n := range h.counts {
		if n <= maxHeard {
			continue
		}
		left := strconv.Itoa(n - maxHeard)
		text := left + " more in the same second are left out"
		if h.missed {
			text = "at least " + text
		}
		h.journal.Record(journal.Record{
			Kind: journal.Notification, Server: server, Tool: "left out", Response: text, Outcome: journal.OK,
		}, json.RawMessage(`{"count":`+left+`}`), nil, nil)
	}
	clear(h.counts)
	h.missed = false
}

func notification(e upstream.Notified) (journal.Record, json.RawMessage) {
	params := e.Params
	if params == nil {
		params = json.RawMessage("{}")
	}
	return journal.Record{At: e.At, Kind: journal.Notification, Tool: e.Method, Response: string(params[:min(len(params), maxSaid)])}, params
}

// progress names a report by the token of its call, which is the tool's name
// where the call came through a door of ours.
func progress(e upstream.Progressed) (journal.Record, json.RawMessage) {
	args := json.RawMessage("{}")
	for _, member := range [][2]string{{"token", "progressToken"}, {"progress", "progress"}, {"total", "total"}, {"message", "message"}} {
		if value := jsonrpc.Get(e.Params, member[1]); value != nil {
			args = jsonrpc.Set(args, member[0], value)
		}
	}
	return journal.Record{At: e.At, Kind: journal.Progress, Tool: "progress"}, args
}
