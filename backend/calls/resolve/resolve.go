// Package resolve finds the tool that a name from a model, a person or a file means. Packages call and rules decide
// whether the tool may be called.
package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacheck"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Tool is the tool that a name means.
type Tool struct {
	Server string
	Name   string        // as the tool appears to the caller, or as the caller wrote it if the tool is not known
	Known  *catalog.Tool // nil if no tool list contains the tool; then its server may be asked for its list again
}

// Key returns the key of the tool, with the name that its server lists.
func (t Tool) Key() catalog.Key {
	if t.Known != nil {
		return t.Known.Key()
	}
	return catalog.Key{Server: t.Server, Tool: t.Name}
}

// Scope holds the servers and tools that one caller can name.
type Scope struct {
	Servers interface {
		Get(name string) (registry.Server, error)
	}
	View *rules.View
	// Usable reports whether a tool may be named without its server. If Usable is nil, every tool may.
	Usable func(*catalog.Tool) bool
	// Short returns the tool that a client was shown under a shortened name, or nil if there is no such tool. Short
	// itself may be nil.
	Short func(name string) *catalog.Tool
	// Near returns the names of tools that a caller may have meant by name, an unknown name without a server. It may
	// be nil.
	Near func(name string) []string
}

// Tool returns the tool that a name means: mcp__SERVER__TOOL, SERVER__TOOL, SERVER.TOOL, a shortened name, or TOOL
// alone if only one usable tool has it. server is the server that the caller named separately, or empty. A tool of
// a configured server may be unknown; then Known is nil.
//
// If several tools have the name, the error is a fault.Invalid with fault.CodeAmbiguous. If no tool has it, the
// error is a fault.NotFound. Both errors suggest tools.
func (s Scope) Tool(server, name string) (Tool, error) {
	switch {
	case name == "":
		return Tool{}, fault.New(fault.Invalid, "the name of a tool is required: SERVER__TOOL, or TOOL if only one server has it")
	case server != "":
		return s.of(server, name)
	}
	full := strings.TrimPrefix(name, "mcp__")
	ways := s.ways(full)
	for _, way := range ways {
		if way.Known != nil {
			return way, nil
		}
	}
	if t := s.short(full); t != nil {
		return Tool{t.Server, t.Name, t}, nil
	}
	// If the name begins with a configured server, this server does not list the tool. Take SERVER__TOOL as a
	// tool of the server, and also SERVER.TOOL if no tools of the server are known. Otherwise, SERVER.TOOL may be
	// the whole name of a tool of another server.
	if len(ways) > 0 && (strings.HasPrefix(full, ways[0].Server+"__") || len(s.View.Of(ways[0].Server)) == 0) {
		return ways[0], nil
	}
	same := s.named(name)
	switch {
	case len(same) == 1:
		return Tool{same[0].Server, same[0].Name, same[0]}, nil
	case len(same) > 1:
		return Tool{}, s.ambiguous(name, same)
	case len(ways) > 0:
		return ways[0], nil
	}
	return Tool{}, s.Unknown(name)
}

// Listed returns the tool that a client was shown under a name: SERVER__TOOL, mcp__SERVER__TOOL or a shortened name. It
// returns false if the name has none of these forms. If the view has no such tool of the server, Known is nil.
func (s Scope) Listed(name string) (Tool, bool) {
	name = strings.TrimPrefix(name, "mcp__")
	ways := s.split(name, "__")
	for _, way := range ways {
		if way.Known != nil {
			return way, true
		}
	}
	if t := s.short(name); t != nil {
		return Tool{t.Server, t.Name, t}, true
	}
	if len(ways) == 0 {
		return Tool{}, false
	}
	return ways[0], true
}

// of returns the tool of a server that name means; name may begin with the server's name. If the server does not
// list the tool, Known is nil. If name means a known tool of another server, of returns an error.
func (s Scope) of(server, name string) (Tool, error) {
	if t, known := s.View.Lookup(server, name); known {
		return Tool{server, t.Name, t}, nil
	}
	full := strings.TrimPrefix(name, "mcp__")
	for _, way := range s.ways(full) {
		switch {
		case way.Server == server:
			return way, nil
		case way.Known != nil:
			return Tool{}, &fault.Error{
				Kind: fault.NotFound, Code: fault.CodeUnknownTool, DidYouMean: []string{way.Known.CallAs()},
				Message: fmt.Sprintf("%s is a tool of server %q, not of %q", way.Known.Proxied(), way.Server, server),
			}
		}
	}
	return Tool{Server: server, Name: name}, nil
}

// ways returns all readings of a name as a configured server and a tool. A reading whose tool is known comes first.
func (s Scope) ways(name string) []Tool {
	ways := append(s.split(name, "__"), s.split(name, ".")...)
	for i, way := range ways {
		if way.Known != nil {
			ways[0], ways[i] = way, ways[0]
			break
		}
	}
	return ways
}

// split returns the readings of a name as a configured server and a tool with a separator between them.
func (s Scope) split(name, separator string) (ways []Tool) {
	exists := func(server string) bool {
		_, err := s.Servers.Get(server)
		return err == nil
	}
	for _, way := range Split(name, separator, exists) {
		if way.Name == "" {
			continue
		}
		if t, known := s.View.Lookup(way.Server, way.Name); known {
			way.Name, way.Known = t.Name, t
		}
		ways = append(ways, way)
	}
	return ways
}

// Split returns the readings of a name as a server that exists and a tool or prompt with a separator between them, the
// longest server name first. The name of the tool or prompt may be empty. Known is nil in all readings.
func Split(name, separator string, exists func(server string) bool) (ways []Tool) {
	for at := len(name) - len(separator); at > 0; at-- { // separators may overlap, as in one___tool
		if strings.HasPrefix(name[at:], separator) && exists(name[:at]) {
			ways = append(ways, Tool{Server: name[:at], Name: name[at+len(separator):]})
		}
	}
	return ways
}

// Among returns the tool among tools that a full name means: mcp__SERVER__TOOL, SERVER__TOOL or SERVER.TOOL. The tools
// need not exist: a toolset keeps the tools of a server that was removed.
func Among(tools []catalog.Key, name string) (tool catalog.Key, ok bool) {
	name = strings.TrimPrefix(name, "mcp__")
	exists := func(server string) bool {
		return slices.ContainsFunc(tools, func(t catalog.Key) bool { return t.Server == server })
	}
	for _, way := range append(Split(name, "__", exists), Split(name, ".", exists)...) {
		if slices.Contains(tools, way.Key()) {
			return way.Key(), true
		}
	}
	return catalog.Key{}, false
}

func (s Scope) short(name string) *catalog.Tool {
	if s.Short == nil {
		return nil
	}
	return s.Short(name)
}

func (s Scope) named(name string) (same []*catalog.Tool) {
	for _, t := range s.View.Named(name) {
		if s.Usable == nil || s.Usable(t) {
			same = append(same, t)
		}
	}
	return same
}

func (s Scope) ambiguous(name string, same []*catalog.Tool) error {
	names := make([]string, len(same))
	for i, t := range same {
		names[i] = t.CallAs()
	}
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.CodeAmbiguous, DidYouMean: names,
		Message: fmt.Sprintf("%d servers have a tool %s; use one of %s", len(same), quote(name), strings.Join(names, ", ")),
	}
}

// Unknown returns the error for a name that no tool has. Its fault.DidYouMean has the tools that may be meant.
func (s Scope) Unknown(name string) error {
	var near []string
	if s.Near != nil {
		bare := Bare(name)
		if ways := s.ways(strings.TrimPrefix(name, "mcp__")); len(ways) > 0 {
			bare = ways[0].Name
		}
		near = s.Near(bare)
	}
	return suggesting(fault.CodeUnknownTool, near, "there is no tool "+quote(name))
}

// Unlisted returns the error for a tool or prompt that a server does not list. what is "tool" or "prompt". near has the
// names that may be meant. asking is the error of asking the server for its list again, or nil.
func Unlisted(server, what, name string, near []string, asking error) *fault.Error {
	text := fmt.Sprintf("server %q has no %s %q", server, what, name)
	if asking != nil {
		text += ", and could not be asked again: " + fault.MessageOf(asking)
	}
	return suggesting(fault.CodeUnlisted, near, text)
}

// Fits returns an error that says how the arguments of a call violate the schema of the tool, and how to correct them. how
// says where the caller finds the schema. It is for callers that are models; a server judges the calls of all others.
func Fits(t *catalog.Tool, arguments json.RawMessage, how string) error {
	wrong := schemacheck.Check(t.InputSchema(), arguments)
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "the arguments do not fit %s, which was not called: %s. Correct them and call it again; %s.",
		t.Proxied(), strings.Join(wrong, "; "), how)
}

func suggesting(code string, near []string, text string) *fault.Error {
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return &fault.Error{Kind: fault.NotFound, Code: code, DidYouMean: near, Message: text}
}

// Bare returns a name of the form SERVER__TOOL without its server, even if there is no such server.
func Bare(name string) string {
	if at := strings.LastIndex(name, "__"); at >= 0 {
		return name[at+len("__"):]
	}
	return name
}

func quote(name string) string { return `"` + safetext.Clip(name, 100) + `"` }
