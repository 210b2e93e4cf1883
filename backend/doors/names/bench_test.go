package names

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// large returns a tool result of one megabyte of text that ends with the given content block.
func large(block string) []byte {
	line := `{\"path\": \"file:///srv/data\", \"note\": \"ui://a/x\"}\n`
	return []byte(`{"content":[{"type":"text","text":"` + strings.Repeat(line, 1<<20/len(line)) + `"},` + block + `],"isError":false}`)
}

func BenchmarkOutgoing(b *testing.B) {
	plain := large(`{"type":"text","text":"end"}`)
	linked := large(`{"type":"resource_link","uri":"file:///a","name":"a"}`)
	if !bytes.Equal(Outgoing("gh", "tools/call", plain), plain) || bytes.Equal(Outgoing("gh", "tools/call", linked), linked) {
		b.Fatal("the results are not what the benchmarks need")
	}
	b.Run("scan only", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		b.ReportAllocs()
		for b.Loop() {
			jsonscan.End(plain, 0)
		}
	})
	b.Run("validation only", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		for b.Loop() {
			jsonscan.Valid(plain)
		}
	})
	for _, row := range []struct {
		name string
		data []byte
	}{{"without names", plain}, {"with one link", linked}} {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(row.data)))
			b.ReportAllocs()
			for b.Loop() {
				Outgoing("gh", "tools/call", row.data)
			}
		})
	}
}
