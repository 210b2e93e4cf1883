package gateway

import (
	"cmp"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/loosejson"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/meta"
	"github.com/agent-discover/agent-discover/backend/doors/longresult"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// longResults cuts the long results of one session, and serves requests for the parts that were cut off. It is
// safe for concurrent use.
type longResults struct {
	store  *longresult.Store
	client longresult.Client // without its folder; see now
	folder func() string     // returns the current results folder; empty for none
	lookup func(server, tool string) (*catalog.Tool, bool)
}

// cutting returns the settings for cutting the results of a session. session identifies the session in the store. The
// limit is 0 if results are not cut. This is so on surfaces other than Meta and Native. On Native, it is so for a
// client whose limit is unknown, because cut results would need the tool read_more in the client's list.
func cutting(session any, o Opening) longresult.Client {
	c := longresult.Client{Session: session}
	if e, known := table.ByID(o.Client); known {
		c.Limit, c.Links = e.MaxResult, e.ReadsResources
	}
	switch o.Surface {
	case surfaces.Meta:
		c.Caller, c.Saver = meta.CallRead, meta.CallWrite
		c.Limit = cmp.Or(c.Limit, longresult.DefaultLimit)
	case surfaces.Native:
	default:
		c.Limit = 0
	}
	return c
}

// now returns client with the current results folder.
func (r *longResults) now() longresult.Client {
	c := r.client
	c.Folder = r.folder()
	return c
}

// whole reports whether a result, or the state of a task, is short enough not to be cut.
func (r *longResults) whole(result json.RawMessage) bool {
	return r.client.Limit == 0 || len(result) <= r.client.Limit
}

// Cut returns the result of a tool call, cut if it is too long for the client.
func (r *longResults) Cut(result json.RawMessage) json.RawMessage {
	if r.whole(result) {
		return result
	}
	return r.store.Cut(r.now(), result)
}

// cutDirect is Cut for a tool that the client has called by the tool's own name. It does not cut the result of a tool
// with an outputSchema, because the client may rely on the whole result.
func (r *longResults) cutDirect(server, tool string, result json.RawMessage) json.RawMessage {
	if r.whole(result) {
		return result
	}
	if t, known := r.lookup(server, tool); known && jsonrpc.Get(listed(t, t.Name), "outputSchema") != nil {
		return result
	}
	return r.Cut(result)
}

// cutTask is Cut for the result of a task. It stores the cut result in t, because the client may ask for the result
// several times. Structured results stay whole, because the client may have called the tool directly and rely on its
// outputSchema.
func (r *longResults) cutTask(t *task, result json.RawMessage) json.RawMessage {
	if r.whole(result) || jsonrpc.Get(result, "structuredContent") != nil {
		return result
	}
	t.cutting.Lock()
	defer t.cutting.Unlock()
	if t.cut == nil {
		t.cut = r.store.Cut(r.now(), result)
	}
	return t.cut
}

// cutState is like cutTask, for a state of a task that contains the result, as in MCP 2026-07-28.
func (r *longResults) cutState(t *task, state json.RawMessage) json.RawMessage {
	if r.whole(state) {
		return state
	}
	result := jsonrpc.Get(state, "result")
	if cut := r.cutTask(t, result); len(cut) != len(result) {
		return jsonrpc.Set(state, "result", cut)
	}
	return state
}

// readMoreTool and saveBlockTool are the definitions that the surface Native lists. The surface Meta does not
// list them, which saves tokens: its clients call read_more and save_block through the tools that call other
// tools, as each long result explains.
var readMoreTool = json.RawMessage(`{"name":"` + longresult.ToolName + `","description":"Read on in a long result, as its end says.",` +
	`"inputSchema":{"type":"object","required":["handle"],"properties":{"handle":{"type":"string"},"offset":{"type":"number"},` +
	`"grep":{"type":"string"},"context":{"type":"number"},"path":{"type":"string"},"block":{"type":"number"}}},` +
	`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)

var saveBlockTool = json.RawMessage(`{"name":"` + longresult.SaveName + `",` +
	`"description":"Save an image, a sound or a file of a long result in the folder that the user chose, and get its path.",` +
	`"inputSchema":{"type":"object","required":["handle","block"],"properties":{"handle":{"type":"string"},"block":{"type":"number"}}},` +
	`"annotations":{"destructiveHint":false,"openWorldHint":false}}`)

// The numbers of tokens (o200k_base) of readMoreTool and saveBlockTool.
const (
	readMoreTokens  = 90
	saveBlockTokens = 78
)

// readingTools returns the tools with which a client reads results that are cut for it. The client lists them
// even before its first long result, because the list must not change.
func readingTools(c longresult.Client) surfaces.Definitions {
	if c.Limit == 0 {
		return surfaces.Definitions{}
	}
	if c.Folder == "" {
		return surfaces.Definitions{Tools: []json.RawMessage{readMoreTool}, Tokens: readMoreTokens}
	}
	return surfaces.Definitions{Tools: []json.RawMessage{readMoreTool, saveBlockTool}, Tokens: readMoreTokens + saveBlockTokens}
}

// Call serves read_more and save_block; ok is false for other tools. accepts is the highest level of danger that the
// caller permits; save_block needs danger.Writes. Errors become results with isError, which a model can read.
func (r *longResults) Call(accepts danger.Level, name string, raw json.RawMessage) (result json.RawMessage, ok bool, err error) {
	switch {
	case r.client.Limit == 0:
		return nil, false, nil
	case name == longresult.ToolName:
		result, err = r.readMore(raw)
	case name != longresult.SaveName:
		return nil, false, nil
	case accepts < danger.Writes:
		err = fault.New(fault.Denied, "%s writes a file; call it with %s", name, meta.CallWrite)
	default:
		result, err = r.saveBlock(raw)
	}
	if err != nil {
		result, err = answer.Error(fault.MessageOf(err))
	}
	return result, true, err
}

func (r *longResults) readMore(raw json.RawMessage) (json.RawMessage, error) {
	var args struct {
		Handle  string            `json:"handle"`
		Offset  loosejson.Number  `json:"offset"`
		Grep    string            `json:"grep"`
		Context loosejson.Number  `json:"context"`
		Path    string            `json:"path"`
		Block   *loosejson.Number `json:"block"`
	}
	if err := arguments.Read(raw, &args); err != nil {
		return nil, err
	}
	q := longresult.Query{Handle: args.Handle, Offset: int(args.Offset), Grep: args.Grep, Context: int(args.Context), Path: args.Path}
	if args.Block != nil {
		n := int(*args.Block)
		q.Block = &n
	}
	return r.store.Read(r.now(), q)
}

func (r *longResults) saveBlock(raw json.RawMessage) (json.RawMessage, error) {
	var args struct {
		Handle string            `json:"handle"`
		Block  *loosejson.Number `json:"block"`
	}
	if err := arguments.Read(raw, &args); err != nil {
		return nil, err
	}
	if args.Block == nil {
		return nil, fault.New(fault.Invalid, "block is required: the number of an image, a sound or a file of the result")
	}
	return r.store.Save(r.now(), args.Handle, int(*args.Block))
}

// readResource serves resources/read of a long result; ok is false for other resources.
func (r *longResults) readResource(method string, params json.RawMessage) (result json.RawMessage, ok bool, err error) {
	if method != "resources/read" || r.client.Limit == 0 {
		return nil, false, nil
	}
	uri := jsonrpc.GetString(params, "uri")
	if !longresult.IsResource(uri) {
		return nil, false, nil
	}
	result, err = r.store.ReadResource(r.now(), uri)
	if err != nil {
		return nil, true, answer.Request(err)
	}
	return result, true, nil
}
