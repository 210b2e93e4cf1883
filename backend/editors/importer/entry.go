package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// rawEntry is the decoded object that describes a server. understand converts it.
type rawEntry struct {
	name  string
	entry map[string]any // nil if the value is not an object
}

// programs and addresses are the keys that clients use for the command and for the URL of a server.
var (
	programs  = []string{"command", "cmd"}
	addresses = []string{"httpUrl", "http_url", "serverUrl", "url", "uri"}
)

func isEntry[V any](value V) bool {
	entry, ok := any(value).(map[string]any)
	if !ok {
		return false
	}
	for _, key := range programs {
		switch command := entry[key].(type) {
		case string, []any:
			return true
		case map[string]any: // older versions of Zed
			return text(command["path"]) != ""
		}
	}
	return first(entry, addresses) != ""
}

// first returns the first non-empty text in entry under one of the given keys.
func first(entry map[string]any, keys []string) string {
	for _, key := range keys {
		if found := text(entry[key]); found != "" {
			return found
		}
	}
	return ""
}

// understand converts an entry in the format of any known client.
func understand(f rawEntry) textEntry {
	if f.entry == nil {
		return textEntry{Name: f.name, Problem: "the entry is not an object"}
	}
	e := textEntry{Name: f.name, Description: text(f.entry["description"])}
	e.Tags = e.words(f.entry["tags"], "tags")
	e.Secrets = e.texts(f.entry["secrets"], "secrets")
	e.Server.Disabled = f.entry["disabled"] == true || f.entry["enabled"] == false
	line, source := e.commandOf(f.entry)
	at := first(f.entry, addresses)
	transport, err := transportOf(f.entry, line, at)
	if at == "" || err == nil && transport == "stdio" {
		e.local(f.entry, line, source)
	} else {
		e.remote(f.entry, at)
	}
	e.entry = f.entry
	return e
}

func remote(at string) textEntry {
	var e textEntry
	e.remote(nil, at)
	return e
}

func (e *textEntry) remote(entry map[string]any, at string) {
	e.Server.URL = strings.TrimSpace(at)
	var err error
	if e.Server.Transport, err = transportOf(entry, nil, e.Server.URL); err != nil {
		e.Problem = fault.MessageOf(err)
	}
	headers := entry["headers"]
	if headers == nil {
		headers = entry["http_headers"]
	}
	if init, ok := entry["requestInit"].(map[string]any); ok && headers == nil {
		headers = init["headers"]
	}
	e.Server.Headers = e.texts(headers, "headers")
	if variable := text(entry["bearer_token_env_var"]); variable != "" {
		e.header("Authorization", "Bearer ${"+variable+"}")
	}
	for name, variable := range e.texts(entry["env_http_headers"], "env_http_headers") {
		e.header(name, "${"+variable+"}")
	}
	e.variables(entry) // the URL and the headers may refer to these variables; see fillOwn
}

func (e *textEntry) header(name, value string) {
	if e.Server.Headers == nil {
		e.Server.Headers = make(map[string]string)
	}
	e.Server.Headers[name] = value
}

// transportOf returns the transport of an entry with a command line or an address, as registry.TransportFor decides.
func transportOf(entry map[string]any, line []string, at string) (string, error) {
	stated, command := first(entry, []string{"type", "transport"}), strings.Join(line, " ")
	switch strings.ToLower(stated) {
	case "stdio", "local":
		if command == "" { // the address says more than the type
			stated = ""
		}
	case "", "remote", "url":
		if command == "" && text(entry["httpUrl"]) != "" { // Gemini CLI has url for SSE
			stated = "http"
		}
	}
	return registry.TransportFor(stated, command, at)
}

// commandOf returns the command of an entry, and the object that contains its variables and the arguments that are not
// in line. line has arguments only if the entry has a single list of the command and its arguments.
func (e *textEntry) commandOf(entry map[string]any) (line []string, source map[string]any) {
	source = entry
	var command any
	for _, key := range programs {
		if command == nil {
			command = entry[key]
		}
	}
	if nested, ok := command.(map[string]any); ok { // older versions of Zed
		source, command = nested, nested["path"]
	}
	if program := text(command); program != "" {
		return []string{program}, source
	}
	return e.words(command, "command"), source
}

// local makes e a stdio server. line and source are the results of commandOf for the entry.
func (e *textEntry) local(entry map[string]any, line []string, source map[string]any) {
	e.Server.Transport = "stdio"
	arguments := source["args"]
	if arguments == nil {
		arguments = source["arguments"]
	}
	switch given := arguments.(type) {
	case nil:
	case string:
		more, _ := split(given)
		line = append(line, more...)
	case []any:
		line = append(line, e.words(given, "args")...)
	default:
		e.Problem = "args is not a list"
	}
	if len(line) == 1 && strings.ContainsAny(line[0], " \t\n") && !absolute.MatchString(line[0]) {
		line, _ = split(line[0])
	}
	if len(line) > 0 {
		e.Server.Command, e.Server.Args = line[0], line[1:]
	}
	e.Server.Dir = first(entry, []string{"cwd", "working_directory", "workingDirectory"})
	e.variables(source)
	if strings.TrimSpace(e.Server.Command) == "" {
		e.Server.Command, e.Problem = "", missingCommand(entry)
	}
}

// absolute matches an absolute path, in which a space does not separate words.
var absolute = lazyregexp.New(`^["']?([A-Za-z]:)?[\\/]`)

func (e *textEntry) variables(entry map[string]any) {
	for _, key := range []string{"env", "envs", "environment"} {
		if e.Server.Env = e.texts(entry[key], key); e.Server.Env != nil {
			return
		}
	}
}

func missingCommand(entry map[string]any) string {
	switch kind := text(entry["type"]); {
	case entry["settings"] != nil || text(entry["source"]) == "extension":
		return "an extension of Zed starts this server; there is no command to import"
	case kind == "builtin" || kind == "platform" || kind == "frontend":
		return "it is built into its client; there is no command to import"
	}
	return "it has neither a command nor a URL"
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// scalar returns a string, number or boolean as text.
func scalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// words returns the items of a list of texts. It adds a note for each other item, and if value is not a list. what names
// the list in the notes.
func (e *textEntry) words(value any, what string) []string {
	list, is := value.([]any)
	if !is && value != nil {
		e.Notes = append(e.Notes, "“"+what+"” is not a list and is left out")
	}
	var out []string
	for n, item := range list {
		if s, ok := scalar(item); ok {
			out = append(out, s)
		} else {
			e.Notes = append(e.Notes, fmt.Sprintf("“%s[%d]” is not a string and is left out", what, n))
		}
	}
	return out
}

// texts reads names with their values, from {"A": "b"} or ["A=b"].
func (e *textEntry) texts(value any, what string) map[string]string {
	out := make(map[string]string)
	members, isMap := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if s, ok := scalar(members[name]); ok {
			out[name] = s
		} else {
			e.Notes = append(e.Notes, "“"+what+"."+shown(name)+"” is not a string and is left out")
		}
	}
	if !isMap {
		for _, line := range e.words(value, what) {
			name, given, _ := strings.Cut(line, "=")
			out[name] = given
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
