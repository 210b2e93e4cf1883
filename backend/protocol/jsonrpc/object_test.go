package jsonrpc

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzGetAndSet(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `"a"`, `{"a":1,"a":2}`, `{"a":[1,{"b":null}],"c":"x"}`, "{\"a\" :\t1 }\n", `{"\u0061":7}`, `{"a":1,}`,
		`{"a":1}{`, `{"a":"`,
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

func TestDeleteKeepsOtherBytes(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{`{ "a":1, "b" : {"a":2}, "c":[ 3 ],"a":4}`, `{ "b" : {"a":2}, "c":[ 3 ]}`},
		{`{"a":1}`, `{}`},
		{`{ "a":1 , "a":2 }`, `{  }`},
		{` {"b":1 ,"\u0061":2, "c":3}`, ` {"b":1, "c":3}`},
		{`{"\u0062<":1, "a":[]}`, `{"\u0062<":1}`},
		{`{"b": 1 }`, `{"b": 1 }`},
		{`[1]`, `{}`},
		{``, `{}`},
		{`null`, `{}`},
	} {
		if got := string(Delete(json.RawMessage(test.raw), "a")); got != test.want {
			t.Errorf("Delete(%s) = %s, want %s", test.raw, got, test.want)
		}
	}
}

func TestEditAddsMembersAtTheEnd(t *testing.T) {
	drop := func(key []byte) bool { return key[0] == 'x' }
	for _, test := range []struct{ raw, add, want string }{
		{`{"x":1}`, `{"a":1, "b":2}`, `{"a":1, "b":2}`},
		{`{ "k" : 1.0 , "x1":1, "xy":2 } `, `{ "a":1 }`, `{"k" : 1.0,"a":1}`},
		{`{"k":1}`, `{}`, `{"k":1}`},
		{`{"x":1,"k":1}`, `{}`, `{"k":1}`},
		{``, `{"a":1}`, `{"a":1}`},
	} {
		if got := string(Edit(json.RawMessage(test.raw), drop, json.RawMessage(test.add))); got != test.want {
			t.Errorf("Edit(%s, %s) = %s, want %s", test.raw, test.add, got, test.want)
		}
	}
	raw := json.RawMessage(`{ "k" : 1.0 }`)
	if got := Edit(raw, nil, nil); &got[0] != &raw[0] {
		t.Error("an object that does not change is copied")
	}
}

func FuzzEdit(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"a":1,"b":2,"a":3}`, `{ "aa" : [1] , "b":{} , "a":"" }`, `{"a":1,}`, `{"a`, `[{"a":1}]`, `{"\u0061":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		drop := func(key []byte) bool { return bytes.HasPrefix(key, []byte("a")) }
		got := Edit(data, drop, json.RawMessage(`{"z":7}`)) // must not panic for any text
		if !Valid(data) {
			return
		}
		want := make(map[string]string)
		Each(data, func(key string, value json.RawMessage) {
			if !strings.HasPrefix(key, "a") {
				want[key] = string(value)
			}
		})
		want["z"] = "7"
		left := make(map[string]string)
		Each(got, func(key string, value json.RawMessage) { left[key] = string(value) })
		if !Valid(got) || !maps.Equal(left, want) {
			t.Fatalf("Edit(%q) = %q, want the members %q", data, got, want)
		}
	})
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

func TestUnambiguousLeavesOneReadingOfNamedMembers(t *testing.T) {
	for raw, want := range map[string]string{
		`{"name":"a", "arguments":{}, "other":1, "Other":2}`:        `{"name":"a", "arguments":{}, "other":1, "Other":2}`,
		`{"name":"a","name":"b"}`:                                   `{"name":"b"}`,
		`{"Name":"a","name":"b","NAME":"c","arguments":{"Name":1}}`: `{"name":"b","arguments":{"Name":1}}`,
		`{"n\u0061me":"a","name":"b"}`:                              `{"name":"b"}`,
		`{"name":"a","argument\u017f":{"b":1}}`:                     `{"name":"a"}`,
		`{"Arguments":{}}`:                                          `{}`,
		`[1]`:                                                       `[1]`,
	} {
		if got := string(Unambiguous(json.RawMessage(raw), "name", "arguments")); got != want {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
	raw := json.RawMessage(`{"name":"a"}`)
	if got := Unambiguous(raw, "name"); &got[0] != &raw[0] {
		t.Error("a clear object was copied")
	}
}
