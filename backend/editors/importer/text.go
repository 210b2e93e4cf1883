package importer

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// textEntry is a server found in a text.
type textEntry struct {
	Name    string // "" when the text contains no name
	Server  table.Server
	Notes   []string // what was left out of the server
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
	address    = regexp.MustCompile(`^https?://\S+$`)
	fence      = regexp.MustCompile("(?s)^```[^\n`]*\n(.*?)\n?```$")
	tomlHeader = regexp.MustCompile(`^\[+\s*[\w."' -]+\s*\]+\s*(#.*)?$`)
	tomlValue  = regexp.MustCompile(`^[\w."'-]+\s*=\s`)
	yamlKey    = regexp.MustCompile(`^(- +)?["']?[\w.@/-]+["']?:(\s|$)`)
)

// parseText returns the servers in a pasted text: the configuration of a
// client or a part of it, a single entry, command lines, or a URL. Servers
// with names are sorted by name. The error is a fault.Invalid that does not
// quote the text.
func parseText(text string) ([]textEntry, error) {
	text, err := plain(text)
	if err != nil {
		return nil, err
	}
	if address.MatchString(text) {
		return []textEntry{remote(text)}, nil
	}
	value, isData, err := data(text)
	if !isData {
		return commands(text)
	}
	if err != nil {
		return nil, err
	}
	found := serversIn(value, 0)
	if len(found) == 0 {
		return nil, fault.New(fault.Invalid, "the text contains no server: nothing in it has a command or a URL")
	}
	if len(found) > maxEntries {
		return nil, fault.New(fault.Invalid, "the text contains more than %d servers; paste a part of it", maxEntries)
	}
	entries := make([]textEntry, len(found))
	for i, f := range found {
		entries[i] = understand(f)
	}
	return entries, nil
}

// plain removes a byte order mark and a Markdown fence from a text.
func plain(text string) (string, error) {
	switch {
	case len(text) > maxText:
		return "", fault.New(fault.Invalid, "the text is larger than %d MiB; paste only the servers", maxText>>20)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", fault.New(fault.Invalid, "the text is not valid UTF-8; paste the text of a configuration file")
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if inner := fence.FindStringSubmatch(text); inner != nil {
		text = strings.TrimSpace(inner[1])
	}
	if text == "" {
		return "", fault.New(fault.Invalid, "the text is empty")
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

// whole is the key under which a text that is not an object is put into an
// object, because configedit reads only objects.
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

// parse returns the members of a document.
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
