package endpoint

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// modern serves a message of MCP 2026-07-28. The header Mcp-Session-Id is ignored.
func (c *conversation) modern(m jsonrpc.Message) {
	if m.IsResponse() {
		refuse(c.w, http.StatusBadRequest, nil, invalid("the hub sends no requests in this version; answer with inputResponses"))
		return
	}
	if err := c.checkModern(m); err != nil {
		status := http.StatusBadRequest
		if err.Code == jsonrpc.CodeMethodNotFound {
			status = http.StatusNotFound
		}
		refuse(c.w, status, m.ID, err)
		return
	}
	if !m.IsRequest() {
		c.w.WriteHeader(http.StatusAccepted) // the hub ignores all notifications of modern clients over HTTP
		return
	}
	if !c.enter() {
		return
	}
	defer c.leave()
	s, ok := c.endpoint.modernSession(c.principal, c.server, c.toolset)
	if !ok {
		unavailable(c.w, "the hub is stopping")
		return
	}
	defer s.release()
	if err := checkParams(s, c.r.Header, m); err != nil {
		refuse(c.w, http.StatusBadRequest, m.ID, err)
		return
	}
	stream := newStream("", 1)
	reader := stream.attach(0)
	request, refused := s.start(c.r.Context(), m, stream)
	if refused != nil {
		refuse(c.w, mcpversion.Status(refused.Code), m.ID, refused)
		return
	}
	if !c.send(reader, reply{modern: true, stream: prefersStream(c.r)}) {
		request.cancel(&jsonrpc.Cancelled{})
	}
}

// checkModern checks the version, the headers and the metadata of a message. It returns the error to answer with, or
// nil.
func (c *conversation) checkModern(m jsonrpc.Message) *jsonrpc.Error {
	version := mcpversion.ReadMeta(m.Params).ProtocolVersion
	if version == "" {
		version = c.version()
	}
	if differs := c.version() != "" && c.version() != version; version != "" && !differs { // mcpheader.Check reports a difference
		if err := mcpversion.CheckVersion(version); err != nil {
			return err
		}
	}
	if c.version() == "" {
		return jsonrpc.NewError(mcpversion.CodeHeaderMismatch,
			"Header mismatch: MCP-Protocol-Version is missing; send headers that repeat the body")
	}
	if err := mcpheader.Check(c.r.Header, m.Method, m.Params); err != nil {
		return err
	}
	if !m.IsRequest() {
		return nil
	}
	_, err := mcpversion.CheckMeta(m.Params)
	return err
}

// checkParams checks a tools/call: the headers must repeat the arguments that the tool's schema marks with
// paramAnnotation. It returns the error to answer with, or nil. A tool that the client does not list is not checked.
func checkParams(s *session, header http.Header, m jsonrpc.Message) *jsonrpc.Error {
	if m.Method != "tools/call" {
		return nil
	}
	schema := s.serving.InputSchema(jsonrpc.GetString(m.Params, "name"))
	if !bytes.Contains(schema, paramAnnotation) {
		return nil
	}
	params, err := mcpheader.ReadParams(mcpheader.RemoveBad(schema))
	if err != nil {
		return nil // RemoveBad has removed every bad annotation
	}
	return params.Check(header, jsonrpc.Get(m.Params, "arguments"))
}

// paramAnnotation is the schema member that marks an argument which clients repeat in a header.
var paramAnnotation = []byte(`"x-mcp-header"`)

// removeBadParams removes invalid annotations from the tools of a list, because clients must ignore a tool with an
// invalid annotation.
func removeBadParams(list json.RawMessage) json.RawMessage {
	if !bytes.Contains(list, paramAnnotation) {
		return list
	}
	tools := []byte{'['}
	for tool := range jsonrpc.Items(jsonrpc.Get(list, "tools")) {
		if len(tools) > 1 {
			tools = append(tools, ',')
		}
		if schema := jsonrpc.Get(tool, "inputSchema"); bytes.Contains(schema, paramAnnotation) {
			tool = jsonrpc.Set(tool, "inputSchema", mcpheader.RemoveBad(schema))
		}
		tools = append(tools, tool...)
	}
	return jsonrpc.Set(list, "tools", append(tools, ']'))
}

// modernSession returns the session that all requests of the principal with the same server and toolset share. The
// caller releases it. ok is false if the endpoint was closed.
func (e *Endpoint) modernSession(p Principal, server, toolset string) (s *session, ok bool) {
	key := scope{p.ID, server, toolset}
	e.mu.Lock()
	s = e.modern[key]
	if s == nil || !s.hold() {
		if s, ok = e.admit(p, server, toolset); !ok {
			e.mu.Unlock()
			return nil, false
		}
		e.modern[key] = s
	}
	e.mu.Unlock()
	// Use the same id for each session with this scope, because the gateway keeps state by id, such as calls that
	// wait for an answer of the client.
	id := "http-" + p.ID
	if server != "" {
		id += "/" + server
	}
	if toolset != "" {
		id += "#" + toolset
	}
	s.open(id)
	return s, true
}
