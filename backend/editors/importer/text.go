package importer

import (
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// textEntry is a server found in a text.
type textEntry struct {
	Name    string // "" when the text contains no name
	Server  table.Server
	Notes   []string // warnings about parts of the server that were left out
	entry   any      // the object that describes the server; nil when it was not an object
	Problem string   // why the server cannot be used

	// The following fields exist only in setup files of Agent Discover.
	Description string
	Tags        []string
	Secrets     map[string]string // values by name
}

const (
	maxText    = 1 << 20 // bytes
	maxEntries = 2000
)

var (
	address    = lazyregexp.New(`^https?://\S+$`)
	tomlHeader = lazyregexp.New(`^\[+\s*[\w."' -]+\s*\]+\s*(#.*)?$`)
	tomlValue  = lazyregexp.New(`^[\w."'-]+\s*=\s`)
	yamlKey    = lazyregexp.New(`^(- +)?["']?[\w.@/-]+["']?:(\s|$)`)
)

// parseText returns the servers in a pasted text: the configuration of a
// client or a part of it, a single entry, command lines, commands that add a
// server to a client, install links, a URL, or code blocks with these. Servers
// with names are sorted by name. The error is a fault.Invalid that does not
// quote the text.
func parseText(text string) ([]textEntry, error) {
	text, err := plain(text)
	if err != nil {
		return nil, err
	}
	if inner, only := blocks(text); only {
		if text = inner[0]; text == "" {
			return nil, emptyText()
		}
	} else if len(inner) > 0 {
		return fromBlocks(inner)
	}
	value, isData, err := data(text)
	if !isData || markdownLink.MatchString(text) {
		return commands(text)
	}
	if err != nil {
		return nil, err
	}
	switch entries := entriesOf(value, finder{}); {
	case len(entries) == 0:
		return nil, fault.New(fault.Invalid, "the text contains no server: nothing in it has a command or a URL")
	case len(entries) > maxEntries:
		return nil, tooManyServers()
	default:
		return entries, nil
	}
}

func entriesOf(value any, f finder) []textEntry {
	var entries []textEntry
	for _, found := range f.servers(value, 0) {
		entries = append(entries, understand(found))
	}
	return entries
}

func tooManyServers() error {
	return fault.New(fault.Invalid, "the text contains more than %d servers; paste a part of it", maxEntries)
}

func emptyText() error { return fault.New(fault.Invalid, "the text is empty") }

// plain checks the size and encoding of a text, and removes a byte order mark and surrounding white
// space.
func plain(text string) (string, error) {
	switch {
	case len(text) > maxText:
		return "", fault.New(fault.Invalid, "the text is larger than %d MiB; paste only the servers", maxText>>20)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", fault.New(fault.Invalid, "the text is not valid UTF-8; paste the text of a configuration file")
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if text == "" {
		return "", emptyText()
	}
	return text, nil
}

// data parses JSON, TOML or YAML. isData is false for a text that does not look
// like any of these.
func data(text string) (value any, isData bool, err error) {
	first := firstLine(text)
	switch {
	case tomlHeader.MatchString(first) || tomlValue.MatchString(first):
		if value, err = parse(text, configedit.TOML); err == nil || text[0] != '[' {
			return value, true, err
		}
		if listed, listErr := parse(`{"`+whole+`":`+text+"\n}", configedit.JSON); listErr == nil {
			return member(listed, whole), true, nil
		}
		return value, true, err
	case text[0] == '{' || text[0] == '[' || strings.HasPrefix(first, "{"):
		value, err = parse(`{"`+whole+`":`+text+"\n}", configedit.JSON)
		return member(value, whole), true, err
	case text[0] == '"':
		value, err = parse("{"+text+"\n}", configedit.JSON)
		return value, true, err
	case strings.HasPrefix(text, "- "):
		value, err = parse(whole+":\n  "+strings.ReplaceAll(text, "\n", "\n  ")+"\n", configedit.YAML)
		return member(value, whole), true, err
	case yamlKey.MatchString(first):
		value, err = parse(text+"\n", configedit.YAML)
		return value, true, err
	}
	return nil, false, nil
}

// whole is the key of an object made to contain a text that is not an object itself, because
// configedit reads only objects.
const whole = "whole"

// firstLine returns the first line that is not empty, a comment or a YAML
// document marker.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") && line != "---" {
			return line
		}
	}
	return ""
}

// parse parses a document and returns its members by key.
func parse(text string, format configedit.Format) (any, error) {
	entries, err := configedit.Read([]byte(text), configedit.Place{Format: format})
	if err != nil {
		return nil, err
	}
	members := make(map[string]any, len(entries))
	for _, e := range entries {
		members[e.Name] = e.Value
	}
	return members, nil
}

func member(value any, key string) any {
	members, _ := value.(map[string]any)
	return members[key]
}
