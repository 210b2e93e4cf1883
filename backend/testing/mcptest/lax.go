package mcptest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// With the flag -lax, a server carries out requests for any name, like real servers that do not compare names with
// their lists.

var laxTools = map[string]struct {
	description, schema string
	do                  func(*call)
}{
	"grow": {
		"Add a tool with a name and a text, and say that the list has changed",
		`{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name"]}`, (*call).grow,
	},
	"shrink": {
		"Remove the tool with a name, and say that the list has changed",
		`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, (*call).shrink,
	},
	"ran":   {"List what was carried out under names that no list has", noArguments, func(c *call) { c.text(c.server.noted()) }},
	"asked": {"Count how often the tools were listed", noArguments, func(c *call) { c.text(fmt.Sprint(c.server.times())) }},
}

// runAny answers a call of any tool, and records a call of a tool that the server does not list.
func (c *call) runAny(name string) {
	if known, ok := laxTools[name]; ok {
		known.do(c)
		return
	}
	if !c.server.lists(name) {
		c.server.keepRun("tool " + name)
	}
	c.text("ran " + quote(name))
}

func (c *call) shrink() {
	c.server.mu.Lock()
	c.server.definitions = slices.DeleteFunc(slices.Clone(c.server.definitions), func(d json.RawMessage) bool {
		return nameOf(d) == c.Name
	})
	c.server.mu.Unlock()
	if !c.server.silent {
		c.server.notify("notifications/tools/list_changed", "{}")
	}
	c.text("done")
}

// offerAny answers requests for prompts and resources under any name. It returns false for other methods.
func (s *server) offerAny(m message) bool {
	var params struct{ URI, Name string }
	_ = json.Unmarshal(m.Params, &params) // missing params stay empty
	switch m.Method {
	case "prompts/list":
		s.result(m.ID, `{"prompts":`+listOf(s.prompts)+`}`)
	case "resources/list":
		s.result(m.ID, `{"resources":`+listOf(s.resources)+`}`)
	case "resources/templates/list":
		s.result(m.ID, `{"resourceTemplates":`+listOf(s.templates)+`}`)
	case "prompts/get":
		if !slices.ContainsFunc(s.prompts, func(d json.RawMessage) bool { return nameOf(d) == params.Name }) {
			s.keepRun("prompt " + params.Name)
		}
		s.result(m.ID, `{"messages":[{"role":"user","content":{"type":"text","text":`+quote("got "+params.Name)+`}}]}`)
	case "resources/read":
		s.result(m.ID, `{"contents":[{"uri":`+quote(params.URI)+`,"text":`+quote("read "+params.URI)+`}]}`)
	default:
		return false
	}
	return true
}

func listOf(definitions []json.RawMessage) string {
	texts := make([]string, len(definitions))
	for i, d := range definitions {
		texts[i] = string(d)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

func (s *server) keepRun(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = append(s.ran, quote(what))
}

// noted returns the requests that keepRun has recorded, as JSON.
func (s *server) noted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "[" + strings.Join(s.ran, ",") + "]"
}

// times returns how often the tools were listed.
func (s *server) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listings
}
