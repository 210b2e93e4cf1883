package catalog

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// unusual lists definitions for which the quick functions and encoding/json might
// differ.
var unusual = []string{
	`{"name":"a","title":"T","description":"d","inputSchema":{"type":"object","properties":{"p":{"description":"q"},"r":{}}}}`,
	" {\t\"name\" : \"a\" ,\r\n\"inputSchema\" : { \"properties\" : { \"p\" : { \"description\" : \"q\" } } } } ",
	`{"name":"a\"b\\","description":"line\nnext \u00e9 \ud83d\ude00","title":"\\\""}`,
	`{"n\u0061me":"a"}`, `{"Name":"a"}`, `{"name":"a","NAME":"b"}`, `{"name":"a","name":"b"}`, `{"name":"a","name":1}`,
	`{"name":1}`, `{"name":null}`, `{"name":""}`, `{}`, `[]`, `null`, `"name"`, ``, `{`, `{"name"`, `{"name":`, `{"name":"a"`,
	`{"name":"a",}`, `{"name":"a"} x`, `{"name":"a"}}`, `{"name":"a","title":1,"description":{"a":["}"]}}`,
	`{"other":{"name":"no"},"name":"a","list":[{"name":"no"},"]}"]}`,
	`{"name":"a","inputSchema":true}`, `{"name":"a","inputSchema":null}`, `{"name":"a","inputSchema":{"properties":[]}}`,
	`{"name":"a","inputSchema":{"properties":null}}`, `{"name":"a","inputschema":{"properties":{"p":{}}}}`,
	`{"name":"a","inputSchema":{"properties":{"p":{"description":1},"q":true,"r":null,"s":[],"t":"text","u":{"DESCRIPTION":"d"}}}}`,
	`{"name":"a","inputSchema":{"properties":{"p":{"description":"one"},"p":{"description":"two"}}}}`,
	`{"name":"a","inputSchema":{"properties":{"p":{"description":"one"}},"properties":{"q":{}}}}`,
	`{"name":"a","inputSchema":{"properties":{"p\u0041":{"description":"\u0041","description":"two"}}}}`,
	`{"name":"a","inputSchema":{"properties":{"p":{"items":{"properties":{"no":{"description":"no"}}},"description":"yes"}}}}`,
	`{"name":"a","inputSchema":{"properties":{"":{"description":""}}}}`,
	"{\"name\":\"\xff\",\"description\":\"\xc3\",\"inputSchema\":{\"properties\":{\"\xff\":{\"description\":\"\xff\"}}}}",
	`{"name":"a","inputSchema":{"properties":{` + strings.Repeat(`"p":{},`, 70) + `"q":{}}}}`,
	"{\"name\":\"a\",\"de\u017fcription\":\"b\"}",
}

func TestRestoreAgreesWithEncodingJSON(t *testing.T) {
	for _, definition := range unusual {
		readsAlike(t, []byte(definition))
	}
}

func FuzzRestore(f *testing.F) {
	for _, definition := range unusual {
		f.Add([]byte(definition))
	}
	f.Fuzz(func(t *testing.T, definition []byte) {
		if !json.Valid(definition) { // only valid JSON is stored
			_, _ = Restore("s", definition, "h", 1) // must not panic for a damaged database
			return
		}
		readsAlike(t, definition)
	})
}

// readsAlike compares the results of the quick functions with those of
// encoding/json.
func readsAlike(t *testing.T, definition []byte) {
	t.Helper()
	want, known := read("s", definition, "h", 1)
	got, ok := Restore("s", definition, "h", 1)
	if ok != known {
		t.Fatalf("%s is a tool: %t, and restored: %t", definition, known, ok)
	}
	if !known {
		return
	}
	if got.Name != want.Name || got.Title != want.Title || got.Description != want.Description {
		t.Errorf("%s was restored as %q, not %q", definition, []string{got.Name, got.Title, got.Description},
			[]string{want.Name, want.Title, want.Description})
	}
	one, other := make(map[string]string), make(map[string]string)
	got.EachParameter(func(name, description string) {
		if _, twice := one[name]; twice {
			t.Errorf("EachParameter repeats %q of %s", name, definition)
		}
		one[name] = description
	})
	want.eachParameter(func(name, description string) { other[name] = description })
	if !maps.Equal(one, other) {
		t.Errorf("the parameters of %s are %q, not %q", definition, one, other)
	}
}
