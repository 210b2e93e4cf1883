package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// session is an MCP session with the hub, like that of an agent. The commands
// find and call use one, so that a person gets exactly what an agent gets. It makes one request at a time.
type session struct {
	conn   *jsonrpc.Conn
	stream io.Closer
	// again opens the session with the next hub.
	again   func(ctx context.Context) (*session, error)
	handler *noFeatures
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
		if err == nil {
			s.again = func(ctx context.Context) (*session, error) { return p.sessionOn(ctx, surface) }
			return s, nil
		}
		if time.Now().After(deadline) {
			return nil, err
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
	handler := &noFeatures{}
	conn := jsonrpc.NewConn(stream, stream, handler, jsonrpc.Options{LineLimit: 512 << 20})
	go func() { _ = conn.Run(ctx) }() // ends when the stream is closed
	s := &session{conn: conn, stream: stream, handler: handler}
	handler.sent.Store(1)
	params, err := json.Marshal(map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": words.CommandLine, "version": p.version},
	})
	if err == nil {
		_, err = conn.Call(ctx, jsonrpc.Call{Method: "initialize", Params: params})
	}
	if err == nil {
		handler.sent.Store(2)
		err = conn.Notify("notifications/initialized", nil)
	}
	if err != nil {
		s.close()
		return nil, fault.Wrap(err, fault.Unavailable, "the hub does not answer; see: agent-discover doctor")
	}
	return s, nil
}

// close ends the session.
func (s *session) close() { _ = s.stream.Close() }

// callTool calls a tool and returns its result unchanged. If the hub stops before it carries out the call, callTool sends the
// call to the next hub, with which the session goes on.
func (s *session) callTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	var line bytes.Buffer // a message must be one line, but people may write arguments on several
	if err := json.Compact(&line, arguments); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the arguments are not valid JSON")
	}
	params := jsonrpc.Set(jsonrpc.Set(nil, "name", jsonrpc.Quote(name)), "arguments", line.Bytes())
	for {
		s.handler.sent.Add(1)
		result, err := s.conn.Call(ctx, jsonrpc.Call{Method: "tools/call", Params: params})
		if err == nil || !s.handler.unread.Load() {
			return result, err
		}
		s.close()
		next, err := s.again(ctx)
		if err != nil {
			return nil, err
		}
		*s = *next
	}
}

// noFeatures handles messages of the hub for a client without features: it
// refuses requests and ignores everything else, except that the hub ends.
type noFeatures struct {
	sent   atomic.Int32 // number of lines that were sent
	unread atomic.Bool  // the hub has ended and has not carried out the last request
}

func (n *noFeatures) Request(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	n.sent.Add(1)
	return nil, jsonrpc.NewError(-32601, "Method not found")
}
func (*noFeatures) Notification(string, json.RawMessage) {}

func (n *noFeatures) Bad(line []byte, _ error) *jsonrpc.Error {
	if companion.Unread(line, int(n.sent.Load())) {
		n.unread.Store(true)
	}
	return nil
}
