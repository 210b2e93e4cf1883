package jsonrpc

import (
	"bytes"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	for name, size := range map[string]int{"1kB": 1 << 10, "1MB": 1 << 20} {
		text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog, and then it rests; "), size/64)
		line := AppendRequest(nil, []byte("7"), "tools/call", Set(nil, "arguments", Set(nil, "message", Quote(string(text)))))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if _, err := Parse(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
