package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
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
	what       string // for people
	kind       features.Kind
	capability string // without it, the server has no such list
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

// offers reports whether the server has declared a capability, or lists tools without having declared any.
func (s *session) offers(capability string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return jsonrpc.Get(s.description.Capabilities, capability) != nil || capability == lists[toolsList].capability && len(s.description.Tools) > 0
}

// relist makes follow read the lists for which the condition holds.
func (s *session) relist(condition func(list) bool) {
	any := false
	for i, l := range lists {
		if condition(l) && s.offers(l.capability) {
			s.outdated[i].Store(true)
			any = true
		}
	}
	if any {
		s.ring()
	}
}

// follow reads lists again each time the server reports a change, and the tools of a
// server that does not report changes from time to time, until ctx ends.
func (s *session) follow(ctx context.Context) {
	for {
		refresh, retry := s.refreshTimer(), s.retryTimer()
		select {
		case <-s.wake:
		case <-refresh:
			s.outdated[toolsList].Store(true)
		case <-retry:
		case <-ctx.Done():
			return
		}
		s.readOutdated(ctx)
		select {
		case <-time.After(relistPause):
		case <-ctx.Done():
			return
		}
	}
}

func (s *session) readOutdated(ctx context.Context) {
	if !s.leads() {
		return
	}
	same := make(map[string]bool) // by the notification: whether all its lists are as they were
	for i, l := range lists {
		if !s.outdated[i].Swap(false) {
			continue
		}
		announced := s.announced[i].Swap(false)
		listing, cancel := context.WithTimeout(ctx, s.manager.limits.StartTimeout)
		changed, err := s.readList(listing, i)
		cancel()
		s.noteFailure(i, err)
		if err != nil && ctx.Err() == nil {
			s.manager.log.Warn("could not read a list of a server", "server", s.server.Name, "list", l.what, "error", s.redactor.Text(err.Error()))
		}
		if before, known := same[l.changed]; announced && err == nil {
			same[l.changed] = !changed && (before || !known)
		}
	}
	for method, unchanged := range same {
		if unchanged {
			events.Publish(s.manager.bus, Announced{Server: s.server.Name, Session: s.target.Client, Method: method, Client: s.onlyClient(), from: s})
		}
	}
}

// announce notes that the server has announced the change of a list.
func (s *session) announce(method string) {
	for i, l := range lists {
		if l.changed == method {
			s.announced[i].Store(true)
			s.changes[i].Add(1)
		}
	}
	s.relist(func(l list) bool { return l.changed == method })
}

// readList reads one of lists. If the server is in the registry, it stores the
// list and reports whether it has changed. The list of tools is also kept in the
// session's description.
func (s *session) readList(ctx context.Context, which int) (changed bool, err error) {
	s.listing.Lock()
	defer s.listing.Unlock()
	return s.readLocked(ctx, which)
}

// readLocked is readList for a caller that holds listing.
func (s *session) readLocked(ctx context.Context, which int) (changed bool, err error) {
	l, read := lists[which], reading{began: time.Now(), announced: s.changes[which].Load(), answered: s.answers.Load()}
	defer func() {
		read.err = err
		s.mu.Lock()
		s.reads[which] = read
		s.mu.Unlock()
	}()
	definitions, listed, err := s.pagesOf(ctx, which)
	if which == toolsList && s.server.ID != 0 && listed && s.leads() {
		defer func() { s.noteDiscovery(read.began, err) }()
	}
	if err != nil || !listed {
		return false, err
	}
	if which == toolsList {
		var leftOut map[string]error
		definitions, leftOut = s.callable(definitions)
		s.mu.Lock()
		s.description.Tools, s.leftOut = definitions, leftOut
		s.mu.Unlock()
	}
	if s.server.ID == 0 {
		s.mu.Lock()
		s.unstored[which] = definitions
		s.mu.Unlock()
	}
	if s.server.ID == 0 || s.over || !s.keepsList(which, definitions) {
		return false, nil
	}
	if which == toolsList {
		changed, err = s.manager.catalog.Replace(ctx, s.server.Name, definitions)
	} else if s.manager.listings != nil {
		changed, err = s.manager.listings.Replace(ctx, s.server.Name, l.kind, definitions)
	}
	return changed, err
}

// callable returns the tools that can be called, and why it has left out others. Over
// HTTP, clients of the modern era have to drop a tool whose schema asks for headers in a
// wrong way.
func (s *session) callable(definitions []json.RawMessage) (kept []json.RawMessage, leftOut map[string]error) {
	if !s.modern() || s.link.pid() != 0 {
		return definitions, nil
	}
	leftOut = make(map[string]error)
	kept = slices.DeleteFunc(definitions, func(definition json.RawMessage) bool {
		_, err := mcpheader.ReadParams(jsonrpc.Get(definition, "inputSchema"))
		if err != nil {
			name := jsonrpc.GetString(definition, "name")
			leftOut[name] = err
			s.warn(fmt.Sprintf("the tool %q is left out: %s", name, err))
		}
		return err != nil
	})
	return kept, leftOut
}

// refused returns the error of a call of a tool that callable has left out, and
// otherwise nil.
func (s *session) refused(call jsonrpc.Call) error {
	s.mu.Lock()
	leftOut := s.leftOut // is not changed any more
	s.mu.Unlock()
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

// inputSchema returns the schema of a tool's arguments, nil if the server does not list
// the tool.
func (s *session) inputSchema(tool string) json.RawMessage {
	s.mu.Lock()
	tools := s.description.Tools
	s.mu.Unlock()
	return jsonrpc.Get(named(tools, tool), "inputSchema")
}

func (s *session) readPages(ctx context.Context, l list) (definitions []json.RawMessage, err error) {
	var params json.RawMessage
	seen, size := make(map[string]bool), 0
	for range maxPages {
		if s.modern() {
			params = s.modernMeta(Declared{}).Stamp(params)
		}
		raw, err := s.conn.Call(ctx, jsonrpc.Call{Method: l.method, Params: params})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.method, err)
		}
		if s.modern() {
			s.mu.Lock()
			s.description.TTLs = noteTTL(s.description.TTLs, l.method, raw)
			s.mu.Unlock()
		}
		page, cursor, err := parsePage(raw, l)
		if err != nil {
			return nil, err
		}
		for _, definition := range page {
			size += len(definition)
		}
		if len(definitions)+len(page) > maxListed || size > maxListedSize {
			return nil, fault.New(fault.Failed, "the server lists more than %d %s, or more than %d MiB of definitions; that is the limit for one server", maxListed, l.what, maxListedSize>>20)
		}
		definitions = append(definitions, page...)
		if cursor == "" {
			return definitions, nil
		}
		if seen[cursor] {
			s.warn(fmt.Sprintf("the server repeats a cursor of its list of %s; the list ends after %d %s", l.what, len(definitions), l.what))
			return definitions, nil
		}
		seen[cursor] = true
		params = jsonrpc.Set(nil, "cursor", jsonrpc.Quote(cursor))
	}
	s.warn(fmt.Sprintf("the server's list of %s has more than %d pages; only the first %d %s are used", l.what, maxPages, len(definitions), l.what))
	return definitions, nil
}

// noteTTL returns a copy of the times for which results may be cached, with that of a
// result of a method.
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
