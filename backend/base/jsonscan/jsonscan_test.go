package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// samples are texts that scanners often get wrong: escapes, numbers, strings that end
// near a multiple of eight bytes, nesting, and bytes that are not UTF-8.
var samples = []string{
	``, ` `, `{}`, `[]`, `null`, `true`, `tru`, `0`, `-0`, `01`, `1.`, `1.5e+7`, `1e`, `-`, `9007199254740993`,
	`"abc"`, `"abcdefg\"hij"`, `"12345678"`, `"1234567\\"`, `"\u00e9\ud83d"`, `"\u00g0"`, "\"\t\"", "\"\x7f\"", `"é"`, "\"\xff\"",
	`{"a":1,"a":2}`, `{"a":[1,{"b":null}],"c":"x"}`, `{"a":1,}`, `{a:1}`, `[1,]`, `[1 2]`, "{\"a\" :\t1 }\n", `{"\u0069d":7}`,
	`{"a":"` + strings.Repeat("x", 17) + `\n"}`, strings.Repeat("[", 300) + strings.Repeat("]", 300),
	"{\"a\":\"\x01\"}", `"unterminated`, `"\`, `{"a":1}{`, "\x00", `{"a":1]`, `[1}`, `{"a"}`, `{"a":}`, `[,]`, `{"a\\":"b\\\"","c":[]} `,
	`["\b\f\n\r\t\/\\\"", "\u005c", "\\u005c"]`,
}

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range samples {
		check(t, []byte(s))
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(check)
}

// check compares what every function returns for data with encoding/json. For
// text that is not valid it only checks that nothing panics.
func check(t *testing.T, data []byte) {
	want := json.Valid(data) && utf8.Valid(data)
	if got := Valid(data); got != want {
		t.Fatalf("Valid(%q) = %v, want %v", data, got, want)
	}
	stepped := step(data, 0)
	if !want {
		return
	}
	if Space(data, max(stepped, 0)) != len(data) {
		t.Fatalf("the cursors end %q at %d", data, stepped)
	}
	var s string
	if got, ok := String(bytes.TrimSpace(data)); ok != (json.Unmarshal(data, &s) == nil && bytes.ContainsRune(data, '"')) ||
		ok && got != s {
		t.Fatalf("String(%q) = %q, %v, want %q", data, got, ok, s)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || object == nil {
		return
	}
	walked, stepping := make(map[string]string), make(map[string]string)
	Walk(data, func(name []byte, start, end int) { walked[string(name)] = string(data[start:end]) })
	for o := Members(data, 0); o.Next(); {
		name, ok := String(o.Quoted())
		if !ok || !o.Named(name) || o.Named(name+"x") {
			t.Fatalf("the name %q of %q is decoded as %q, %v", o.Name(), data, name, ok)
		}
		stepping[name] = string(o.Value())
	}
	for name, value := range object {
		if walked[name] != string(value) || stepping[name] != string(value) {
			t.Fatalf("member %q of %q: Walk %q, Members %q, want %q", name, data, walked[name], stepping[name], value)
		}
	}
	if len(walked) != len(object) || len(stepping) != len(object) {
		t.Fatalf("members of %q: Walk %q, Members %q, want %q", data, walked, stepping, object)
	}
}

// step steps through all nested values and returns where the first one ends.
func step(data []byte, at int) int {
	at = Space(data, at)
	if at >= len(data) || at > 300 { // bounds the recursion
		return End(data, at)
	}
	switch data[at] {
	case '{':
		o := Members(data, at)
		for o.Next() {
			_, _ = o.Named("a"), o.Value()
			o.SetEnd(step(data, o.Start()))
		}
		return o.Close()
	case '[':
		a := Elements(data, at)
		for a.Next() {
			_ = a.Value()
			a.SetEnd(step(data, a.Start()))
		}
		return a.Close()
	}
	return End(data, at)
}

func TestNestingIsBounded(t *testing.T) {
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false} {
		for _, brackets := range []string{"[]", `{"a":0}`} {
			opening, closing, _ := strings.Cut(brackets, "0")
			if closing == "" {
				opening, closing = "[", "]"
			}
			text := strings.Repeat(opening, depth) + "0" + strings.Repeat(closing, depth)
			if got := Valid([]byte(text)); got != want {
				t.Errorf("%d times %s: Valid is %v, want %v", depth, brackets, got, want)
			}
		}
	}
}

func TestElementsAreThoseOfTheArray(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
		end  int
	}{
		{` [ 1 , "a]" ,[ 2 ], {"b":3} ] `, []string{`1`, `"a]"`, `[ 2 ]`, `{"b":3}`}, 29},
		{`[]`, nil, 2},
		{`{}`, nil, -1},
		{`7`, nil, -1},
		{``, nil, -1},
		{`[1,]`, []string{`1`, ``}, -1},
		{`[1`, []string{`1`}, -1},
		{`["a`, []string{``}, -1},
	} {
		var got []string
		a := Elements([]byte(test.in), 0)
		for a.Next() {
			got = append(got, string(a.Value()))
		}
		if strings.Join(got, "|") != strings.Join(test.want, "|") || len(got) != len(test.want) || a.Close() != test.end {
			t.Errorf("%s: %q, end %d; want %q, %d", test.in, got, a.Close(), test.want, test.end)
		}
	}
}

func TestStringReplacesWhatIsNotUnicode(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud83d\ude42 \ud83d"`: "🙂 \uFFFD",
		"\"a\xff\xfeb\"":        "a\uFFFD\uFFFDb",
	} {
		if got, ok := String([]byte(in)); !ok || got != want {
			t.Errorf("String(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{``, `"`, `a`, `7`, `"a`, `"a"b"`, "\"\n\"", `"\x"`, `"\"`, `null`} {
		if got, ok := String([]byte(in)); ok {
			t.Errorf("String(%q) = %q, want none", in, got)
		}
	}
}

func TestScanningDoesNotAllocate(t *testing.T) {
	data := []byte(`{"id":7,"method":"tools/call","params":{"name":"a","arguments":{"text":"b\n","list":[1,2.5,null]}}}`)
	members := 0
	visit := func(name []byte, start, end int) { members++ }
	if n := testing.AllocsPerRun(100, func() {
		if !Walk(data, visit) {
			t.Error("not valid")
		}
		for o := Members(data, 0); o.Next(); {
			if o.Named("params") && o.Value() == nil {
				t.Error("no value")
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkScan(b *testing.B) {
	element := `{"name":"read_file","description":"Reads a file.\nReturns its text.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`
	data := []byte(`{"tools":[` + strings.Repeat(element+",", 200) + element + `]}`)
	b.Run("Valid", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if !Valid(data) {
				b.Fatal("not valid")
			}
		}
	})
	b.Run("Members", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			o := Members(data, 0)
			for o.Next() {
			}
			if o.Close() != len(data) {
				b.Fatal("not valid")
			}
		}
	})
}
