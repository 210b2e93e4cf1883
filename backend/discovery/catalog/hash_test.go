package catalog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// irregular are unusual definitions, whose canonical form must be the one that encoding/json yields.
var irregular = []string{
	`{"name":"a"}`, `{}`, `[]`, `null`, `"x"`, `{"name":"a","name":"b"}`, `{"n\u0061me":"a"}`, `{"name":"a\u0041<>&\u2028é\ud800\/"}`,
	`{"title":"t","name":"a","annotations":{},"inputSchema":{"b":[],"a":[1.0,-0,1E+5,12345678901234567890,true,false,null,"",[{}]],"":0}}`,
	` { "title" : "t" , "name" : "a" , "_meta" : { "x" : 1 } , "inputSchema" : { "z" : { "y" : [ 1 , 2 ] } , "a" : "\n" } } `,
	"{\"name\":\"\xff\"}", "{\"n\xc3\xa9\":1,\"name\":\"a\"}", `{"name":"a","inputSchema":{"a":1,"a":2}}`, `{"Name":"a","TITLE":1}`,
	"{\"name\":\"\x7f\"}", `{"name":"\b\f\n\r\t\"\\\/\u0008 — é €    "}`, `{"name":`,
}

func TestHashesAreTheSameWithAndWithoutDecoding(t *testing.T) {
	quick := 0
	check := func(definition []byte) {
		t.Helper()
		if !jsonscan.Valid(definition) {
			return
		}
		for _, server := range []string{"", "github", "a<b\"é"} {
			got, ok := quickCanonical(server, definition)
			if ok {
				quick++
			}
			if want := slowCanonical(server, definition); ok && string(got) != string(want) {
				t.Fatalf("%s:\ngot  %s\nwant %s", definition, got, want)
			}
		}
	}
	for _, definition := range irregular {
		check([]byte(definition))
	}
	if quick < 15 {
		t.Errorf("only %d definitions were not decoded", quick)
	}
	for _, definition := range published(t) {
		check(definition)
	}
}

// published returns the tool definitions of published servers, or nil if the reference data is not installed.
func published(t testing.TB) (all []json.RawMessage) {
	t.Helper()
	folder, ok := reference.Find("catalog")
	if !ok {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.json")) // cannot fail: the pattern is valid
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var server struct{ Tools []json.RawMessage }
		if json.Unmarshal(data, &server) == nil {
			all = append(all, server.Tools...)
		}
	}
	return all
}

func quickCanonical(server string, definition []byte) (_ []byte, ok bool) {
	var c canonicalizer
	ok = c.whole(server, definition)
	return c.out, ok
}

func FuzzCanonical(f *testing.F) {
	for _, definition := range irregular {
		f.Add("s", []byte(definition))
	}
	f.Fuzz(func(t *testing.T, server string, definition []byte) {
		if !jsonscan.Valid(definition) {
			return
		}
		if got, ok := quickCanonical(server, definition); ok && string(got) != string(slowCanonical(server, definition)) {
			t.Errorf("got  %s\nwant %s", got, slowCanonical(server, definition))
		}
	})
}

// generated returns definitions as large as those of published servers are on average.
func generated(n int) []json.RawMessage {
	out := make([]json.RawMessage, n)
	for i := range out {
		properties := ""
		for p := range 12 {
			properties += fmt.Sprintf(
				`,"field_%d":{"type":"string","description":"What the field %d of the tool %d means, with \"quotes\" and a few words more.","enum":["a","b"]}`,
				p, p, i,
			)
		}
		out[i] = fmt.Appendf(nil,
			`{"name":"tool_%d","description":"Does one thing.","inputSchema":{"type":"object","properties":{%s},"required":["field_1"]}}`,
			i, properties[1:])
	}
	return out
}

func BenchmarkHash(b *testing.B) {
	definitions := generated(10_000)
	for b.Loop() {
		for _, d := range definitions {
			hashOf("server", d)
		}
	}
}
