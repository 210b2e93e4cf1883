package configedit

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// yamlFields writes the fields of a mapping, each on a new line.
func yamlFields(b *strings.Builder, indent, unit string, o Object) {
	for _, f := range o {
		b.WriteString(indent + yamlString(f.Key) + ":" + yamlValue(indent, unit, f.Value) + "\n")
	}
}

// yamlValue returns the text after the colon of a key.
func yamlValue(indent, unit string, v any) string {
	o, ok := v.(Object)
	if !ok || len(o) == 0 {
		return " " + yamlFlow(v)
	}
	var b strings.Builder
	b.WriteByte('\n')
	yamlFields(&b, indent+unit, unit, o)
	return strings.TrimSuffix(b.String(), "\n")
}

// yamlItem returns an item of a list, with the indentation before its dash.
func yamlItem(indent, unit string, o Object) string {
	if len(o) == 0 {
		return indent + "- {}\n"
	}
	var b strings.Builder
	yamlFields(&b, indent+"  ", unit, o)
	return indent + "- " + b.String()[len(indent)+2:]
}

// yamlFlow returns a value on one line, in flow style.
func yamlFlow(v any) string {
	if n, ok := number(v); ok {
		return n
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return yamlString(v)
	case []string:
		return yamlFlow(list(v))
	case []any:
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = yamlFlow(e)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case Object:
		texts := make([]string, len(v))
		for i, f := range v {
			texts[i] = yamlString(f.Key) + ": " + yamlFlow(f.Value)
		}
		return "{" + strings.Join(texts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

var (
	yamlPlain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9/_.@+-]*$`)
	yamlWords = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)
)

// yamlString returns the notation of a string. It quotes a string that a reader of any YAML version
// could take for another type.
func yamlString(s string) string {
	if yamlPlain.MatchString(s) && !yamlWords.MatchString(s) {
		if n := (yaml.Node{Kind: yaml.ScalarNode, Value: s}); n.ShortTag() == "!!str" {
			return s
		}
	}
	single := true
	for _, c := range s {
		single = single && c != '\'' && (c == ' ' || unicode.IsPrint(c)) && c != '\uFEFF'
	}
	if single {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == ' ' || unicode.IsPrint(c) && c != '\uFEFF':
			b.WriteRune(c)
		case c > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, c)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
