package configedit

import (
	"fmt"
	"strings"
	"testing"
)

// large returns a text with many entries, each with extra bytes of other data.
func large(f Format, entries, extra int) (string, Place) {
	var b strings.Builder
	switch f {
	case TOML:
		for i := range entries {
			fmt.Fprintf(&b, "[mcp_servers.s%d]\ncommand = \"npx\" # %d\nargs = [\"-y\", \"x\"]\n\n[mcp_servers.s%d.env]\nA = \"%s\"\n\n",
				i, i, i, strings.Repeat("x", extra))
		}
		return b.String(), placeOf(TOML, "mcp_servers")
	case YAML:
		b.WriteString("extensions:\n")
		for i := range entries {
			fmt.Fprintf(&b, "  s%d:\n    command: npx # %d\n    args: [-y, x]\n    env:\n      A: %s\n", i, i, strings.Repeat("x", extra+1))
		}
		return b.String(), placeOf(YAML, "extensions")
	}
	b.WriteString("{\n  \"history\": [\n")
	for i := range entries {
		fmt.Fprintf(&b, "    {\"at\": %d, \"text\": \"%s \\\"q\\\"\"},\n", i, strings.Repeat("x", extra))
	}
	b.WriteString("    null\n  ],\n  \"mcpServers\": {\n")
	for i := range entries {
		fmt.Fprintf(&b, "    \"s%d\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": {\"A\": \"%d\"}},\n", i, i)
	}
	b.WriteString("    \"last\": {}\n  }\n}\n")
	return b.String(), placeOf(JSON, "mcpServers")
}

func BenchmarkPut(b *testing.B) {
	for _, c := range []struct {
		name           string
		format         Format
		entries, extra int
	}{
		{"small JSON", JSON, 5, 20},
		{"small TOML", TOML, 5, 20},
		{"small YAML", YAML, 5, 20},
		{"10,000 JSON entries", JSON, 10_000, 20},
		{"10,000 TOML entries", TOML, 10_000, 20},
		{"10,000 YAML entries", YAML, 10_000, 20},
		{"5 MB of JSON", JSON, 40, 120_000},
		{"5 MB of JSON, 20,000 entries", JSON, 20_000, 150},
	} {
		text, p := large(c.format, c.entries, c.extra)
		entry := discoverEntry(p)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Put([]byte(text), p, "discover", entry); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+", removed", func(b *testing.B) {
			for b.Loop() {
				if _, err := Remove([]byte(text), p, "s3"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
