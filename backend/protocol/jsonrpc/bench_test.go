package jsonrpc

import (
	"bytes"
	"encoding/json"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	for name, size := range map[string]int{"1kB": 1 << 10, "1MB": 1 << 20} {
		line := callOf(size)
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

// BenchmarkMembers measures what the gateway does with the params of a call:
// it reads one member and replaces another.
func BenchmarkMembers(b *testing.B) {
	message, err := Parse(callOf(1 << 10))
	if err != nil {
		b.Fatal(err)
	}
	params, name := Set(message.Params, "name", Quote("server__tool")), Quote("tool")
	b.Run("GetString", func(b *testing.B) {
		for b.Loop() {
			if GetString(params, "name") != "server__tool" {
				b.Fatal("not found")
			}
		}
	})
	b.Run("Set", func(b *testing.B) {
		for b.Loop() {
			if Set(params, "name", name) == nil {
				b.Fatal("not set")
			}
		}
	})
	list := json.RawMessage(`[` + string(bytes.Repeat([]byte(`{"name":"a","inputSchema":{"type":"object"}},`), 100)) + `null]`)
	b.Run("Items", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for range Items(list) {
				n++
			}
			if n != 101 {
				b.Fatal(n)
			}
		}
	})
}

// callOf returns a tools/call request with a text argument of size bytes.
func callOf(size int) []byte {
	text := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog, and then it rests; "), size/64)
	return AppendRequest(nil, []byte("7"), "tools/call", Set(nil, "arguments", Set(nil, "message", Quote(string(text)))))
}
