package upstream

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// peer is the server at the other end of a connection. Its methods build and send requests of
// the hub itself.
type peer struct {
	conn    *jsonrpc.Conn
	profile *profile
	version string // version of this hub
}

func (p *peer) clientInfo() json.RawMessage {
	info := jsonrpc.Set(nil, "name", jsonrpc.Quote("agent-discover"))
	return jsonrpc.Set(info, "version", jsonrpc.Quote(p.version))
}

// modernMeta returns the metadata of a request to a server of the modern era.
func (p *peer) modernMeta(d Declared) mcpversion.Meta {
	capabilities := d.Capabilities
	if capabilities == nil {
		capabilities = json.RawMessage("{}")
	}
	return mcpversion.Meta{
		ProtocolVersion: mcpversion.Modern.Versions()[0], ClientInfo: p.clientInfo(), ClientCapabilities: capabilities,
		LogLevel: d.LogLevel,
	}
}

// alive pings the server, and returns an error if the server does not answer.
func (p *peer) alive(ctx context.Context, idle time.Duration) error {
	_, err := p.conn.Call(ctx, p.pingCall(idle))
	return err
}

// pingCall returns a request that every server answers.
func (p *peer) pingCall(idle time.Duration) jsonrpc.Call {
	if p.profile.modern() {
		return jsonrpc.Call{Method: "server/discover", Params: p.modernMeta(Declared{}).Stamp(nil), Idle: idle}
	}
	return jsonrpc.Call{Method: "ping", Idle: idle}
}
