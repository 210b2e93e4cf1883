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

// volatile members have a value of the moment; that they are there, and of
// which type, is compared.
var volatile = map[string]bool{
	"uptime": true, "latency_ms": true, "avg_latency_ms": true, "rtt_ms": true, "ms": true, "timestamp": true, "ts": true,
	"createdAt": true, "expiresAt": true, "handle": true, "t": true, "created_at": true, "updated_at": true,
	"npx": true, "uvx": true, "docker": true, "uv": true, // of the machine
	"last_called_at": true, "last_health_check": true, "serverVersion": true,
	// Ours has versions and scores of its own.
	"version": true, "score": true, "top_score": true,
}

// ours are members that this hub adds to those of the original.
var ours = map[string]bool{
	"approved": true, "running": true, "keep_running": true, "pid": true, "tool_count": true, "tool_tokens": true,
	"last_error": true, "launch_hash": true, "headers": true, "file": true, "plaintext": true, "stderr": true, "metrics": true, "secret_names": true,
	"title": true, "hash": true, "tokens": true, // of a tool
	"brief":   true,                                  // of the arguments of registry
	"outcome": true, "client": true, "session": true, // of a log entry
	"p50_ms": true, "p95_ms": true, "max_ms": true, "last_called_at": true, // of metrics
}

// sampling is the tool that server-everything offers to clients that can
// sample, which this hub is for every server: lists and counts of tools are
// compared without it.
const sampling = "trigger-sampling-request"

// compareExchange returns how an answer differs from the recorded one, "" when
// it does not.
func compareExchange(e exchange, answer json.RawMessage) string {
	var recorded, given any
	if err := json.Unmarshal(e.Response, &recorded); err != nil {
		return "the recording is not JSON: " + err.Error()
	}
	if err := json.Unmarshal(answer, &given); err != nil {
		return "the answer is not JSON: " + err.Error()
	}
	if e.Kind == "rest" {
		normalizeREST(e, recorded, given)
	}
	if e.Kind == "mcp" {
		normalizeMCP(recorded)
		normalizeMCP(given)
	}
	if e.name == "rest-remote-activate" { // the same server over HTTP, counted with its sampling tool
		recorded.(map[string]any)["body"].(map[string]any)["tool_count"] = 16.0
	}
	if e.name == "rest-logs-limit" { // a page of it
		return compareShapes(recorded, given)
	}
	if strings.HasPrefix(e.name, "rest-logs") {
		recorded, given = withoutNotices(recorded), withoutNotices(given)
		if e.name == "rest-logs-limit-neg" { // all but the oldest of a log that is longer here
			shorten(recorded, given)
		}
	}
	return diff("", withoutSampling(plainSchemas(recorded)), withoutSampling(plainSchemas(given)))
}

// shorten cuts the longer of two lists of entries to the length of the other.
func shorten(recorded, given any) {
	theirs, own := recorded.(map[string]any)["body"].(map[string]any), given.(map[string]any)["body"].(map[string]any)
	a, _ := theirs["entries"].([]any)
	b, _ := own["entries"].([]any)
	n := min(len(a), len(b))
	theirs["entries"], own["entries"] = a[:n], b[:n]
}

// compareShapes compares a page of a log of which nobody can say where it
// begins: how many entries it has, and what they are made of.
func compareShapes(recorded, given any) string {
	var shapes [2][]any
	for i, answer := range []any{recorded, given} {
		m, _ := answer.(map[string]any)
		body, _ := m["body"].(map[string]any)
		entries, _ := body["entries"].([]any)
		for _, entry := range entries {
			e, _ := entry.(map[string]any)
			shape := make(map[string]any)
			for key, value := range e {
				if !ours[key] && key != "args" {
					shape[key] = reflect.TypeOf(value).String()
				}
			}
			shapes[i] = append(shapes[i], shape)
		}
	}
	return diff("entries", shapes[0], shapes[1])
}

// normalizeREST compares of headers only the kind of body, and of pages that
// they are there: their text is each product's own.
func normalizeREST(e exchange, recorded, given any) {
	theirs, own := recorded.(map[string]any), given.(map[string]any)
	for _, answer := range []map[string]any{theirs, own} {
		headers, _ := answer["headers"].(map[string]any)
		kind, _ := headers["content-type"].(string)
		kind, _, _ = strings.Cut(kind, ";")
		answer["headers"] = kind
		if text, isText := answer["body"].(string); isText && (kind == "text/html" || kind == "text/css") && len(text) > 0 {
			answer["body"] = "a page"
		}
	}
	if theirs["headers"] == "" { // it did not say
		delete(theirs, "headers")
		delete(own, "headers")
	}
	if text, isText := own["body"].(string); isText {
		own["body"] = strings.TrimSuffix(text, "\n")
	}
}

// normalizeMCP decodes texts that are JSON, and takes ids away.
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
			ownWords(tool)
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

// ownWords takes away how each product describes its own tool, and keeps its
// arguments and their types.
func ownWords(tool map[string]any) {
	delete(tool, "description")
	schema, _ := tool["inputSchema"].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for _, property := range properties {
		p, _ := property.(map[string]any)
		delete(p, "description")
	}
}

// withoutNotices leaves out what a server says by itself, whose number and
// order depend on its own clock; the WebSocket's test compares it.
func withoutNotices(answer any) any {
	m, _ := answer.(map[string]any)
	body, _ := m["body"].(map[string]any)
	entries, _ := body["entries"].([]any)
	var kept []any
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		if e["kind"] != "notification" && !untold(e) {
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

// plainSchemas keeps of schemas the arguments and their types: what else is in
// them comes from the libraries that a server happens to be installed with.
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

func plainSchema(schema map[string]any) any {
	types := make(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		p, _ := property.(map[string]any)
		types[name] = p["type"]
	}
	return map[string]any{"type": schema["type"], "required": schema["required"], "properties": types}
}

// untold reports whether the original has no word of a log entry: of the last
// progress, which came too late for it, and of calls that reached no server.
func untold(entry map[string]any) bool {
	args, _ := entry["args"].(map[string]any)
	response, _ := entry["response"].(string)
	return entry["outcome"] == "refused" || entry["kind"] == "progress" && args["progress"] == args["total"] ||
		strings.HasPrefix(response, "Failed to activate")
}

// withoutSampling drops the sampling tool from lists, and its one from counts
// beside them.
func withoutSampling(v any) any {
	switch v := v.(type) {
	case []any:
		var kept []any
		for _, item := range v {
			m, _ := item.(map[string]any)
			if item != sampling && m["name"] != sampling && m["name"] != "everything__"+sampling {
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

// diff returns the first difference between what was recorded and what was
// given; members of ours may come on top.
func diff(at string, recorded, given any) string {
	switch recorded := recorded.(type) {
	case map[string]any:
		own, isObject := given.(map[string]any)
		if !isObject {
			return fmt.Sprintf("%s is %.200v, recorded is an object", at, given)
		}
		return diffObjects(at, recorded, own)
	case []any:
		own, isList := given.([]any)
		if !isList && given != nil {
			return fmt.Sprintf("%s is %.200v, recorded is a list", at, given)
		}
		if len(recorded) != len(own) {
			return fmt.Sprintf("%s has %d items, recorded are %d: %.600v / %.600v", at, len(own), len(recorded), own, recorded)
		}
		for i := range recorded {
			if d := diff(fmt.Sprintf("%s[%d]", at, i), recorded[i], own[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(masked(recorded), masked(given)) {
		return fmt.Sprintf("%s is %.600q, recorded is %.600q", at, fmt.Sprint(given), fmt.Sprint(recorded))
	}
	return ""
}

func diffObjects(at string, recorded, own map[string]any) string {
	_, isTool := recorded["server_id"]
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		value, there := own[key]
		switch {
		case !there:
			return fmt.Sprintf("%s.%s is missing, recorded is %.200v", at, key, recorded[key])
		case volatile[key], isTool && key == "id": // a number that each hub gives
			if reflect.TypeOf(value) != reflect.TypeOf(recorded[key]) {
				return fmt.Sprintf("%s.%s is %.200v, recorded is %.200v", at, key, value, recorded[key])
			}
		default:
			if d := diff(at+"."+key, recorded[key], value); d != "" {
				return d
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		if _, there := recorded[key]; !there && !ours[key] && (key != "code" || own["error"] == nil) { // errors have a code beside their text
			return fmt.Sprintf("%s.%s is not in the recording: %.200v", at, key, own[key])
		}
	}
	return ""
}

// validation is what the library says with which a server checks arguments.
var validation = regexp.MustCompile(`(Invalid arguments for tool [a-z_-]+:).*`)

// madeUp are names that a hub makes up.
var madeUp = regexp.MustCompile(`__transient__[a-z0-9-]+`)

// furtherHint is what ours advises beside what the original did, when nothing
// was found.
const furtherHint = "; or propose a server: registry install"

// masked takes made-up names, a child's last words and a further hint out of a
// text.
func masked(v any) any {
	text, isText := v.(string)
	if !isText {
		return v
	}
	text, _, _ = strings.Cut(text, "\nIt last wrote:\n")
	text = strings.TrimSuffix(text, furtherHint)
	text = validation.ReplaceAllString(text, "$1")
	return madeUp.ReplaceAllString(text, "__transient__x")
}
