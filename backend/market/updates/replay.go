package updates

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	defaultCalls = 20
	maxCalls     = 200
	replayTime   = 5 * time.Minute
)

// ReplayOrder selects the recorded calls to replay with another version.
type ReplayOrder struct {
	// Tools are the names of tools whose calls are replayed although one of the versions does not declare them to be
	// read-only. A person has selected each of them.
	Tools []string
	Limit int // maximum number of calls; 0 means 20
}

// Replay describes how another version answered calls that were recorded with the current one. Calls has the newest
// call first.
type Replay struct {
	Calls     []Call `json:"calls"`
	Same      int    `json:"same"`
	Different int    `json:"different"`
	Left      Left   `json:"left_out"`
}

// Left counts the recorded calls that were not replayed, by reason.
type Left struct {
	Redacted    int `json:"redacted"`      // the arguments contained secrets, which are not recorded
	Cut         int `json:"cut"`           // the arguments were too long to be recorded completely
	NotReadOnly int `json:"not_read_only"` // the tool may change something
	Unanswered  int `json:"unanswered"`    // the call was refused or cancelled, or the server failed
	Repeated    int `json:"repeated"`      // an identical call was replayed
	Limited     int `json:"limited"`       // the limit was reached
}

// Call is a recorded call, with the answer of another version to it.
type Call struct {
	Record      int64           `json:"record"` // id in the journal
	Tool        string          `json:"tool"`
	Arguments   json.RawMessage `json:"arguments,omitempty"`
	Before      journal.Outcome `json:"before"`
	After       journal.Outcome `json:"after"`
	Same        bool            `json:"same"`
	Differences []Difference    `json:"differences,omitempty"`
	Answer      string          `json:"answer,omitempty"` // text of the answer, redacted, if the answers differ or the call failed
	Latency     int64           `json:"latency_ms"`
}

// replay replays calls that were recorded since the current version was installed.
func (u *Updates) replay(ctx context.Context, t *trial, i installer.Install, o ReplayOrder) (*Replay, error) {
	records, _, err := u.options.Journal.Records(ctx,
		journal.Query{Server: t.owner.Name, Kinds: []journal.Kind{journal.Call}, Since: i.At, Limit: 500})
	if err != nil {
		return nil, err
	}
	if o.Limit <= 0 {
		o.Limit = defaultCalls
	}
	out := &Replay{Calls: []Call{}}
	chosen := u.choose(records, t, o, &out.Left)
	ctx, cancel := context.WithTimeoutCause(ctx, replayTime,
		fault.New(fault.Timeout, "the recorded calls took longer than %s with the newer version", replayTime))
	defer cancel()
	redactor := u.options.Processes.Redactor(t.owner)
	for _, r := range chosen {
		call := u.repeat(ctx, t, r, redactor)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if out.Calls = append(out.Calls, call); call.Same {
			out.Same++
		} else {
			out.Different++
		}
	}
	return out, nil
}

// choose returns the records to replay, and counts the others in left.
func (u *Updates) choose(records []journal.Record, t *trial, o ReplayOrder, left *Left) (chosen []journal.Record) {
	safe := safeTools(u.options.Catalog.Snapshot().Of(t.owner.Name), t.tools)
	seen := make(map[string]bool)
	for _, r := range records {
		key := r.Tool + "\x00" + r.Args
		switch {
		case r.Outcome != journal.OK && r.Outcome != journal.ToolError:
			left.Unanswered++
		case !safe[r.Tool] && !slices.Contains(o.Tools, r.Tool):
			left.NotReadOnly++
		case strings.Contains(r.Args, secretscan.Redacted), strings.Contains(r.Args, journal.Withheld):
			left.Redacted++
		case r.Args != "" && (!jsonrpc.Valid([]byte(r.Args)) || r.Args[0] != '{'):
			left.Cut++
		case seen[key]:
			left.Repeated++
		case len(chosen) >= min(o.Limit, maxCalls):
			left.Limited++
		default:
			seen[key] = true
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// safeTools returns the names of the tools that both versions declare to be read-only. A read-only tool that the new
// version lacks counts as safe, because a call to it only returns an error.
func safeTools(before, after []*catalog.Tool) map[string]bool {
	safe := make(map[string]bool)
	for _, t := range before {
		safe[t.Name] = readsOnly(t)
	}
	for _, t := range after {
		safe[t.Name] = safe[t.Name] && readsOnly(t)
	}
	return safe
}

// repeat repeats a recorded call with another version and compares the answers.
func (u *Updates) repeat(ctx context.Context, t *trial, r journal.Record, redactor *redact.Redactor) Call {
	c := Call{Record: r.ID, Tool: r.Tool, Before: r.Outcome, After: journal.OK}
	params := jsonrpc.Set(nil, "name", jsonrpc.Quote(r.Tool))
	if r.Args != "" {
		c.Arguments = json.RawMessage(r.Args)
		params = jsonrpc.Set(params, "arguments", c.Arguments)
	}
	began := time.Now()
	result, err := u.options.Processes.Call(ctx, t.server, "", silent{}, jsonrpc.Call{Method: "tools/call", Params: params})
	c.Latency = time.Since(began).Milliseconds()
	answer := ""
	switch {
	case err != nil:
		c.After = journal.Failed
		message, answered := jsonrpc.ErrorText(err)
		if !answered {
			message = fault.MessageOf(err)
		}
		answer = redactor.Text(strings.ReplaceAll(message, t.server.Name, t.owner.Name))
	case string(jsonrpc.Get(result.JSON, "isError")) == "true":
		c.After = journal.ToolError
		answer = journal.Response(result.JSON, redactor)
	default:
		answer = journal.Response(result.JSON, redactor)
	}
	succeeded := c.After == journal.OK
	if c.Same = succeeded == (c.Before == journal.OK); c.Same && succeeded && r.Response != journal.Withheld {
		c.Differences = differences(r.Response, answer)
		c.Same = len(c.Differences) == 0
	}
	if !c.Same || !succeeded {
		c.Answer = answer
	}
	return c
}

// silent is the caller of replayed calls. It refuses requests of the server.
type silent struct{}

// Ask implements upstream.Caller.
func (silent) Ask(context.Context, upstream.Question) (json.RawMessage, error) {
	return nil, jsonrpc.NewError(jsonrpc.CodeInternalError, "nobody answers questions while calls are replayed")
}
