package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// oneServer is the surface of a single server. It works as if the client were connected to the server directly: nothing
// is renamed, and names that the hub does not know are passed on, too. The server need not be always listed.
type oneServer struct {
	server        string
	version       string // of the hub
	registry      *registry.Registry
	features      *features.Keeper
	pipeline      *call.Pipeline
	introductions *introductions
	definitions   *definitions
	client        *clientInfo
	tools         *clientTools
	list          *toolList
	calls         *toolCalls
	requests      *requests
	signIns       *signIns
	exchanges     *exchanges
}

// Introduce returns the introduction that the server gave at its last start. It starts a server that has never
// introduced itself. If a person has to sign in first, it returns an introduction made by the hub, because a client
// would drop a server that does not answer.
//
// If a server speaks both eras, a legacy client that can answer requests of servers gets a legacy session with the
// server. So for such a client, Introduce also starts a server that so far has introduced itself in the modern era
// only.
func (o *oneServer) Introduce(ctx context.Context, client json.RawMessage) (surfaces.Introduction, error) {
	server, err := o.registry.Get(o.server)
	if err != nil {
		err = fault.New(fault.NotFound, "unknown server %q: it was removed, or never added to Agent Discover", o.server)
		return surfaces.Introduction{}, err
	}
	if err := server.Usable(); err != nil {
		return surfaces.Introduction{}, err
	}
	e, which := o.exchanges.of(ctx), mcpversion.Legacy
	if e.modern {
		which = mcpversion.Modern
	}
	known, ok := o.introductions.known(o.server, which)
	other := ok && !e.modern && canBeAsked(client) && o.introductions.onlyModern(o.server)
	if ok && !other {
		return known, nil
	}
	if other {
		e.caller = joining{o.exchanges.caller}
	}
	lease, err := o.pipeline.Lease(ctx, o.server, o.client.session, e.caller)
	switch {
	case err != nil && ok:
		return known, nil
	case errors.Is(err, mcphttp.ErrSignIn):
		return o.beforeSignIn()
	case err != nil:
		return surfaces.Introduction{}, err
	}
	defer lease.Release()
	o.introductions.remember(ctx, o.server)
	if known, ok = o.introductions.known(o.server, which); !ok {
		return surfaces.Introduction{}, fault.New(fault.Unavailable, "server %q has ended while it introduced itself; try again", o.server)
	}
	return known, nil
}

// beforeSignIn returns the introduction of a server to which nobody has signed in yet. It declares that all
// lists may change, because the hub does not know which lists the server has.
func (o *oneServer) beforeSignIn() (surfaces.Introduction, error) {
	o.signIns.awaitSignIn()
	info, err := answer.Encode(map[string]string{"name": o.server, "version": o.version})
	return surfaces.Introduction{
		Capabilities: json.RawMessage(`{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true}}`),
		Info:         info,
		Instructions: fmt.Sprintf("The server %s requires a sign-in. Until then it lists no tools, prompts and resources. "+
			"Ask the user to sign in: with the command agent-discover auth login %[1]s, "+
			"or in the tray menu or the dashboard of Agent Discover. Then the lists change.", o.server),
	}, err
}

// Info implements surface.
func (o *oneServer) Info() json.RawMessage {
	known, _ := o.introductions.known(o.server, mcpversion.Modern)
	return known.Info
}

// List returns the stored list of the server, even if the server is stopped. If the list is not stored, or if the
// request has a cursor and is not tools/list, List sends the request to the server.
func (o *oneServer) List(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	known, err := o.Introduce(ctx, nil)
	if err != nil {
		return nil, answer.Request(err)
	}
	if jsonrpc.Get(known.Capabilities, capabilityOf[method]) == nil {
		if o.client.offeredCapability(capabilityOf[method]) != nil { // offered by beforeSignIn
			return o.emptyList(ctx, method), nil
		}
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
	}
	if method == "tools/list" {
		o.list.note()
	}
	if jsonrpc.Get(params, "cursor") != nil && method != "tools/list" { // the hub lists all tools at once
		return o.requests.pass(ctx, method, params)
	}
	if result := o.stored(ctx, method); result != nil {
		return result, nil
	}
	lease, err := o.exchanges.lease(ctx, o.server)
	if errors.Is(err, mcphttp.ErrSignIn) {
		o.signIns.awaitSignIn()
		return o.emptyList(ctx, method), nil
	}
	if err == nil { // otherwise pass fails, too
		defer lease.Release()
	}
	return o.requests.pass(ctx, method, params)
}

// emptyList returns a list without items, which clients may not cache.
func (o *oneServer) emptyList(ctx context.Context, method string) json.RawMessage {
	list := answer.List(cmp.Or(string(kinds[method]), "tools"), nil)
	if isModern(ctx) {
		list = jsonrpc.Set(list, "ttlMs", json.RawMessage("0"))
	}
	return list
}

// stored returns the result of a list method, made from the list that the hub has stored. It returns nil if the list is
// not stored.
func (o *oneServer) stored(ctx context.Context, method string) json.RawMessage {
	if kind, ok := kinds[method]; ok {
		definitions := o.features.Of(o.server, kind)
		if definitions == nil {
			return nil
		}
		return answer.List(string(kind), accepted(kind, definitions))
	}
	limits := o.client.limitsOf(isModern(ctx))
	var definitions []json.RawMessage // of tools, which the hub reads each time the server starts
	for _, t := range o.own() {
		definitions = append(definitions, o.definitions.fit(limits, t.Hash, listed(t, t.Name)))
	}
	return answer.List("tools", definitions)
}

func (o *oneServer) own() []*catalog.Tool {
	rules := o.tools.Rules()
	return rules.Allowed(rules.Of(o.server))
}

// Resolve implements surface.
func (o *oneServer) Resolve(name string) (server, tool string, ok bool) { return o.server, name, true }

// TTL returns the cache time that the running server has stated for a list, and surfaces.ListTTL if the server has
// stated none. It returns 0 before the server has introduced itself, because the server may first need a sign-in.
func (o *oneServer) TTL(method string) int64 {
	if _, known := o.introductions.known(o.server, mcpversion.Modern); !known {
		return 0
	}
	if ms, said := o.pipeline.TTLs(o.server)[method]; said {
		return ms
	}
	return surfaces.ListTTL
}

// Call implements surface.
func (o *oneServer) Call(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	result, err := o.calls.Call(ctx, o.server, jsonrpc.GetString(params, "name"), params)
	return answer.Call(result.JSON, err)
}

// Incoming implements surface.
func (o *oneServer) Incoming(_ string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	return o.server, params, nil
}

// Shown implements surface.
func (o *oneServer) Shown(_, _ string, message json.RawMessage, _ string) json.RawMessage {
	return message
}

// Listed implements surface.
func (o *oneServer) Listed() (tools []*catalog.Tool, own surfaces.Definitions) {
	return o.own(), surfaces.Definitions{}
}

// Shows implements surface.
func (o *oneServer) Shows(server string) bool { return server == o.server }
