package journal

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	// maxRecent is how many of a server's last calls decide whether the server counts as failing.
	maxRecent = 10
	// fewestRecent is how many calls are needed for a decision.
	fewestRecent = 5
	// recovered is how many successes in a row end a series of failures.
	recovered = 3
)

// Recent counts the last calls of a server.
type Recent struct {
	Calls, Errors int
	// Last is the beginning of what the last of these calls that failed was answered with.
	Last  string
	since int // successes after the last error
}

// Fail reports whether at least fewestRecent calls were counted and half of them or more have failed. It returns false
// after three successes in a row (recovered).
func (r Recent) Fail() bool {
	return r.Calls >= fewestRecent && 2*r.Errors >= r.Calls && r.since < recovered
}

// maxReason is how much of the response of a failed call is kept, in bytes.
const maxReason = 400

// ended is how one call ended.
type ended struct {
	at     time.Time
	failed bool
	reason string // the beginning of the response, if it failed
}

// Recent counts those of the server's last ten calls that began at or after
// since. Calls that were refused or cancelled, or whose outcome is unknown, do not count, because they say
// nothing about the server; nor do calls with a wrong name or wrong arguments. Queued records are not included.
func (j *Journal) Recent(server string, since time.Time) Recent {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out Recent
	for _, call := range j.recent[server] {
		if call.at.Before(since) {
			continue
		}
		out.Calls++
		out.since++
		if call.failed {
			out.Errors++
			out.since, out.Last = 0, call.reason
		}
	}
	return out
}

// remember adds stored calls, oldest first, to the recent calls of their servers.
func (j *Journal) remember(records []Record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range records {
		if r.Kind != Call || r.Outcome.saysNothing() || r.misused() || strings.HasPrefix(r.Server, transient) ||
			r.At.Before(j.forgotten[r.Server]) {
			continue
		}
		call := ended{at: r.At, failed: r.Outcome != OK}
		if call.failed {
			call.reason = strings.ToValidUTF8(r.Response[:min(len(r.Response), maxReason)], "")
		}
		calls := append(j.recent[r.Server], call)
		j.recent[r.Server] = calls[max(0, len(calls)-maxRecent):]
	}
}

// misused reports whether a call failed because its caller named a tool or gave arguments that the server does not take.
// Servers say so with a code of JSON-RPC, which SDKs of MCP also write into results with isError.
func (r Record) misused() bool {
	return r.Outcome != OK && (strings.HasPrefix(r.Response, "MCP error -32602") || strings.HasPrefix(r.Response, "MCP error -32601"))
}

// recall restores the recent calls from the newest records of the store.
func (j *Journal) recall(ctx context.Context) error {
	newest, err := j.store.Records(ctx, Query{Kinds: []Kind{Call}, Limit: maxPage})
	if err != nil {
		return fmt.Errorf("read recent calls: %w", err)
	}
	for i := len(newest) - 1; i >= 0; i-- {
		j.remember(newest[i : i+1])
	}
	return nil
}
