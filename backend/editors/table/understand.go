package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Understand reads an entry in the given shape or in any other known shape. It
// ignores unknown fields and keeps references such as ${NAME}. The error is a
// fault.Invalid.
func Understand(shape string, entry any) (Server, error) {
	fields, ok := entry.(map[string]any)
	if !ok {
		return Server{}, fault.New(fault.Invalid, "the entry is not an object")
	}
	if nested, ok := fields["transport"].(map[string]any); ok {
		fields = merge(fields, nested)
	}
	r := reader{fields: fields}
	s := Server{
		Command: r.text("command", "cmd"), URL: r.text("httpUrl", "serverUrl", "url", "uri"),
		Env: r.texts("env", "environment", "envs"), Dir: r.text("cwd", "working_directory"),
		Headers: r.headers(), Disabled: r.off(),
	}
	s.Args = slices.Concat(r.rest, r.list("args"))
	r.passed(&s)
	if shape == "augment-list" { // in this shape, the command contains its arguments
		if words := launch.Words(s.Command + " " + r.text("arguments")); len(words) > 0 {
			s.Command, s.Args = words[0], append(words[1:len(words):len(words)], s.Args...)
		}
	}
	s.Transport = r.transport(shape, s)
	if r.err != nil {
		return Server{}, r.err
	}
	return s, r.check(&s)
}

// merge returns the fields of both objects, except the field transport of outer.
// A field of inner replaces a field of outer with the same name.
func merge(outer, inner map[string]any) map[string]any {
	all := make(map[string]any)
	maps.Copy(all, outer)
	delete(all, "transport")
	maps.Copy(all, inner)
	return all
}

// reader reads the fields of an entry and keeps the first error.
type reader struct {
	fields map[string]any
	rest   []string // arguments, if the command is a list that contains them
	err    error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.Invalid, format, args...)
	}
}

// text returns the text of the first of the given fields that is set. A
// command may also be a list with its arguments, or an object with path, args
// and env.
func (r *reader) text(keys ...string) string {
	for _, key := range keys {
		switch value := r.fields[key].(type) {
		case nil:
		case string:
			return value
		case []any:
			if words := r.words(key, value); len(words) > 0 && key == "command" {
				r.rest = words[1:]
				return words[0]
			}
			r.fail("%s is an empty list", key)
		case map[string]any:
			r.fields = merge(value, r.fields)
			delete(r.fields, key)
			return r.text("path")
		default:
			r.fail("%s is not a string", key)
		}
	}
	return ""
}

func (r *reader) list(key string) []string {
	switch value := r.fields[key].(type) {
	case nil:
	case []any:
		return r.words(key, value)
	default:
		r.fail("%s is not a list", key)
	}
	return nil
}

func (r *reader) words(key string, values []any) []string {
	var words []string
	for _, value := range values {
		word, ok := scalar(value)
		if !ok {
			r.fail("%s contains a value that is not a string", key)
		}
		words = append(words, word)
	}
	return words
}

// texts returns the first of the given fields that is set: an object of names
// and values. Null counts as unset.
func (r *reader) texts(keys ...string) map[string]string {
	for _, key := range keys {
		if r.fields[key] == nil {
			continue
		}
		object, ok := r.fields[key].(map[string]any)
		if !ok {
			r.fail("%s is not an object", key)
			return nil
		}
		var all map[string]string
		for name, value := range object {
			word, ok := scalar(value)
			if !ok && value != nil {
				r.fail("%s contains a value that is not a string", key)
			}
			if ok {
				all = with(all, name, word)
			}
		}
		return all
	}
	return nil
}

func with(all map[string]string, name, value string) map[string]string {
	if all == nil {
		all = map[string]string{}
	}
	all[name] = value
	return all
}

// scalar returns a string, number or boolean as text.
func scalar(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	case bool, int, int64, float64:
		return fmt.Sprint(value), true
	}
	return "", false
}

// headers returns the headers of an entry, or of its requestInit or
// requestOptions, with a reference for each header whose value is in a variable.
func (r *reader) headers() map[string]string {
	all := r.texts("headers", "http_headers")
	for _, outer := range []string{"requestInit", "requestOptions"} {
		if inner, ok := r.fields[outer].(map[string]any); ok && all == nil {
			below := reader{fields: inner}
			all, r.err = below.texts("headers"), or(r.err, below.err)
		}
	}
	for name, variable := range r.texts("env_http_headers") {
		all = with(all, name, "${"+variable+"}")
	}
	if variable := r.text("bearer_token_env_var", "api_key_env"); variable != "" {
		all = with(all, "Authorization", "Bearer ${"+variable+"}")
	}
	return all
}

// passed adds the variables named in env_vars, whose values the editor takes
// from the user's environment.
func (r *reader) passed(s *Server) {
	list, _ := r.fields["env_vars"].([]any) // a list of names, or of objects with a name
	for _, value := range list {
		if object, ok := value.(map[string]any); ok {
			value = object["name"]
		}
		name, _ := value.(string)
		if _, set := s.Env[name]; name != "" && !set {
			s.Env = with(s.Env, name, "${"+name+"}")
		}
	}
}

// off reports whether an entry is marked as disabled.
func (r *reader) off() bool {
	for key, value := range map[string]bool{"disabled": true, "enabled": false, "isActive": false, "active": false} {
		if switched, ok := r.fields[key].(bool); ok && switched == value {
			return true
		}
	}
	return false
}

// transport returns the transport that an entry names or, if it names none,
// the transport that its fields imply.
func (r *reader) transport(shape string, s Server) string {
	kind := r.text("type", "transport")
	stated := kind
	if kind == "" || strings.EqualFold(kind, "remote") {
		stated = cmp.Or(r.kind(shape, s), kind)
	}
	transport, err := registry.TransportFor(stated, s.Command, s.URL)
	if err != nil {
		r.fail("its type is %q, which only the editor itself can run", kind)
	}
	return transport
}

// kind returns the transport of an entry that states no type, or only the type
// "remote": "" if the entry has a command, HTTP if it has an httpUrl, SSE if its
// shape is cline or gemini, and otherwise "". If kind returns "",
// registry.TransportFor derives the transport.
func (r *reader) kind(shape string, s Server) string {
	switch {
	case s.Command != "":
		return ""
	case r.fields["httpUrl"] != nil:
		return http
	case shape == "cline" || shape == "gemini":
		return sse
	}
	return ""
}

// check returns an error if a required field is missing. It clears the fields
// that the transport does not use. A remote server keeps its variables, to which
// its URL and headers may refer.
func (r *reader) check(s *Server) error {
	switch {
	case s.Transport == stdio && s.Command == "", s.Command == "" && s.URL == "":
		if _, own := r.fields["settings"]; own {
			return fault.New(fault.Invalid, "an extension of the editor starts this server; it has no command")
		}
		return fault.New(fault.Invalid, "it has neither a command nor a URL")
	case s.Transport != stdio && s.URL == "":
		return fault.New(fault.Invalid, "it is a remote server without a URL")
	case s.Transport == stdio:
		s.URL, s.Headers = "", nil
	default:
		s.Command, s.Args, s.Dir = "", nil, ""
	}
	return nil
}
