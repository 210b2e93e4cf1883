//go:build linux

package hub_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// volatile members have values that differ each time, such as times. Only their
// presence and type are compared.
var volatile = map[string]bool{
	"uptime": true, "latency_ms": true, "avg_latency_ms": true, "rtt_ms": true, "ms": true, "timestamp": true, "ts": true,
	"createdAt": true, "expiresAt": true, "handle": true, "t": true, "created_at": true, "updated_at": true,
	"npx": true, "uvx": true, "docker": true, "uv": true, // programs on this machine
	"last_called_at": true, "last_health_check": true, "serverVersion": true,
	// The two products have different versions and scores.
	"version": true, "score": true, "top_score": true,
}

// additions are members of answers that the original does not have.
var additions = map[string]bool{
	"approved": true, "running": true, "keep_running": true, "pid": true, "tool_count": true, "tool_tokens": true,
	"last_error": true, "launch_hash": true, "headers": true, "file": true, "plaintext": true, "stderr": true, "metrics": true, "secret_names": true,
	"title": true, "hash": true, "tokens": true, // tools
	"brief":   true,                                  // arguments of the registry tool
	"outcome": true, "client": true, "session": true, // log entries
	"p50_ms": true, "p95_ms": true, "max_ms": true, "last_called_at": true, // metrics
}

// samplingTool is a tool that server-everything has only for clients that support
// sampling. This hub does; lists and counts of tools are compared without the tool.
const samplingTool = "trigger-sampling-request"

// compareExchange describes the first difference of an answer from the recorded one;
// "" for none.
func compareExchange(e exchange, answer json.RawMessage) string {
	var recorded, received any
	if err := json.Unmarshal(e.Response, &recorded); err != nil {
		return "the recording is not JSON: " + err.Error()
	}
	if err := json.Unmarshal(answer, &received); err != nil {
		return "the answer is not JSON: " + err.Error()
	}
	if e.Kind == "rest" {
		normalizeREST(recorded, received)
	}
	if e.Kind == "mcp" {
		normalizeMCP(recorded)
		normalizeMCP(received)
	}
	if e.name == "rest-remote-activate" { // here the count of the recording includes the sampling tool
		recorded.(map[string]any)["body"].(map[string]any)["tool_count"] = 16.0
	}
	if e.name == "rest-logs-limit" { // a page in the middle of the log
		return compareShapes(recorded, received)
	}
	if strings.HasPrefix(e.name, "rest-logs") {
		recorded, received = withoutNotifications(recorded), withoutNotifications(received)
		if e.name == "rest-logs-limit-neg" { // all entries except the oldest; this hub's log is longer
			shorten(recorded, received)
		}
	}
	return diff("", withoutSampling(plainSchemas(recorded)), withoutSampling(plainSchemas(received)))
}

// shorten cuts the longer of two lists of entries to the length of the other.
func shorten(recorded, received any) {
	want, got := recorded.(map[string]any)["body"].(map[string]any), received.(map[string]any)["body"].(map[string]any)
	a, _ := want["entries"].([]any)
	b, _ := got["entries"].([]any)
	n := min(len(a), len(b))
	want["entries"], got["entries"] = a[:n], b[:n]
}

// compareShapes compares two pages of the log by the number of entries and the types
// of their members. The pages begin at different entries, because this hub logs more.
func compareShapes(recorded, received any) string {
	var shapes [2][]any
	for i, answer := range []any{recorded, received} {
		m, _ := answer.(map[string]any)
		body, _ := m["body"].(map[string]any)
		entries, _ := body["entries"].([]any)
		for _, entry := range entries {
			e, _ := entry.(map[string]any)
			shape := make(map[string]any)
			for key, value := range e {
				if !additions[key] && key != "args" {
					shape[key] = reflect.TypeOf(value).String()
				}
			}
			shapes[i] = append(shapes[i], shape)
		}
	}
	return diff("entries", shapes[0], shapes[1])
}

// normalizeREST replaces the headers of both answers by the media type, and a page by
// a constant, because the text of pages differs.
func normalizeREST(recorded, received any) {
	want, got := recorded.(map[string]any), received.(map[string]any)
	for _, answer := range []map[string]any{want, got} {
		headers, _ := answer["headers"].(map[string]any)
		kind, _ := headers["content-type"].(string)
		kind, _, _ = strings.Cut(kind, ";")
		answer["headers"] = kind
		if text, isText := answer["body"].(string); isText && (kind == "text/html" || kind == "text/css") && len(text) > 0 {
			answer["body"] = "a page"
		}
	}
	if want["headers"] == "" { // the original sent no media type
		delete(want, "headers")
		delete(got, "headers")
	}
	if text, isText := got["body"].(string); isText {
		got["body"] = strings.TrimSuffix(text, "\n")
	}
}

// normalizeMCP decodes texts that are JSON, and removes the id and the descriptions
// of the registry tool.
func normalizeMCP(answer any) {
	m, isObject := answer.(map[string]any)
	if !isObject {
		return
	}
	if m["id"] != nil {
		delete(m, "id")
	}
	result, _ := m["result"].(map[string]any)
	tools, _ := result["tools"].([]any)
	for _, tool := range tools {
		if tool, _ := tool.(map[string]any); tool["name"] == "registry" {
			removeDescriptions(tool)
		}
	}
	content, _ := result["content"].([]any)
	for _, block := range content {
		b, _ := block.(map[string]any)
		text, _ := b["text"].(string)
		var inner any
		if json.Unmarshal([]byte(text), &inner) == nil {
			b["text"] = inner
		}
	}
}

// removeDescriptions removes the descriptions of a tool and of its arguments.
func removeDescriptions(tool map[string]any) {
	delete(tool, "description")
	schema, _ := tool["inputSchema"].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for _, property := range properties {
		p, _ := property.(map[string]any)
		delete(p, "description")
	}
}

// withoutNotifications removes log entries of notifications, whose number and order
// depend on the server's timers, and entries that the original does not log.
// compareSocket compares the notifications.
func withoutNotifications(answer any) any {
	m, _ := answer.(map[string]any)
	body, _ := m["body"].(map[string]any)
	entries, _ := body["entries"].([]any)
	var kept []any
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		if e["kind"] != "notification" && !unknownToOriginal(e) {
			delete(e, "id")
			kept = append(kept, e)
		}
	}
	if body != nil && entries != nil {
		body["entries"] = kept
		delete(body, "total")
	}
	return answer
}

// plainSchemas reduces schemas to the arguments and their types. The rest depends on
// the versions of the libraries that a server uses.
func plainSchemas(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plainSchemas(v[i])
		}
	case map[string]any:
		for key, value := range v {
			if schema, isSchema := value.(map[string]any); isSchema && (key == "inputSchema" || key == "input_schema" || key == "outputSchema") {
				v[key] = plainSchema(schema)
			} else {
				v[key] = plainSchemas(value)
			}
		}
	}
	return v
}

// plainSchema reduces one schema.
func plainSchema(schema map[string]any) any {
	types := make(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		p, _ := property.(map[string]any)
		types[name] = p["type"]
	}
	return map[string]any{"type": schema["type"], "required": schema["required"], "properties": types}
}

// unknownToOriginal reports whether the original does not log an entry: the last
// progress of a call, or a call that reached no server.
func unknownToOriginal(entry map[string]any) bool {
	args, _ := entry["args"].(map[string]any)
	response, _ := entry["response"].(string)
	return entry["outcome"] == "refused" || entry["kind"] == "progress" && args["progress"] == args["total"] ||
		strings.HasPrefix(response, "Failed to activate")
}

// withoutSampling removes samplingTool from lists, and from the counts of tools.
func withoutSampling(v any) any {
	switch v := v.(type) {
	case []any:
		var kept []any
		for _, item := range v {
			m, _ := item.(map[string]any)
			if item != samplingTool && m["name"] != samplingTool && m["name"] != "everything__"+samplingTool {
				kept = append(kept, withoutSampling(item))
			}
		}
		return kept
	case map[string]any:
		if name, _ := v["name"].(string); name == "everything" || strings.HasPrefix(name, "__transient__") {
			if n, counted := v["tool_count"].(float64); counted && (n == 15 || n == 16) {
				v["tool_count"] = 15.0
			}
		}
		for key, value := range v {
			v[key] = withoutSampling(value)
		}
	}
	return v
}

// diff describes the first difference between a recorded and a received value; "" for
// none. Additions are allowed.
func diff(at string, recorded, received any) string {
	switch recorded := recorded.(type) {
	case map[string]any:
		got, isObject := received.(map[string]any)
		if !isObject {
			return fmt.Sprintf("%s is %.200v, recorded is an object", at, received)
		}
		return diffObjects(at, recorded, got)
	case []any:
		got, isList := received.([]any)
		if !isList && received != nil {
			return fmt.Sprintf("%s is %.200v, recorded is a list", at, received)
		}
		if len(recorded) != len(got) {
			return fmt.Sprintf("%s has %d items, recorded are %d: %.600v / %.600v", at, len(got), len(recorded), got, recorded)
		}
		for i := range recorded {
			if d := diff(fmt.Sprintf("%s[%d]", at, i), recorded[i], got[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(normalizeText(recorded), normalizeText(received)) {
		return fmt.Sprintf("%s is %.600q, recorded is %.600q", at, fmt.Sprint(received), fmt.Sprint(recorded))
	}
	return ""
}

func diffObjects(at string, recorded, received map[string]any) string {
	_, isTool := recorded["server_id"]
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		value, present := received[key]
		switch {
		case !present:
			return fmt.Sprintf("%s.%s is missing, recorded is %.200v", at, key, recorded[key])
		case volatile[key], isTool && key == "id": // ids of tools are assigned by each hub
			if reflect.TypeOf(value) != reflect.TypeOf(recorded[key]) {
				return fmt.Sprintf("%s.%s is %.200v, recorded is %.200v", at, key, value, recorded[key])
			}
		default:
			if d := diff(at+"."+key, recorded[key], value); d != "" {
				return d
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(received)) {
		if _, present := recorded[key]; !present && !additions[key] && (key != "code" || received["error"] == nil) { // an error may have a code
			return fmt.Sprintf("%s.%s is not in the recording: %.200v", at, key, received[key])
		}
	}
	return ""
}

// validationError matches the error of a server about invalid arguments. Its details
// depend on the validation library.
var validationError = regexp.MustCompile(`(Invalid arguments for tool [a-z_-]+:).*`)

// generatedName matches the generated name of a transient server.
var generatedName = regexp.MustCompile(`__transient__[a-z0-9-]+`)

// addedHint is the advice that this hub adds to the original's when nothing was found.
const addedHint = "; or propose a server: registry install"

// normalizeText removes from a text what differs on purpose: generated names, the last
// output of a server, addedHint and details of validation errors.
func normalizeText(v any) any {
	text, isText := v.(string)
	if !isText {
		return v
	}
	text, _, _ = strings.Cut(text, "\nIt last wrote:\n")
	text = strings.TrimSuffix(text, addedHint)
	text = validationError.ReplaceAllString(text, "$1")
	return generatedName.ReplaceAllString(text, "__transient__x")
}
