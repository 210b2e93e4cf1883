// Package catalog records which tools the configured servers offer, including
// servers that are not running: a server's tools are stored when it lists them
// and remain after it stops. Readers use immutable snapshots, which a change
// replaces as a whole. Package upstream obtains the lists; package search ranks
// the tools.
package catalog

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// Tool is a tool of a server, as the server listed it or as the user's rules change it. It is immutable.
type Tool struct {
	ID     int64 // number by which some clients refer to the tool; it stays the same while the server lists the name
	Server string
	Name   string
	// Own is the name that the server lists for the tool if the user has renamed it;
	// otherwise empty.
	Own         string
	Title       string
	Description string
	// Definition is the JSON object that the server listed, byte for byte unless the gate or a
	// rule of the user changed it.
	Definition json.RawMessage
	// Hash changes when the definition changes in a part that a model or a person
	// relies on; see hashOf.
	Hash string
	// Tokens is the size of the definition in a model's context (o200k_base); 0
	// until it has been counted.
	Tokens int
}

// Key identifies a tool among the tools of all servers.
type Key struct{ Server, Tool string }

// Key returns the tool's key, which contains the name that the server lists.
func (t *Tool) Key() Key { return Key{t.Server, t.OwnName()} }

// OwnName returns the name that the server lists for the tool.
func (t *Tool) OwnName() string {
	if t.Own != "" {
		return t.Own
	}
	return t.Name
}

// Proxied returns the name under which sessions list the tool.
func (t *Tool) Proxied() string { return t.Server + "__" + t.Name }

// CallAs returns the name by which find_tool refers to the tool.
func (t *Tool) CallAs() string { return "mcp__" + t.Proxied() }

// Summary returns the first sentence of the description, cut to 120 characters.
func (t *Tool) Summary() string {
	const limit = 120
	text := strings.Join(strings.Fields(t.Description), " ")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i+1]
	}
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit-1]
	cut := strings.TrimRight(string(runes), " ,;:")
	return cut + "…"
}

// InputSchema returns the JSON schema of the tool's arguments, or nil.
func (t *Tool) InputSchema() json.RawMessage {
	var def struct {
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	_ = json.Unmarshal(t.Definition, &def) // NewTool and Restore have checked the definition
	return def.InputSchema
}

// Qualified returns the name of the server and the tool as "server.tool".
func (t *Tool) Qualified() string { return t.Server + "." + t.Name }

// NewTool returns the tool that a definition describes, and false if the
// definition is not an object with a name. It copies the definition.
func NewTool(server string, definition json.RawMessage) (*Tool, bool) {
	if !jsonscan.Valid(definition) { // it may still be JSON that is not UTF-8
		return read(server, bytes.Clone(definition), hexOf(slowCanonical(server, definition)), 0)
	}
	return Restore(server, bytes.Clone(definition), hashOf(server, definition), 0)
}

// Restore returns a tool from its stored parts, and false if the definition is not an
// object with a name. It takes ownership of definition.
func Restore(server string, definition json.RawMessage, hash string, tokens int) (*Tool, bool) {
	var values [3][]byte
	if isWhole(definition, members(definition, 0, []string{"name", "title", "description"}, values[:])) {
		if name, ok := jsonscan.String(values[0]); ok && name != "" {
			title, _ := jsonscan.String(values[1])
			description, _ := jsonscan.String(values[2])
			return newTool(server, name, title, description, definition, hash, tokens), true
		}
	}
	return read(server, definition, hash, tokens)
}

// read decodes a definition with encoding/json. It returns false if the definition
// is not an object with a name.
func read(server string, definition json.RawMessage, hash string, tokens int) (*Tool, bool) {
	var def struct {
		Name        string `json:"name"`
		Title       any    `json:"title"`
		Description any    `json:"description"`
	}
	if json.Unmarshal(definition, &def) != nil || def.Name == "" {
		return nil, false
	}
	title, _ := def.Title.(string)
	description, _ := def.Description.(string)
	return newTool(server, def.Name, title, description, definition, hash, tokens), true
}

func newTool(server, name, title, description string, definition json.RawMessage, hash string, tokens int) *Tool {
	return &Tool{
		Server: server, Name: name, Title: title, Description: description,
		Definition: definition, Hash: hash, Tokens: tokens,
	}
}
