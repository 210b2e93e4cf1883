package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// oneServer is the surface of a single server. The client is shown what it would see
// without the hub: nothing is renamed, and names that the hub does not know reach the
// server too. The server need not be active.
type oneServer struct {
	session *Session
	server  string
}

// admitted returns an error unless a person has approved the server.
func (o oneServer) admitted() error {
	server, err := o.session.gateway.registry.Get(o.server)
	if err != nil {
		return fault.New(fault.NotFound, "unknown server %q: it was removed, or never added to Agent Discover", o.server)
	}
	return server.Usable()
}

// introduce returns what the server has declared at its last start, and starts a server
// that has not been started before. It returns an introduction of the hub's own if a person
// has to sign in first, because a client would give up a server that does not answer.
//
// A legacy client that can be asked gets a session of its era with a server of both; so the
// server is started in that era, too, if it has introduced itself only in the other.
func (o oneServer) introduce(ctx context.Context, client json.RawMessage) (introduction, error) {
	if err := o.admitted(); err != nil {
		return introduction{}, err
	}
	e, which := o.session.exchangeOf(ctx), mcpversion.Legacy
	if e.modern {
		which = mcpversion.Modern
	}
	known, ok := o.known(which)
	other := ok && !e.modern && canBeAsked(client) && o.onlyModern()
	if ok && !other {
		return known, nil
	}
	if other {
		e.caller = joining{o.session}
	}
	lease, err := o.session.gateway.calls.Lease(ctx, o.server, o.session.id, e.caller)
	switch {
	case err != nil && ok:
		return known, nil
	case errors.Is(err, mcphttp.ErrSignIn):
		return o.beforeSignIn()
	case err != nil:
		return introduction{}, err
	}
	defer lease.Release()
	o.session.gateway.remember(ctx, o.server)
	if known, ok = o.known(which); !ok {
		return introduction{}, fault.New(fault.Unavailable, "server %q has ended while it introduced itself; try again", o.server)
	}
	return known, nil
}

// beforeSignIn returns the introduction of a server to which nobody has signed in yet. All
// lists may change, because it is not known which ones the server has.
func (o oneServer) beforeSignIn() (introduction, error) {
	o.session.awaitSignIn()
	info, err := encode(map[string]string{"name": o.server, "version": o.session.gateway.version})
	return introduction{
		Capabilities: json.RawMessage(`{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true}}`),
		Info:         info,
		Instructions: fmt.Sprintf("The server %s requires a sign-in. Until then it lists no tools, prompts and resources. Ask the user to sign in: "+
			"with the command agent-discover auth login %[1]s, or in the tray menu or the dashboard of Agent Discover. Then the lists change.", o.server),
	}, err
}

// known returns what the server has declared at its last start, as clients accept it, in an
// era if it speaks both.
func (o oneServer) known(which mcpversion.Era) (introduction, bool) {
	stored := o.session.gateway.listings.Of(o.server, features.Introduction)
	if len(stored) == 0 {
		return introduction{}, false
	}
	raw := stored[0]
	for _, other := range stored {
		if eraOf(other) == which {
			raw = other
		}
	}
	var known introduction
	if json.Unmarshal(raw, &known) != nil {
		return known, false
	}
	known.Info, _ = mcpshape.Info(o.server, known.Info)
	known.Capabilities, _ = mcpshape.Capabilities(known.Capabilities)
	return known, true
}

// onlyModern reports whether the server has introduced itself in the modern era only, and
// may speak the other one.
func (o oneServer) onlyModern() bool {
	stored := o.session.gateway.listings.Of(o.server, features.Introduction)
	_, without := o.session.gateway.calls.Introductions(o.server)
	return len(stored) == 1 && eraOf(stored[0]) == mcpversion.Modern && !slices.Contains(without, mcpversion.Legacy)
}

// eraOf returns the era in which a server has introduced itself.
func eraOf(introduction json.RawMessage) mcpversion.Era {
	return mcpversion.Of(jsonrpc.GetString(introduction, "protocolVersion"))
}

// remember stores how a running server has introduced itself, in each era that it speaks.
func (g *Gateway) remember(ctx context.Context, server string) {
	abouts, without := g.calls.Introductions(server)
	if len(abouts) == 0 {
		return
	}
	var list []json.RawMessage
	for _, d := range abouts {
		raw, err := introduced(d)
		if err != nil {
			g.log.Warn("could not store how a server introduces itself", "server", server, "error", err)
			return
		}
		list = append(list, raw)
	}
	for _, old := range g.listings.Of(server, features.Introduction) { // in the era that it has not spoken since the hub started
		of := eraOf(old)
		if of == mcpversion.Unknown || slices.Contains(without, of) || slices.ContainsFunc(list, func(raw json.RawMessage) bool { return eraOf(raw) == of }) {
			continue
		}
		list = append(list, old)
	}
	slices.SortStableFunc(list, func(a, b json.RawMessage) int { return cmp.Compare(eraOf(a), eraOf(b)) })
	if _, err := g.listings.Replace(ctx, server, features.Introduction, list); err != nil {
		g.log.Warn("could not store how a server introduces itself", "server", server, "error", err)
	}
}

// introduced returns how a server has introduced itself, as it is stored.
func introduced(d upstream.Description) (json.RawMessage, error) {
	own := introduction{Capabilities: d.Capabilities, Info: d.Info, Instructions: d.Instructions}
	if !isObject(own.Capabilities) {
		own.Capabilities = json.RawMessage("{}")
	}
	return encode(struct {
		ProtocolVersion string `json:"protocolVersion"`
		introduction
	}{d.ProtocolVersion, own})
}

func (o oneServer) info() json.RawMessage {
	known, _ := o.known(mcpversion.Modern)
	return known.Info
}

// list returns what the server has listed before, also while it is stopped. A list that
// the server has not sent yet is asked of it, and so are pages by their cursors.
func (o oneServer) list(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	known, err := o.introduce(ctx, nil)
	if err != nil {
		return nil, rpcError(err)
	}
	if jsonrpc.Get(known.Capabilities, capabilityOf[method]) == nil {
		if o.session.wasOffered(capabilityOf[method]) { // before somebody signed in
			return o.emptyList(ctx, method), nil
		}
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
	}
	if method == "tools/list" {
		o.session.noteTools()
	}
	if jsonrpc.Get(params, "cursor") != nil && method != "tools/list" { // the hub lists all tools at once
		return o.session.pass(ctx, method, params)
	}
	if result := o.stored(ctx, method); result != nil {
		return result, nil
	}
	lease, err := o.session.lease(ctx, o.server)
	if errors.Is(err, mcphttp.ErrSignIn) {
		o.session.awaitSignIn()
		return o.emptyList(ctx, method), nil
	}
	if err == nil { // otherwise pass fails, too
		defer lease.Release()
	}
	return o.session.pass(ctx, method, params)
}

// emptyList returns a list without items, which clients may not cache.
func (o oneServer) emptyList(ctx context.Context, method string) json.RawMessage {
	list := listOf(memberOf(method), nil)
	if o.session.exchangeOf(ctx).modern {
		list = jsonrpc.Set(list, "ttlMs", json.RawMessage("0"))
	}
	return list
}

// stored returns a list that the server has sent, and nil if it has not sent it yet.
func (o oneServer) stored(ctx context.Context, method string) json.RawMessage {
	if kind, ok := kinds[method]; ok {
		definitions := o.session.gateway.listings.Of(o.server, kind)
		if definitions == nil {
			return nil
		}
		return listOf(string(kind), accepted(kind, definitions))
	}
	limits := o.session.limitsIn(ctx)
	var definitions []json.RawMessage // of tools, which are read at each start
	for _, t := range o.tools() {
		definitions = append(definitions, o.session.gateway.fit(limits, t.Hash, listed(t, t.Name)))
	}
	return listOf("tools", definitions)
}

func (o oneServer) tools() []*catalog.Tool {
	rules := o.session.rules()
	return rules.Allowed(rules.Of(o.server))
}

func (o oneServer) resolve(name string) (server, tool string, ok bool) { return o.server, name, true }

// ttl returns what the server has said of the lists that it has sent, as long as it runs.
// It is 0 before the server has introduced itself, which may take a sign-in.
func (o oneServer) ttl(method string) int64 {
	if _, known := o.known(mcpversion.Modern); !known {
		return 0
	}
	if ms, said := o.session.gateway.calls.TTLs(o.server)[method]; said {
		return ms
	}
	return listTTL
}

func (o oneServer) call(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	result, err := o.session.call(ctx, o.server, jsonrpc.GetString(params, "name"), params)
	return answer(result.JSON, err)
}

func (o oneServer) incoming(_ string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	return o.server, params, nil
}

func (o oneServer) shown(_, _ string, message json.RawMessage, _ string) json.RawMessage {
	return message
}

func (o oneServer) listed() (tools []*catalog.Tool, own ownTools) { return o.tools(), ownTools{} }

func (o oneServer) shows(server string) bool { return server == o.server }
