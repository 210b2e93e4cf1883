package jsonrpc

import (
	"encoding/json"
	"iter"
)

// Items yields the raw elements of an array in order; none when raw is not an
// array. As with Get, raw must be valid JSON.
func Items(raw json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '[' {
			return
		}
		for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != ']'; i = skipSpace(raw, i+1) {
			end := passValue(raw, i)
			if end < 0 || !yield(raw[i:end:end]) {
				return
			}
			if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ',' {
				return
			}
		}
	}
}
