package mcpshape

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Of says where a result comes from. It is used in texts that clients show.
type Of struct {
	Server string
	Name   string // of the tool or the prompt, or the URI of the resource
}

// The shapes of results whose members clients check.
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
	completed = object{
		{name: "values", of: first{100, list{text}}, required: true, otherwise: value("[]")},
		{name: "total", of: count},
		{name: "hasMore", of: flag},
	}
	completeResult = object{
		{name: "completion", of: completed, required: true, otherwise: value(`{"values":[]}`)},
		{name: "_meta", of: resultMeta},
	}
	results = map[string]shape{
		"tools/call":               called{},
		"tasks/result":             called{},
		"prompts/get":              promptResult,
		"resources/read":           readResult,
		"completion/complete":      completeResult,
		"tools/list":               page("tools"),
		"prompts/list":             page("prompts"),
		"resources/list":           page("resources"),
		"resources/templates/list": page("resourceTemplates"),
	}
)

// page is the shape of a page of a list. Items that cannot be corrected are left out.
func page(name string) object {
	return object{
		{name: name, of: list{item(KindIn(name))}, required: true, otherwise: value("[]")},
		{name: "nextCursor", of: text},
		{name: "_meta", of: resultMeta},
	}
}

// first accepts lists of at most n elements. Further elements are left out.
type first struct {
	n  int
	of list
}

func (f first) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	out, why := f.of.fit(r, raw)
	if why != "" {
		return nil, why
	}
	elements := slices.Collect(jsonrpc.Items(out))
	if len(elements) <= f.n {
		return out, ""
	}
	r.add("", fmt.Sprintf("has %d elements; shown with the first %d", len(elements), f.n))
	return jsonrpc.Array(elements[:f.n]), ""
}

// Result returns the result of a method in the form that clients accept. If nothing has to
// change, or if clients do not check the members of such results, this is raw itself. raw
// must be valid JSON. modern means that the client uses MCP 2026-07-28 or later, where
// structured content may have any type. The error says why the result cannot be corrected.
func Result(method string, of Of, raw json.RawMessage, modern bool) (json.RawMessage, []Change, error) {
	shape, checked := results[method]
	if !checked || unfinished(raw) {
		return raw, nil, nil
	}
	r := report{of: of, modern: modern}
	out, why := shape.fit(&r, r.whole(raw))
	if why != "" {
		return nil, nil, errors.New(why)
	}
	if len(r.changes) == 0 {
		return raw, nil, nil
	}
	return out, r.changes, nil
}

// unfinished reports whether a result is not the final one: it asks for input, or names a
// task that goes on.
func unfinished(raw json.RawMessage) bool {
	if len(raw) > 1<<20 { // such results are short
		return false
	}
	kind := jsonrpc.GetString(raw, "resultType")
	task := jsonrpc.Get(raw, "task")
	return kind != "" && kind != "complete" || len(task) > 0 && task[0] == '{'
}

// called accepts the results of calls. Structured content that clients refuse becomes an
// item of the type text, unless the content already has such an item.
type called struct{}

func (called) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	out, why := callResult.fit(r, raw)
	left := func(c Change) bool { return c.Member == "structuredContent" }
	if why != "" || !slices.ContainsFunc(r.changes, left) {
		return out, why
	}
	data, content := jsonrpc.Get(raw, "structuredContent"), slices.Collect(jsonrpc.Items(jsonrpc.Get(out, "content")))
	isText := func(item json.RawMessage) bool { return jsonrpc.GetString(item, "type") == "text" }
	if data[0] == 'n' || slices.ContainsFunc(content, isText) {
		return out, ""
	}
	return jsonrpc.Set(out, "content", jsonrpc.Array(append(content, textOf(data)))), ""
}

// saidElsewhere returns content for a result of a call without content, or nil if it finds
// none. The text of the content is the structured content, which servers should themselves
// repeat as text. Without structured content, it is toolResult, a member in the first
// version of MCP.
func saidElsewhere(result json.RawMessage) json.RawMessage {
	for _, name := range []string{"structuredContent", "toolResult"} {
		if data := jsonrpc.Get(result, name); len(data) > 0 && data[0] != 'n' {
			return jsonrpc.Array([]json.RawMessage{textOf(data)})
		}
	}
	return nil
}

// structured accepts structured content: objects, and for modern clients any value.
type structured struct{}

func (structured) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	return raw, unless(r.modern || raw[0] == '{', raw)
}
