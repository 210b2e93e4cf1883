package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// allServers is a surface of the whole hub: the hub's own tools, what active servers have,
// and the session tools.
type allServers struct {
	*Session
	own    hubTools
	sorted bool // clients of both eras get the tools in the same order, and no session tools
}

// hubCapabilities are what the hub offers. Servers may come and go during a session,
// so it declares what any of them may support.
const hubCapabilities = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"completions":{},"logging":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`

func (a allServers) introduce(_ context.Context, client json.RawMessage) (introduction, error) {
	return introduction{
		Info: a.info(), Capabilities: withExtensions(json.RawMessage(hubCapabilities), client), Instructions: a.own.instructions(),
	}, nil
}

func (a allServers) info() json.RawMessage { return a.gateway.serverInfo() }

// list returns lists that have one page. They contain what active servers have listed,
// also while these are stopped.
func (a allServers) list(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch {
	case jsonrpc.Get(params, "cursor") != nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown cursor; the list has one page")
	case method != "tools/list":
		lists := a.gateway.listFrom(method, a.gateway.activeServers())
		if m, ok := a.own.(metaTools); ok {
			return m.withOwn(method, lists), nil
		}
		return lists, nil
	case a.exchangeOf(ctx).modern:
		return a.encodeTools(a.own.listed(), a.constantTools(), limitsOfEntry(a.entry))
	}
	a.mu.Lock()
	tools, own := a.listed()
	m := a.limits
	a.signature = signatureOf(tools, own)
	a.mu.Unlock()
	return a.encodeTools(own, tools, m)
}

// constantTools returns the tools of servers that every modern client lists: those of
// active servers, sorted by server and tool, or those of the equipped toolset in its order.
func (a allServers) constantTools() []*catalog.Tool {
	if a.equipped() != "" {
		return a.activeTools()
	}
	tools := a.gateway.activeTools(a.rules())
	slices.SortStableFunc(tools, func(a, b *catalog.Tool) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
	return tools
}

// encodeTools returns the result of tools/list with the hub's tools and those of servers.
func (s *Session) encodeTools(own ownTools, tools []*catalog.Tool, m clientLimits) (json.RawMessage, error) {
	list, names := []json.RawMessage{}, m.names(tools)
	for _, definition := range own.definitions {
		list = append(list, s.gateway.fit(m, jsonrpc.GetString(definition, "name"), definition))
	}
	for i, t := range tools {
		list = append(list, s.gateway.show(m, t, names[i]))
	}
	return encode(struct {
		Tools []json.RawMessage `json:"tools"`
	}{list})
}

func (a allServers) ttl(string) int64 { return listTTL }

func (a allServers) call(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	name, ok := jsonrpc.String(jsonrpc.Get(params, "name"))
	if !ok || name == "" {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: tools/call needs the name of a tool")
	}
	if result, own, err := a.own.call(throughOwn(ctx, name), name, params); own {
		return result, err
	}
	server, tool, ok := a.resolve(name)
	if of := a.resolveForView(name); !ok && len(of) == 1 {
		server, tool, ok = of[0], name, true
	}
	if !ok {
		err := a.unknownTool(name, a.own.findHow())
		a.gateway.calls.Refuse(a.request(ctx, "", name, params), err)
		return nil, err
	}
	called, err := a.Session.call(ctx, server, tool, params)
	result, err := a.suggest(server, tool, called, err)
	return a.cutDirect(server, tool, result), err
}

func (a allServers) incoming(method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	return a.gateway.incomingAmong(nil, method, params)
}

func (a allServers) shown(server, method string, message json.RawMessage, bare string) json.RawMessage {
	return a.gateway.shown(server, method, message, bare)
}

func (a allServers) listed() (tools []*catalog.Tool, own ownTools) {
	if a.sorted {
		return a.constantTools(), a.own.listed()
	}
	return a.sessionList(), a.own.listed()
}

// sessionList returns the tools that the session lists besides the hub's: first
// those of active servers, then the session tools, sorted by name. The caller
// holds mu.
func (s *Session) sessionList() []*catalog.Tool {
	rules, tools := s.rules(), s.activeTools()
	if len(s.sessionTools) == 0 {
		return tools
	}
	active := make(map[catalog.Key]bool, len(tools))
	for _, t := range tools {
		active[t.Key()] = true
	}
	findable := s.gateway.findable(rules)
	var found []*catalog.Tool
	for key := range s.sessionTools {
		if t, ok := rules.Lookup(key.Server, key.Tool); ok && !active[key] && findable(t) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *catalog.Tool) int {
		if a.Proxied() < b.Proxied() {
			return -1
		}
		return 1
	})
	return append(tools, found...)
}

func (a allServers) shows(server string) bool {
	if server == "" {
		return true
	}
	s, err := a.gateway.registry.Get(server)
	return err == nil && s.Enabled && s.Approved
}
