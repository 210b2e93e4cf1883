// Package catalog answers which tools are known, running server or not. Tools
// enter it when a server lists them and stay after it stops. Readers work on
// immutable snapshots; a change swaps the whole.
package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Tool is one tool of one server. It is immutable.
type Tool struct {
	ID          int64 // for clients that know tools by number; stays with the name
	Server      string
	Name        string
	Title       string
	Description string
	// Definition is the tool as the server listed it, byte for byte.
	Definition json.RawMessage
	// Hash changes when anything changes that a model or a person relies on:
	// see HashOf.
	Hash string
	// Tokens is what the definition costs in a context (o200k_base); 0 until counted.
	Tokens int
}

// Key names a tool among all tools.
type Key struct{ Server, Tool string }

// Key returns the tool's key.
func (t *Tool) Key() Key { return Key{t.Server, t.Name} }

// Proxied is the name under which a session lists the tool.
func (t *Tool) Proxied() string { return t.Server + "__" + t.Name }

// CallAs is the name by which find_tool refers to the tool.
func (t *Tool) CallAs() string { return "mcp__" + t.Proxied() }

// Summary is the first sentence of the description, at most 120 characters.
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

// InputSchema returns the schema of the tool's arguments, nil when it has none.
func (t *Tool) InputSchema() json.RawMessage {
	var def struct {
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	_ = json.Unmarshal(t.Definition, &def) // checked when the tool was made
	return def.InputSchema
}

// NewTool reads a definition; false when it is no object with a name.
func NewTool(server string, definition json.RawMessage) (*Tool, bool) {
	return read(server, bytes.Clone(definition), HashOf(server, definition), 0)
}

// Restore makes a tool of what was stored of it, by NewTool's measure. The
// definition is the tool's from now on.
func Restore(server string, definition json.RawMessage, hash string, tokens int) (*Tool, bool) {
	var values [3][]byte
	if whole(definition, members(definition, space(definition, 0), []string{"name", "title", "description"}, values[:])) {
		if name, ok := text(values[0]); ok && name != "" {
			title, _ := text(values[1])
			description, _ := text(values[2])
			return newTool(server, name, title, description, definition, hash, tokens), true
		}
	}
	return read(server, definition, hash, tokens)
}

// read makes a tool of any definition.
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

// hashed are the members of a definition that a hash covers.
var hashed = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"}

// HashOf returns the SHA-256 of a definition in hexadecimal, over canonical
// JSON (keys sorted, numbers as written) of the server's name and of the
// members that a caller relies on. Members that a server varies freely, such
// as _meta, do not count.
func HashOf(server string, definition json.RawMessage) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(definition, &all)
	covered := map[string]any{"server": server}
	for _, name := range hashed {
		if raw, ok := all[name]; ok {
			covered[name] = canonical(raw)
		}
	}
	data, _ := json.Marshal(covered) // maps are written with sorted keys
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func canonical(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value)
	return value
}
