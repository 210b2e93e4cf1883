package mcpshape

import (
	"encoding/json"
	"errors"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Of says whose result is judged, for texts that clients show.
type Of struct {
	Server string
	Name   string // of the tool or the prompt, or the URI of the resource
}

// The results that clients check in parts.
var (
	resultMeta = object{
		{name: "progressToken", of: mark},
		{name: "io.modelcontextprotocol/related-task", of: object{{name: "taskId", of: text, required: true}}},
	}
	callResult = object{
		{name: "content", of: contents{}, required: true, otherwise: saidElsewhere},
		{name: "structuredContent", of: structured{}},
		{name: "isError", of: clearFlag},
		{name: "_meta", of: resultMeta},
	}
	promptResult = object{
		{name: "messages", of: messages{}, required: true},
		{name: "description", of: text},
		{name: "_meta", of: resultMeta},
	}
	readResult = object{
		{name: "contents", of: texts{}, required: true},
		{name: "_meta", of: resultMeta},
	}
)

// Result returns the result of a method as clients accept it, which is raw itself if nothing
// has to change or if clients do not check results of the method in parts. raw is valid
// JSON. Clients of the modern era accept structured content of any type. The error says why
// no result can be made of it.
func Result(method string, of Of, raw json.RawMessage, modern bool) (json.RawMessage, []Change, error) {
	r := report{of: of, modern: modern}
	var shape object
	switch method {
	case "tools/call", "tasks/result":
		shape = callResult
	case "prompts/get":
		shape = promptResult
	case "resources/read":
		shape = readResult
	default:
		return raw, nil, nil
	}
	if unfinished(raw) {
		return raw, nil, nil
	}
	out, why := shape.fit(&r, r.whole(raw))
	if why != "" {
		return nil, nil, errors.New(why)
	}
	if len(r.changes) == 0 {
		return raw, nil, nil
	}
	return out, r.changes, nil
}

// unfinished reports whether a result announces another one: it asks for input, or a task
// goes on.
func unfinished(raw json.RawMessage) bool {
	if len(raw) > 1<<20 { // such results are short
		return false
	}
	kind := jsonrpc.GetString(raw, "resultType")
	task := jsonrpc.Get(raw, "task")
	return kind != "" && kind != "complete" || len(task) > 0 && task[0] == '{'
}

// saidElsewhere returns content for the result of a call that has none: structured content as
// text, as servers should send it themselves, or the result as the first version of MCP has it.
func saidElsewhere(result json.RawMessage) json.RawMessage {
	for _, name := range []string{"structuredContent", "toolResult"} {
		if data := jsonrpc.Get(result, name); len(data) > 0 && data[0] != 'n' {
			return array([]json.RawMessage{textOf(data)})
		}
	}
	return nil
}

// structured accepts structured content.
type structured struct{}

func (structured) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	return raw, unless(r.modern || raw[0] == '{', raw)
}
