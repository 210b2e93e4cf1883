package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// configuration returns JSON to paste into the MCP configuration of an editor. home is the data folder, or "" for the
// default one. The text is ASCII, because the clipboard program of Windows damages other characters.
func configuration(program, home string) string {
	type entry struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}
	discover := entry{Command: program, Args: []string{"mcp"}}
	if home != "" {
		discover.Env = map[string]string{"AGENT_DISCOVER_HOME": home}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(map[string]any{"mcpServers": map[string]entry{"discover": discover}}) // encoding these types cannot fail
	return ascii(out.String())
}

// ascii escapes the non-ASCII characters of a JSON text. In JSON, they can occur only in strings.
func ascii(text string) string {
	var out bytes.Buffer
	for _, r := range text {
		if r < utf8.RuneSelf {
			out.WriteByte(byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}
