// Package answer makes the responses that an MCP client gets from the hub: results whose text a model reads, results
// with isError, and JSON-RPC errors. One table maps each kind of fault to its response.
package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Encode returns JSON in which <, > and & are not escaped, so that models read
// it more easily.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Text returns the result of a tool call with one text block, which contains reply as write encodes it.
func Text(reply any, write func(any) (string, error)) (json.RawMessage, error) {
	text, err := write(reply)
	if err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	return Encode(map[string]any{"content": []map[string]string{{"type": "text", "text": text}}})
}

// Indented encodes a reply as JSON with an indentation of two spaces. It can be the argument write of Text.
func Indented(reply any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(reply)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// Error returns the result of a tool call that has failed. A model can read its text. near has the names that may be
// meant instead of an unknown one, for programs.
func Error(text string, near ...string) (json.RawMessage, error) {
	failed := map[string]any{
		"content": []map[string]string{{"type": "text", "text": text}},
		"isError": true,
	}
	if len(near) > 0 {
		failed["did_you_mean"] = near
	}
	return Encode(failed)
}

// List returns the result of a list request: an object whose only member has the name member and contains the
// definitions.
func List(member string, definitions []json.RawMessage) json.RawMessage {
	return slices.Concat(json.RawMessage(`{"`+member+`":`), jsonrpc.Array(definitions), json.RawMessage("}"))
}
