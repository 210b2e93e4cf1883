//go:build linux

package original_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// volatile names members whose values differ in each run, such as times. Only their presence and type are compared.
var volatile = map[string]bool{
	"uptime": true, "latency_ms": true, "avg_latency_ms": true, "rtt_ms": true, "ms": true, "timestamp": true, "ts": true,
	"createdAt": true, "expiresAt": true, "handle": true, "t": true, "created_at": true, "updated_at": true,
	"npx": true, "uvx": true, "docker": true, "uv": true, // programs on this machine
	"last_called_at": true, "last_health_check": true, "serverVersion": true,
	// The two products have different versions and scores.
	"version": true, "score": true, "top_score": true,
}

// additions names members that this hub adds to results of the tool named registry. Answers over REST may have all
// members that the API description has.
var additions = map[string]bool{"unset_variables": true, "waiting_for_approval": true}

// clientTools are the tools that server-everything has only for clients that support sampling and elicitation with
// a URL. This hub supports both, so lists and counts of tools are compared without these tools.
var clientTools = []string{"trigger-sampling-request", "trigger-url-elicitation"}

// compareExchange describes the first difference between an answer and the recorded one. It returns "" if there is
// none.
func (r *replay) compareExchange(e exchange, answer json.RawMessage) string {
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
	if e.name == "rest-remote-activate" { // withoutClientTools adjusts no count in this answer, because it does not name the server
		recorded.(map[string]any)["body"].(map[string]any)["tool_count"] = 17.0
	}
	if e.name == "rest-logs-limit" { // a page from the middle of the log, which begins at different entries
		return r.compareShapes(recorded, received)
	}
	if strings.HasPrefix(e.name, "rest-logs") {
		recorded, received = withoutNotifications(recorded), withoutNotifications(received)
		if e.name == "rest-logs-limit-neg" { // all entries except the oldest; this hub's log is longer
			shorten(recorded, received)
		}
	}
	return r.diff("", withoutClientTools(plainSchemas(recorded)), withoutClientTools(plainSchemas(received)))
}

// shorten cuts the longer of two lists of entries to the length of the other.
func shorten(recorded, received any) {
	want, got := recorded.(map[string]any)["body"].(map[string]any), received.(map[string]any)["body"].(map[string]any)
	a, _ := want["entries"].([]any)
	b, _ := got["entries"].([]any)
	n := min(len(a), len(b))
	want["entries"], got["entries"] = a[:n], b[:n]
}

// originalEntry names the members of a log entry in the original product, except args.
var originalEntry = map[string]bool{
	"id": true, "timestamp": true, "server": true, "tool": true, "response": true, "latency_ms": true, "success": true, "kind": true,
}

// compareShapes compares two pages of the log by the number of entries and the types
// of their members. The pages begin at different entries, because this hub logs more.
func (r *replay) compareShapes(recorded, received any) string {
	var shapes [2][]any
	for i, answer := range []any{recorded, received} {
		m, _ := answer.(map[string]any)
		body, _ := m["body"].(map[string]any)
		entries, _ := body["entries"].([]any)
		for _, entry := range entries {
			e, _ := entry.(map[string]any)
			shape := make(map[string]any)
			for key, value := range e {
				if !r.documented[key] || originalEntry[key] {
					shape[key] = reflect.TypeOf(value).String()
				}
			}
			shapes[i] = append(shapes[i], shape)
		}
	}
	return r.diff("entries", shapes[0], shapes[1])
}

// normalizeREST replaces the headers of both answers by their media type, and HTML and CSS by a constant, because
// the pages of the two products differ.
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

// normalizeMCP decodes texts that are JSON, and removes the id.
func normalizeMCP(answer any) {
	m, isObject := answer.(map[string]any)
	if !isObject {
		return
	}
	if m["id"] != nil {
		delete(m, "id")
	}
	result, _ := m["result"].(map[string]any)
	normalizeTexts(result)
}

// normalizeTexts decodes the texts of a result that are JSON.
func normalizeTexts(answer any) {
	result, _ := answer.(map[string]any)
	if inner, ok := result["result"].(map[string]any); ok {
		result = inner
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

// withoutNotifications removes two kinds of log entries: those that the original does not log, and those of
// notifications, whose number and order depend on the server's timers. compareSocket compares the notifications.
func withoutNotifications(answer any) any {
	m, _ := answer.(map[string]any)
	body, _ := m["body"].(map[string]any)
	entries, _ := body["entries"].([]any)
	var kept []any
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		if e["kind"] != "notification" && !unknownToOriginal(e) {
			delete(e, "id")
			withoutRepetition(e)
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
			if schema, isSchema := value.(map[string]any); isSchema &&
				(key == "inputSchema" || key == "input_schema" || key == "outputSchema") {
				v[key] = plainSchema(schema)
			} else {
				v[key] = plainSchemas(value)
			}
		}
	}
	return v
}

// plainSchema reduces one schema to its type, its arguments and their types.
func plainSchema(schema map[string]any) any {
	types := make(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		p, _ := property.(map[string]any)
		types[name] = p["type"]
	}
	return map[string]any{"type": schema["type"], "required": schema["required"], "properties": types}
}

// withoutRepetition removes the error prefix that the SDK of a server repeats at the beginning of a log entry's
// response.
func withoutRepetition(entry map[string]any) {
	if response, ok := entry["response"].(string); ok {
		entry["response"] = strings.Replace(response, "MCP error -32602: MCP error -32602: ", "MCP error -32602: ", 1)
	}
}

// unknownToOriginal reports whether the original would not log an entry. It logs neither the last progress message
// of a call nor a call that reached no server. As an exception, it logs a call of a tool that the server does not
// list.
func unknownToOriginal(entry map[string]any) bool {
	args, _ := entry["args"].(map[string]any)
	response, _ := entry["response"].(string)
	return entry["outcome"] == "refused" && !strings.HasSuffix(response, " not found") ||
		entry["kind"] == "progress" && args["progress"] == args["total"] ||
		strings.HasPrefix(response, "Failed to activate")
}

// withoutClientTools removes clientTools from lists, and from the counts of tools.
func withoutClientTools(v any) any {
	switch v := v.(type) {
	case []any:
		var kept []any
		for _, item := range v {
			name, _ := item.(string)
			if m, ok := item.(map[string]any); ok {
				name, _ = m["name"].(string)
			}
			if !slices.Contains(clientTools, strings.TrimPrefix(name, "everything__")) {
				kept = append(kept, withoutClientTools(item))
			}
		}
		return kept
	case map[string]any:
		if name, _ := v["name"].(string); name == "everything" || strings.HasPrefix(name, "__transient__") {
			if n, counted := v["tool_count"].(float64); counted && n >= 15 && n <= 17 {
				v["tool_count"] = 15.0
			}
		}
		for key, value := range v {
			v[key] = withoutClientTools(value)
		}
	}
	return v
}

// diff describes the first difference between a recorded and a received value, except for additions. It returns ""
// if there is none.
func (r *replay) diff(at string, recorded, received any) string {
	switch recorded := recorded.(type) {
	case map[string]any:
		got, isObject := received.(map[string]any)
		if !isObject {
			return fmt.Sprintf("%s is %.200v, recorded is an object", at, received)
		}
		return r.diffObjects(at, recorded, got)
	case []any:
		got, isList := received.([]any)
		if !isList && received != nil {
			return fmt.Sprintf("%s is %.200v, recorded is a list", at, received)
		}
		if len(recorded) != len(got) {
			return fmt.Sprintf("%s has %d items, recorded are %d: %.600v / %.600v", at, len(got), len(recorded), got, recorded)
		}
		for i := range recorded {
			if d := r.diff(fmt.Sprintf("%s[%d]", at, i), recorded[i], got[i]); d != "" {
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

func (r *replay) diffObjects(at string, recorded, received map[string]any) string {
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
			if d := r.diff(at+"."+key, recorded[key], value); d != "" {
				return d
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(received)) {
		if _, present := recorded[key]; !present && !additions[key] && !r.documented[key] {
			return fmt.Sprintf("%s.%s is not in the recording: %.200v", at, key, received[key])
		}
	}
	return ""
}

// generatedName matches the generated name of a transient server.
var generatedName = regexp.MustCompile(`__transient__[a-z0-9-]+`)

// validationError matches the error of a server about invalid arguments. Its details
// depend on the validation library of the server.
var validationError = regexp.MustCompile(`(Invalid arguments for tool [a-z_-]+:).*`)

// normalizeText removes generated names and details of validation errors from a text.
func normalizeText(v any) any {
	text, isText := v.(string)
	if !isText {
		return v
	}
	return generatedName.ReplaceAllString(validationError.ReplaceAllString(text, "$1"), "__transient__x")
}
