package configedit

import (
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// checkTOMLWritable returns an error for null, which TOML cannot express.
func checkTOMLWritable(v any) error {
	switch v := v.(type) {
	case nil:
		return fault.New(fault.Invalid, "TOML cannot express the value null")
	case []any:
		for _, e := range v {
			if err := checkTOMLWritable(e); err != nil {
				return err
			}
		}
	case Object:
		for _, f := range v {
			if err := checkTOMLWritable(f.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// tomlSection writes a table under its header.
func tomlSection(b *strings.Builder, path []string, list bool, o Object) {
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = tomlKey(key)
	}
	open, end := "[", "]"
	if list {
		open, end = "[[", "]]"
	}
	b.WriteString(open + strings.Join(keys, ".") + end + "\n")
	tomlBody(b, path, o, "")
}

// tomlBody writes the fields of a table: values first, then subtables.
func tomlBody(b *strings.Builder, path []string, o Object, prefix string) {
	for _, f := range o {
		if _, table := f.Value.(Object); !table {
			b.WriteString(prefix + tomlKey(f.Key) + " = " + tomlText(f.Value) + "\n")
		}
	}
	for _, f := range o {
		if table, ok := f.Value.(Object); ok {
			b.WriteByte('\n')
			tomlSection(b, append(path[:len(path):len(path)], f.Key), false, table)
		}
	}
}

func tomlKey(key string) string {
	for _, c := range key {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", c) {
			return tomlString(key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

// tomlText writes a value on one line.
func tomlText(v any) string {
	if n, ok := number(v); ok {
		return n
	}
	switch v := v.(type) {
	case string:
		return tomlString(v)
	case []string:
		return tomlText(list(v))
	case []any:
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = tomlText(e)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case Object:
		texts := make([]string, len(v))
		for i, f := range v {
			texts[i] = tomlKey(f.Key) + " = " + tomlText(f.Value)
		}
		if len(v) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(texts, ", ") + " }"
	}
	return fmt.Sprint(v)
}

// tomlString returns a string in double quotes, with escapes.
func tomlString(s string) string {
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
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
