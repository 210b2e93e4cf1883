package jsonrpc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzGetAndSet(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `"a"`, `{"a":1,"a":2}`, `{"a":[1,{"b":null}],"c":"x"}`, "{\"a\" :\t1 }\n", `{"\u0061":7}`, `{"a":1,}`, `{"a":1}{`, `{"a":"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = Get(data, "a"), Set(data, "a", nil) // must not panic for any text
		var object map[string]json.RawMessage
		if !Valid(data) || json.Unmarshal(data, &object) != nil {
			return
		}
		for key, value := range object {
			if !utf8.ValidString(key) || strings.ContainsRune(key, utf8.RuneError) {
				continue // decoding can make two different names equal
			}
			if got := Get(data, key); !bytes.Equal(got, value) {
				t.Fatalf("Get(%q, %q) = %q, want %q", data, key, got, value)
			}
			set := Set(data, key, json.RawMessage(`[7]`))
			if !Valid(set) || string(Get(set, key)) != `[7]` {
				t.Fatalf("Set(%q, %q) = %q", data, key, set)
			}
		}
	})
}

func TestSetKeepsOtherBytes(t *testing.T) {
	for _, test := range []struct{ raw, key, value, want string }{
		{`{ "b" : 9007199254740993 , "name":"x"}`, "name", `"y"`, `{ "b" : 9007199254740993 , "name":"y"}`},
		{`{"a":1}`, "b", `2`, `{"a":1,"b":2}`},
		{`{"a":1 }`, "b", `2`, `{"a":1,"b":2}`},
		{` {} `, "b", `2`, `{"b":2}`},
		{``, "b", `2`, `{"b":2}`},
		{`null`, "b", `2`, `{"b":2}`},
		{`{"a":{"b":1},"b":3}`, "b", `4`, `{"a":{"b":1},"b":4}`},
		{`{"x":"\u00e9"}`, `q"`, `1`, `{"x":"\u00e9","q\"":1}`},
	} {
		if got := string(Set(json.RawMessage(test.raw), test.key, json.RawMessage(test.value))); got != test.want {
			t.Errorf("Set(%s, %s) = %s, want %s", test.raw, test.key, got, test.want)
		}
	}
}

func TestDeleteRemovesOneMember(t *testing.T) {
	got := string(Delete(json.RawMessage(`{ "a":1, "b" : {"a":2}, "c":[ 3 ],"a":4}`), "a"))
	if want := `{"b":{"a":2},"c":[ 3 ]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(Delete(json.RawMessage(`{"a":1}`), "a")); got != "{}" {
		t.Errorf("got %s", got)
	}
}

func TestItemsAreTheRawElements(t *testing.T) {
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
		break // must not panic
	}
}

func FuzzItems(f *testing.F) {
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
			return // if data is not a valid array, Items only has to return
		}
		if !slices.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%s: got %q, want %q", data, got, want)
		}
	})
}
