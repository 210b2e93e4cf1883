package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// session is an MCP session with the hub, like that of an agent. The commands
// find and call use one, so that a person gets exactly what an agent gets.
type session struct {
	conn  *jsonrpc.Conn
	close func()
}

// session opens an MCP session with the hub, as a companion does. Close it after use.
func (p *program) session(ctx context.Context) (*session, error) { return p.sessionOn(ctx, "") }

// sessionOn opens a session on a surface; see session. If the hub ends before the session is open, because it is restarting,
// sessionOn opens the session with the next hub.
func (p *program) sessionOn(ctx context.Context, surface string) (*session, error) {
	tick := time.NewTicker(sessionPatience / 100)
	defer tick.Stop()
	for deadline := time.Now().Add(sessionPatience); ; {
		info, err := p.hub(ctx)
		if err != nil {
			return nil, err
		}
		s, err := p.open(ctx, info, surface)
		if err == nil || time.Now().After(deadline) {
			return s, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// sessionPatience is how long a hub may refuse sessions while it ends.
const sessionPatience = 5 * time.Second

// open opens a session with a hub.
func (p *program) open(ctx context.Context, info instance.Info, surface string) (*session, error) {
	stream, err := companion.Dial(ctx, info, p.version, rand.Text(), companion.Entry{Surface: surface})
	if err != nil {
		return nil, err
	}
	conn := jsonrpc.NewConn(stream, stream, noFeatures{}, jsonrpc.Options{LineLimit: 512 << 20})
	go func() { _ = conn.Run(ctx) }() // ends when the stream is closed
	s := &session{conn: conn, close: func() { _ = stream.Close() }}
	params, err := json.Marshal(map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": words.CommandLine, "version": p.version},
	})
	if err == nil {
		_, err = conn.Call(ctx, jsonrpc.Call{Method: "initialize", Params: params})
	}
	if err == nil {
		err = conn.Notify("notifications/initialized", nil)
	}
	if err != nil {
		s.close()
		return nil, fault.Wrap(err, fault.Unavailable, "the hub does not answer; see: agent-discover doctor")
	}
	return s, nil
}

// callTool calls a tool and returns its result unchanged.
func (s *session) callTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	var line bytes.Buffer // a message must be one line, but people may write arguments on several
	if err := json.Compact(&line, arguments); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the arguments are not valid JSON")
	}
	params := jsonrpc.Set(jsonrpc.Set(nil, "name", jsonrpc.Quote(name)), "arguments", line.Bytes())
	return s.conn.Call(ctx, jsonrpc.Call{Method: "tools/call", Params: params})
}

// noFeatures handles messages of the hub for a client without features: it
// refuses requests and ignores everything else.
type noFeatures struct{}

func (noFeatures) Request(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, jsonrpc.NewError(-32601, "Method not found")
}
func (noFeatures) Notification(string, json.RawMessage) {}
func (noFeatures) Bad([]byte, error) *jsonrpc.Error     { return nil }
