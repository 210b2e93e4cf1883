package gateway

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/loosejson"
	"github.com/agent-discover/agent-discover/backend/doors/longresult"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// cutting returns how results are cut for a session. The limit is 0 if they are not:
// the surfaces Registry and OfServer pass all bytes on, and so does Native for a client
// whose limit is unknown, because reading on takes a tool in its list.
func cutting(s *Session, o Opening) longresult.Client {
	c := longresult.Client{Session: s}
	if e, known := table.ByID(o.Client); known {
		c.Limit, c.Links = e.MaxResult, e.ReadsResources
	}
	switch o.Surface {
	case surfaces.Meta:
		c.Caller, c.Saver = callRead, callWrite
		if c.Limit == 0 {
			c.Limit = longresult.DefaultLimit
		}
	case surfaces.Native:
	default:
		c.Limit = 0
	}
	return c
}

// cutting returns how results are cut for the session, with the folder for files as the
// user has chosen it by now.
func (s *Session) cutting() longresult.Client {
	c := s.fixed
	c.Folder = s.gateway.ResultsFolder()
	return c
}

// ResultsFolder returns where clients may save files of long results; empty if they may
// not.
func (g *Gateway) ResultsFolder() string { return *g.resultsFolder.Load() }

// SetResultsFolder sets ResultsFolder. Lists that have save_block only with a folder
// change.
func (g *Gateway) SetResultsFolder(folder string) {
	g.resultsFolder.Store(&folder)
	g.announce()
}

// cut returns the result of a tool call as the client is shown it.
func (s *Session) cut(result json.RawMessage) json.RawMessage {
	if s.fixed.Limit == 0 || len(result) <= s.fixed.Limit {
		return result
	}
	return s.gateway.results.Cut(s.cutting(), result)
}

// cutDirect is cut for a tool that the client has called by its own name. With an
// outputSchema, the client may rely on the whole result.
func (s *Session) cutDirect(server, tool string, result json.RawMessage) json.RawMessage {
	if s.fixed.Limit == 0 || len(result) <= s.fixed.Limit {
		return result
	}
	if t, known := s.lookup(server, tool); known && jsonrpc.Get(listed(t, t.Name), "outputSchema") != nil {
		return result
	}
	return s.cut(result)
}

// cutTask is cut for a result of a task, which the client may ask for several times. It is
// not known by which tool it was called, so that structured results stay whole.
func (s *Session) cutTask(t *task, result json.RawMessage) json.RawMessage {
	if s.fixed.Limit == 0 || len(result) <= s.fixed.Limit || jsonrpc.Get(result, "structuredContent") != nil {
		return result
	}
	s.mu.Lock()
	known := t.cut
	s.mu.Unlock()
	if known != nil {
		return known
	}
	result = s.gateway.results.Cut(s.cutting(), result)
	s.mu.Lock()
	t.cut = result
	s.mu.Unlock()
	return result
}

// cutState is cutTask for the result in a state of a task, as MCP 2026-07-28 has it.
func (s *Session) cutState(t *task, state json.RawMessage) json.RawMessage {
	if s.fixed.Limit == 0 || len(state) <= s.fixed.Limit {
		return state
	}
	result := jsonrpc.Get(state, "result")
	if cut := s.cutTask(t, result); len(cut) != len(result) {
		return jsonrpc.Set(state, "result", cut)
	}
	return state
}

// readMoreTool and saveBlockTool are definitions on the surface Native. On Meta, callRead
// and callWrite call these tools, which costs no tokens: each long result says how.
var readMoreTool = json.RawMessage(`{"name":"` + longresult.ToolName + `","description":"Read on in a long result, as its end says.",` +
	`"inputSchema":{"type":"object","required":["handle"],"properties":{"handle":{"type":"string"},"offset":{"type":"number"},` +
	`"grep":{"type":"string"},"context":{"type":"number"},"path":{"type":"string"},"block":{"type":"number"}}},` +
	`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)

var saveBlockTool = json.RawMessage(`{"name":"` + longresult.SaveName + `","description":"Save an image, a sound or a file of a long result in the folder that the user chose, and get its path.",` +
	`"inputSchema":{"type":"object","required":["handle","block"],"properties":{"handle":{"type":"string"},"block":{"type":"number"}}},` +
	`"annotations":{"destructiveHint":false,"openWorldHint":false}}`)

// How many tokens (o200k_base) the definitions take.
const (
	readMoreTokens  = 90
	saveBlockTokens = 78
)

// readingTools returns what a client lists that reads on in results cut for it. They are
// in the list before the first long result, because lists are constant.
func readingTools(c longresult.Client) ownTools {
	if c.Limit == 0 {
		return ownTools{}
	}
	if c.Folder == "" {
		return ownTools{[]json.RawMessage{readMoreTool}, readMoreTokens}
	}
	return ownTools{[]json.RawMessage{readMoreTool, saveBlockTool}, readMoreTokens + saveBlockTokens}
}

// callReading serves the tools that read on and save, for callers that accept a danger;
// ok is false for other tools. Errors become results with isError, which a model can
// read.
func (s *Session) callReading(accepts danger, name string, arguments json.RawMessage) (result json.RawMessage, ok bool, err error) {
	switch {
	case s.fixed.Limit == 0:
		return nil, false, nil
	case name == longresult.ToolName:
		result, err = s.readMore(arguments)
	case name != longresult.SaveName:
		return nil, false, nil
	case accepts < writes:
		err = fault.New(fault.Denied, "%s writes a file; call it with %s", name, callWrite)
	default:
		result, err = s.saveBlock(arguments)
	}
	if err != nil {
		result, err = errorResult(fault.MessageOf(err))
	}
	return result, true, err
}

// readMore serves read_more with its arguments.
func (s *Session) readMore(raw json.RawMessage) (json.RawMessage, error) {
	var args struct {
		Handle  string            `json:"handle"`
		Offset  loosejson.Number  `json:"offset"`
		Grep    string            `json:"grep"`
		Context loosejson.Number  `json:"context"`
		Path    string            `json:"path"`
		Block   *loosejson.Number `json:"block"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, badArgument(err)
	}
	q := longresult.Query{Handle: args.Handle, Offset: int(args.Offset), Grep: args.Grep, Context: int(args.Context), Path: args.Path}
	if args.Block != nil {
		n := int(*args.Block)
		q.Block = &n
	}
	return s.gateway.results.Read(s.cutting(), q)
}

// saveBlock serves save_block with its arguments.
func (s *Session) saveBlock(raw json.RawMessage) (json.RawMessage, error) {
	var args struct {
		Handle string            `json:"handle"`
		Block  *loosejson.Number `json:"block"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, badArgument(err)
	}
	if args.Block == nil {
		return nil, fault.New(fault.Invalid, "block is required: the number of an image, a sound or a file of the result")
	}
	return s.gateway.results.Save(s.cutting(), args.Handle, int(*args.Block))
}

// readResult serves resources/read of a long result; ok is false for other resources.
func (s *Session) readResult(method string, params json.RawMessage) (result json.RawMessage, ok bool, err error) {
	if method != "resources/read" || s.fixed.Limit == 0 {
		return nil, false, nil
	}
	uri := jsonrpc.GetString(params, "uri")
	if !longresult.IsResource(uri) {
		return nil, false, nil
	}
	result, err = s.gateway.results.ReadResource(s.cutting(), uri)
	if err != nil {
		return nil, true, rpcError(err)
	}
	return result, true, nil
}
