package jsonrpc

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestItemsAreTheElementsAsTheyWereWritten(t *testing.T) {
	for raw, want := range map[string][]string{
		` [ 1 , "a,]" ,{"x":[1,2]}, [ ] ,null] `: {"1", `"a,]"`, `{"x":[1,2]}`, "[ ]", "null"},
		`[]`:                                     nil, `[ ]`: nil, `{"a":[1]}`: nil, `"[1]"`: nil, ``: nil,
	} {
		var got []string
		for item := range Items(json.RawMessage(raw)) {
			got = append(got, string(item))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
	for range Items(json.RawMessage(`[1,2,3]`)) {
		break // a reader may have enough
	}
}

func FuzzItemsOfAnything(f *testing.F) {
	for _, seed := range []string{`[1,[2],{"a":"]"}]`, `[`, `[1,`, `["`, `[,]`, `[{]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got []json.RawMessage
		for item := range Items(data) {
			got = append(got, item)
		}
		var want []json.RawMessage
		if !Valid(data) || json.Unmarshal(data, &want) != nil || want == nil {
			return // no more is promised than that it ends
		}
		if !slices.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%s: got %q, want %q", data, got, want)
		}
	})
}
