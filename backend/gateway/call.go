package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/proxy"
	"github.com/agent-discover/agent-discover/backend/wire"
)

// codeBusy is the JSON-RPC code of a refusal for load; the range is the
// server's own.
const codeBusy = -32000

// callTool serves tools/call.
func (s *Session) callTool(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	name, ok := wire.String(wire.Get(params, "name"))
	if !ok || name == "" {
		return nil, wire.NewError(jsonrpc.CodeInvalidParams, "Invalid params: tools/call needs the name of a tool")
	}
	if name == registryName {
		return s.callRegistry(ctx, params)
	}
	server, tool, ok := s.resolve(name)
	if !ok {
		return nil, s.unknownTool(name)
	}
	result, err := s.call(ctx, server, tool, params)
	return s.suggest(server, tool, result, err)
}

// resolve understands the names by which a tool may be called: as listed
// (server__tool) and as find_tool gives it (mcp__server__tool).
func (s *Session) resolve(name string) (server, tool string, ok bool) {
	if server, tool, ok = s.gateway.Registry.Split(name); ok {
		return server, tool, true
	}
	if rest, cut := strings.CutPrefix(name, "mcp__"); cut {
		return s.gateway.Registry.Split(rest)
	}
	return "", "", false
}

// call makes a call of this session. It counts against the session's limit.
func (s *Session) call(ctx context.Context, server, tool string, params json.RawMessage) (json.RawMessage, error) {
	request := proxy.Request{
		Client: s.client().Name, Session: s.id, Server: server, Tool: tool, Params: params, Caller: s,
		Progress: func(progress json.RawMessage) { _ = s.conn.Notify("notifications/progress", progress) },
	}
	if !s.take() {
		s.gateway.Proxy.Refuse(request, errBusy)
		return nil, errBusy
	}
	defer s.giveBack()
	return s.gateway.Proxy.Call(ctx, request)
}

// answer turns what a call failed with into what MCP wants to see: an error of
// the server as it was, too much load as an error, everything else as a result
// that a model can read.
func answer(result json.RawMessage, err error) (json.RawMessage, error) {
	var rpc *wire.Error
	var cancelled *wire.Cancelled
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &rpc):
		return nil, rpc
	case errors.As(err, &cancelled):
		return nil, err // nobody waits for it
	case fault.KindOf(err) == fault.Busy:
		return nil, wire.NewError(codeBusy, "%s", fault.MessageOf(err))
	}
	return errorResult(fault.MessageOf(err))
}

func errorResult(text string) (json.RawMessage, error) {
	return encode(map[string]any{
		"content": []map[string]string{{"type": "text", "text": text}},
		"isError": true,
	})
}

func (s *Session) unknownTool(name string) error {
	text := "Unknown tool: " + name
	var near []string
	bare := name[strings.LastIndex(name, "__")+1:]
	findable := s.gateway.findable()
	for _, t := range s.gateway.Search.Nearest("", strings.TrimPrefix(bare, "_"), 3) {
		if findable(t) {
			near = append(near, t.CallAs())
		}
	}
	if len(near) > 0 {
		text += " — did you mean " + strings.Join(near, ", ") + "?"
	}
	return wire.NewError(jsonrpc.CodeInvalidParams, "%s Ask registry {action:\"find_tool\", query:…} for others.", text+".")
}

// suggest adds the nearest other tools to a call that failed because there is
// no such tool or its arguments do not fit. What the server said stays first
// and whole.
func (s *Session) suggest(server, tool string, result json.RawMessage, err error) (json.RawMessage, error) {
	if !s.misdirected(server, tool, result, err) {
		return answer(result, err)
	}
	near := s.gateway.Search.Nearest(server, tool, 3)
	if len(near) == 0 {
		return answer(result, err)
	}
	text := "did_you_mean: " + strings.Join(callAs(near), ", ") + "\nPick the closest match and call it directly — do NOT re-run find_tool."
	var rpc *wire.Error
	if errors.As(err, &rpc) {
		e := *rpc
		e.Message = rpc.Message + "\n" + text
		return nil, wire.NewError(e.Code, "%s", e.Message)
	}
	return appendSuggestion(result, text, near), nil
}

func (s *Session) misdirected(server, tool string, result json.RawMessage, err error) bool {
	var rpc *wire.Error
	if errors.As(err, &rpc) {
		return rpc.Code == jsonrpc.CodeInvalidParams || rpc.Code == jsonrpc.CodeMethodNotFound
	}
	if err != nil || !proxy.IsError(result) {
		return false
	}
	_, known := s.gateway.Catalog.Snapshot().Lookup(server, tool)
	return !known || bytes.Contains(result, []byte("-32602"))
}

// appendSuggestion splices a text block and a did_you_mean member into a result.
func appendSuggestion(result json.RawMessage, text string, near []*catalog.Tool) json.RawMessage {
	block, _ := encode(map[string]string{"type": "text", "text": text})
	content := bytes.TrimSpace(wire.Get(result, "content"))
	if len(content) < 2 || content[0] != '[' {
		return result
	}
	body := bytes.TrimSpace(content[1 : len(content)-1])
	joined := append([]byte("["), body...)
	if len(body) > 0 {
		joined = append(joined, ',')
	}
	joined = append(append(joined, block...), ']')
	var matches []match
	for _, t := range near {
		matches = append(matches, match{CallAs: t.CallAs(), Tool: t.Name, Description: t.Summary()})
	}
	list, _ := encode(matches)
	return wire.Set(wire.Set(result, "content", joined), "did_you_mean", list)
}

func callAs(tools []*catalog.Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.CallAs()
	}
	return out
}

// encode writes JSON without escaping <, > and &, which models read worse.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
