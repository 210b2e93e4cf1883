package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// samples are where scanners go wrong: escapes, numbers, borders of the
// eight-byte step, nesting, bytes that are no UTF-8.
var samples = []string{
	``, ` `, `{}`, `[]`, `null`, `true`, `tru`, `0`, `-0`, `01`, `1.`, `1.5e+7`, `1e`, `-`, `9007199254740993`,
	`"abc"`, `"abcdefg\"hij"`, `"12345678"`, `"1234567\\"`, `"\u00e9\ud83d"`, `"\u00g0"`, "\"\t\"", "\"\x7f\"", `"é"`, "\"\xff\"",
	`{"a":1,"a":2}`, `{"a":[1,{"b":null}],"c":"x"}`, `{"a":1,}`, `{a:1}`, `[1,]`, `[1 2]`, "{\"a\" :\t1 }\n", `{"\u0069d":7}`,
	`{"a":"` + strings.Repeat("x", 17) + `\n"}`, strings.Repeat("[", 300) + strings.Repeat("]", 300),
	"{\"a\":\"\x01\"}", `"unterminated`, `"\`, `{"a":1}{`, "\x00",
}

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range samples {
		want := json.Valid([]byte(s)) && utf8.ValidString(s)
		if got := Valid([]byte(s)); got != want {
			t.Errorf("Valid(%q) = %v, want %v", s, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := json.Valid(data) && utf8.Valid(data)
		if got := Valid(data); got != want {
			t.Fatalf("Valid(%q) = %v, want %v", data, got, want)
		}
		_, _ = Get(data, "a"), Set(data, "a", nil) // whatever they find, they return
		var object map[string]json.RawMessage
		if !want || json.Unmarshal(data, &object) != nil {
			return
		}
		for key, value := range object {
			if !utf8.ValidString(key) || strings.ContainsRune(key, utf8.RuneError) {
				continue // two keys may have become the same
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

func TestNestingIsBounded(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	if Valid([]byte(deep)) {
		t.Error("a value nested deeper than maxDepth must not be accepted")
	}
}

func TestSetChangesNothingElse(t *testing.T) {
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

func TestParseSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		line string
		code int64
	}{
		{`{"jsonrpc":"2.0"`, -32700},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1}`, -32600},
		{`7`, -32600},
	} {
		_, err := Parse([]byte(test.line))
		rpc, ok := err.(*Error)
		if !ok || rpc.Code != test.code {
			t.Errorf("Parse(%q) = %v, want code %d", test.line, err, test.code)
		}
	}
	m, err := Parse([]byte(`{"method":"tools\u002fcall","params":{"x":1},"id":"a\u0062","jsonrpc":"2.0"}`))
	if err != nil || m.Method != "tools/call" || string(m.ID) != `"a\u0062"` || string(m.Params) != `{"x":1}` || !m.IsRequest() {
		t.Errorf("Parse of a request in another order: %+v, %v", m, err)
	}
}

func TestPeerErrorKeepsItsBytes(t *testing.T) {
	raw := json.RawMessage(`{"code":-7,"message":"no","data":{"n":9007199254740993},"extra":[1]}`)
	if got := AppendResponse(nil, json.RawMessage("3"), nil, ParseError(raw)); !bytes.Contains(got, raw) {
		t.Errorf("got %s, want it to hold %s", got, raw)
	}
}

func TestALongBodyIsTheSameLineInParts(t *testing.T) {
	for _, size := range []int{0, 10, long, long + 7} {
		id, body := json.RawMessage(`"x"`), Quote(strings.Repeat("y", size))
		if got, want := bytes.Join(requestParts(id, "m", body), nil), AppendRequest(nil, id, "m", body); !bytes.Equal(got, want) {
			t.Errorf("a request with %d bytes begins %.60s, want %.60s", size, got, want)
		}
		if got, want := bytes.Join(responseParts(id, body, nil), nil), AppendResponse(nil, id, body, nil); !bytes.Equal(got, want) {
			t.Errorf("a response with %d bytes begins %.60s, want %.60s", size, got, want)
		}
	}
}

func TestDeleteTakesOneMember(t *testing.T) {
	got := string(Delete(json.RawMessage(`{ "a":1, "b" : {"a":2}, "c":[ 3 ],"a":4}`), "a"))
	if want := `{"b":{"a":2},"c":[ 3 ]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(Delete(json.RawMessage(`{"a":1}`), "a")); got != "{}" {
		t.Errorf("got %s", got)
	}
}
