package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// configuration is what a person pastes into the MCP configuration of an editor;
// home is the data folder when it is not the usual one. It is ASCII, which every
// clipboard can hold.
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
	_ = encoder.Encode(map[string]any{"mcpServers": map[string]entry{"discover": discover}}) // strings and maps of them
	return ascii(out.String())
}

// ascii writes what is not ASCII in a JSON text as escapes; it can only stand in
// strings.
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
