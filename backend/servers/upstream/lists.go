package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/features"
)

// These are the limits of one list of a server.
const (
	maxPages      = 2000
	maxListed     = 5000
	maxListedSize = 64 << 20 // bytes of definitions
)

// relistPause is the minimum time between two readings of a server's lists.
const relistPause = 250 * time.Millisecond

// list is one of the lists that MCP servers offer.
type list struct {
	method     string
	what       string // name of the items, for people
	kind       features.Kind
	capability string // capability of servers that have this list
	changed    string // notification after which the list is read again
}

// lists are the lists in the order in which they are read. The tools are first.
var lists = [...]list{
	toolsList: {"tools/list", "tools", "tools", "tools", "notifications/tools/list_changed"},
	{"prompts/list", "prompts", features.Prompts, "prompts", "notifications/prompts/list_changed"},
	{"resources/list", "resources", features.Resources, "resources", "notifications/resources/list_changed"},
	{"resources/templates/list", "resource templates", features.Templates, "resources", "notifications/resources/list_changed"},
}

// toolsList is the index of the list of tools.
const toolsList = 0

// lister reads the lists of the server of a session. It stores those for which keepsList is true.
type lister struct {
	*origin
	at        *slot
	policy    *listPolicy
	peer      *peer
	profile   *profile
	remote    bool // the server is reached over HTTP
	announced announcer

	wake     chan struct{} // wakes follow
	outdated [len(lists)]atomic.Bool
	reported [len(lists)]atomic.Bool // the server has announced a change of the list
	changes  [len(lists)]atomic.Int64
	answers  atomic.Int64    // number of requests that the server has answered
	failures [len(lists)]int // number of failed attempts to read each list since the last success; used by follow only

	reading sync.Mutex // held while a list is read and stored; locked before mu
	over    bool       // no list is stored any more; guarded by reading

	mu       sync.Mutex // guards the fields below
	reads    [len(lists)]reading
	unstored [len(lists)][]json.RawMessage // lists of a server that is in no registry
	leftOut  map[string]error              // tools that the server lists and that cannot be called, and why; replaced whole
}

// relist makes follow read the lists for which the condition holds.
func (r *lister) relist(condition func(list) bool) {
	any := false
	for i, l := range lists {
		if condition(l) && r.profile.offers(l.capability) {
			r.outdated[i].Store(true)
			any = true
		}
	}
	if any {
		r.ring()
	}
}

// follow reads lists again each time the server reports a change, until ctx ends. From time to
// time it also reads the tools, because a report may be missing.
func (r *lister) follow(ctx context.Context) {
	for {
		refresh, retry := r.refreshTimer(), r.retryTimer()
		select {
		case <-r.wake:
		case <-refresh:
			r.outdated[toolsList].Store(true)
		case <-retry:
		case <-ctx.Done():
			return
		}
		r.readOutdated(ctx)
		select {
		case <-time.After(relistPause):
		case <-ctx.Done():
			return
		}
	}
}

func (r *lister) readOutdated(ctx context.Context) {
	if !r.leads() {
		return
	}
	same := make(map[string]bool) // by method of a notification: whether all lists that it concerns are unchanged
	for i, l := range lists {
		if !r.outdated[i].Swap(false) {
			continue
		}
		announced := r.reported[i].Swap(false)
		listing, cancel := context.WithTimeout(ctx, r.timeout())
		changed, err := r.readList(listing, i)
		cancel()
		if err == nil {
			r.failures[i] = 0
		} else if r.failures[i]++; r.failures[i] <= retries {
			r.outdated[i].Store(true) // retryTimer makes follow read it again
		}
		if err != nil && ctx.Err() == nil {
			r.log.Warn("could not read a list of a server", "server", r.server.Name, "list", l.what, "error", r.redactor.Text(err.Error()))
		}
		if before, known := same[l.changed]; announced && err == nil {
			same[l.changed] = !changed && (before || !known)
		}
	}
	for method, unchanged := range same {
		if unchanged {
			r.announced(method, nil, nil)
		}
	}
}

// noteChange notes that the server has announced the change of a list.
func (r *lister) noteChange(method string) {
	for i, l := range lists {
		if l.changed == method {
			r.reported[i].Store(true)
			r.changes[i].Add(1)
		}
	}
	r.relist(func(l list) bool { return l.changed == method })
}

// readList reads one of lists. If the server is in the registry, it stores the
// list and reports whether it has changed. The list of tools is also kept in the
// session's description.
func (r *lister) readList(ctx context.Context, which int) (changed bool, err error) {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.readLocked(ctx, which)
}

// readLocked is readList for a caller that has locked r.reading.
func (r *lister) readLocked(ctx context.Context, which int) (changed bool, err error) {
	l, read := lists[which], reading{began: time.Now(), announced: r.changes[which].Load(), answered: r.answers.Load()}
	defer func() {
		read.err = err
		r.mu.Lock()
		r.reads[which] = read
		r.mu.Unlock()
	}()
	definitions, listed, err := r.pagesOf(ctx, which)
	if which == toolsList && r.server.ID != 0 && listed && r.leads() {
		defer func() {
			last := Discovery{Server: r.server.Name, At: read.began, Took: time.Since(read.began), Tools: len(r.profile.tools())}
			if err != nil {
				last.Err = fault.Wrap(err, fault.Failed, "%s", r.redactor.Text(err.Error()))
			}
			r.policy.discoveries.note(last)
		}()
	}
	if err != nil || !listed {
		return false, err
	}
	if which == toolsList {
		var leftOut map[string]error
		definitions, leftOut = r.callable(definitions)
		r.profile.change(func(d *Description) { d.Tools = definitions })
		r.mu.Lock()
		r.leftOut = leftOut
		r.mu.Unlock()
	}
	if r.server.ID == 0 {
		r.mu.Lock()
		r.unstored[which] = definitions
		r.mu.Unlock()
	}
	if r.server.ID == 0 || r.over || !r.keepsList(which, definitions) {
		return false, nil
	}
	if which == toolsList {
		changed, err = r.policy.catalog.Replace(ctx, r.server.Name, definitions)
	} else if r.policy.features != nil {
		changed, err = r.policy.features.Replace(ctx, r.server.Name, l.kind, definitions)
	}
	return changed, err
}

// callable returns the tools that can be called, and why it has left out others. Over HTTP, clients of the modern era
// have to drop a tool whose schema declares header parameters in a wrong way.
func (r *lister) callable(definitions []json.RawMessage) (kept []json.RawMessage, leftOut map[string]error) {
	if !r.remote || !r.profile.modern() {
		return definitions, nil
	}
	leftOut = make(map[string]error)
	kept = slices.DeleteFunc(definitions, func(definition json.RawMessage) bool {
		_, err := mcpheader.ReadParams(jsonrpc.Get(definition, "inputSchema"))
		if err != nil {
			name := jsonrpc.GetString(definition, "name")
			leftOut[name] = err
			r.warn(fmt.Sprintf("the tool %q is left out: %s", name, err))
		}
		return err != nil
	})
	return kept, leftOut
}

// refused returns the error of a call of a tool that callable has left out, and
// otherwise nil.
func (r *lister) refused(call jsonrpc.Call) error {
	r.mu.Lock()
	leftOut := r.leftOut // is replaced, never modified
	r.mu.Unlock()
	if call.Method != "tools/call" || len(leftOut) == 0 {
		return nil
	}
	tool := jsonrpc.GetString(call.Params, "name")
	why := leftOut[tool]
	if why == nil {
		return nil
	}
	return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Tool %q cannot be called: %s", tool, why)
}

func (r *lister) readPages(ctx context.Context, l list) (definitions []json.RawMessage, err error) {
	var params json.RawMessage
	seen, size := make(map[string]bool), 0
	for range maxPages {
		if r.profile.modern() {
			params = r.peer.modernMeta(Declared{}).Stamp(params)
		}
		raw, err := r.peer.conn.Call(ctx, jsonrpc.Call{Method: l.method, Params: params})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.method, err)
		}
		if r.profile.modern() {
			r.profile.change(func(d *Description) { d.TTLs = noteTTL(d.TTLs, l.method, raw) })
		}
		page, cursor, err := parsePage(raw, l)
		if err != nil {
			return nil, err
		}
		for _, definition := range page {
			size += len(definition)
			if len(definitions) == maxListed || size > maxListedSize {
				r.warn(fmt.Sprintf("the server lists more than %d %s, or more than %d MiB of definitions; only the first %d %[2]s are used",
					maxListed, l.what, maxListedSize>>20, len(definitions)))
				return definitions, nil
			}
			definitions = append(definitions, definition)
		}
		if cursor == "" {
			return definitions, nil
		}
		if seen[cursor] {
			r.warn(fmt.Sprintf("the server repeats a cursor of its list of %s; the list ends after %d %s",
				l.what, len(definitions), l.what))
			return definitions, nil
		}
		seen[cursor] = true
		params = jsonrpc.Set(nil, "cursor", jsonrpc.Quote(cursor))
	}
	r.warn(fmt.Sprintf("the server's list of %s has more than %d pages; only the first %d %s are used",
		l.what, maxPages, len(definitions), l.what))
	return definitions, nil
}

// noteTTL returns a copy of ttls in which the entry of method is the TTL that result contains. If result contains
// none, the copy has no such entry.
func noteTTL(ttls map[string]int64, method string, result json.RawMessage) map[string]int64 {
	ttls = maps.Clone(ttls)
	if ttls == nil {
		ttls = make(map[string]int64)
	}
	delete(ttls, method)
	if ms, ok := mcpversion.TTL(result); ok {
		ttls[method] = ms
	}
	return ttls
}

// parsePage returns the definitions of one page, and the cursor of the next page or
// "".
func parsePage(raw json.RawMessage, l list) (definitions []json.RawMessage, cursor string, err error) {
	if member := jsonrpc.Get(raw, string(l.kind)); member != nil {
		if err := json.Unmarshal(member, &definitions); err != nil {
			return nil, "", fmt.Errorf("the answer to %s is malformed: %w", l.method, err)
		}
	}
	if next := jsonrpc.Get(raw, "nextCursor"); next != nil && string(next) != "null" {
		text, ok := jsonrpc.String(next)
		if !ok {
			return nil, "", fmt.Errorf("the answer to %s is malformed: nextCursor is not a string", l.method)
		}
		cursor = text
	}
	return definitions, cursor, nil
}

// close waits until no list is being read. Lists that are read later are not stored, so that the tools of a removed
// server can be deleted.
func (r *lister) close() {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.over = true
}
