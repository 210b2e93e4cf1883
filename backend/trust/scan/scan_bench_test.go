package scan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

func BenchmarkTools(b *testing.B) {
	s := Server{Name: "many"}
	list, err := os.ReadFile(reference.Path(b, "trust", "catalog-dev.txt"))
	if err != nil {
		b.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(list)) {
		data, err := os.ReadFile(reference.Path(b, "catalog", filepath.Base(name)))
		if err != nil {
			b.Fatal(err)
		}
		var listed struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(data, &listed); err != nil {
			b.Fatal(err)
		}
		for _, raw := range listed.Tools {
			var tool struct{ Name string }
			_ = json.Unmarshal(raw, &tool)
			s.Items = append(s.Items, Item{Tool, tool.Name, raw})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Scan(s, nil, Options{})
	}
	b.ReportMetric(float64(len(s.Items)), "tools")
}

func BenchmarkResult(b *testing.B) {
	for _, kind := range []struct{ name, text string }{
		{
			"prose", strings.Repeat("The quick brown fox jumps over the lazy dog near the bank, and you can send it a letter if you like. ",
				3000),
		},
		{
			"json",
			strings.Repeat(`{"id": 4711, "title": "Fix the build", "state": "open", "labels": ["bug", "ci"], "url": "https://example.com/issues/4711"}, `,
				3000),
		},
	} {
		b.Run(kind.name, func(b *testing.B) {
			text := kind.text[:longestResult]
			for b.Loop() {
				Text(text)
			}
		})
	}
}

func BenchmarkCredentials(b *testing.B) {
	data := []byte(
		strings.Repeat(`{"title": "Fix the build", "token_count": 12, "url": "https://example.com/issues/4711", "author": "someone"}, `,
			200)[:10<<10],
	)
	for b.Loop() {
		Credentials(data)
	}
}
