package importer

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Entry is a server in a text.
type Entry struct {
	Name    string // "" when the text gives none
	Server  table.Server
	Notes   []string // what was left out of it
	Problem string   // why it cannot be used

	// What setup files have besides.
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

// parseText returns the servers in a text that a person copied from somewhere:
// the configuration of a client or part of it, a single entry, a command line or
// an address. Named servers come in the order of their names. It runs nothing.
// The error is a fault.Invalid that shows nothing of the text.
func parseText(text string) ([]Entry, error) {
	text, err := plain(text)
	if err != nil {
		return nil, err
	}
	if address.MatchString(text) {
		return []Entry{remote(text)}, nil
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
		return nil, fault.New(fault.Invalid, "there is no server in the text: nothing in it has a command or a URL")
	}
	if len(found) > maxEntries {
		return nil, fault.New(fault.Invalid, "the text has over %d servers; paste a part of it", maxEntries)
	}
	entries := make([]Entry, len(found))
	for i, f := range found {
		entries[i] = understand(f)
	}
	return entries, nil
}

// plain is a text without what stands around it: a byte order mark, a fence.
func plain(text string) (string, error) {
	switch {
	case len(text) > maxText:
		return "", fault.New(fault.Invalid, "the text is over %d MiB; paste the part with the servers", maxText>>20)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", fault.New(fault.Invalid, "this is no text; is it a file of another kind?")
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if inner := fence.FindStringSubmatch(text); inner != nil {
		text = strings.TrimSpace(inner[1])
	}
	if text == "" {
		return "", fault.New(fault.Invalid, "there is nothing in the text")
	}
	return text, nil
}

// data reads what is JSON, TOML or YAML; isData is false for a text that is
// none of them by its looks.
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

// whole is the key under which a value stands that is no collection of members.
const whole = "whole"

// firstLine returns the first line that is neither empty nor a comment.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") && line != "---" {
			return line
		}
	}
	return ""
}

// parse reads a document as a collection of members.
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
