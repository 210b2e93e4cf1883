package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestParseReturnsErrorCodes(t *testing.T) {
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

func TestErrorsOfThePeerKeepTheirBytes(t *testing.T) {
	raw := json.RawMessage(`{"code":-7,"message":"no","data":{"n":9007199254740993},"extra":[1]}`)
	if got := AppendResponse(nil, json.RawMessage("3"), nil, ParseError(raw)); !bytes.Contains(got, raw) {
		t.Errorf("got %s, want it to hold %s", got, raw)
	}
}

func TestARedactedErrorIsACopyWithoutSecrets(t *testing.T) {
	raw := json.RawMessage(`{"code":-7,"message":"no hunter2","data":{"by":"hunter2"},"extra":[1]}`)
	e := ParseError(raw)
	if e.Redacted() != e {
		t.Error("an error without a function has a copy")
	}
	e.Redact(func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") })
	if got := string(e.Redacted().Raw()); got != `{"code":-7,"message":"no [redacted]","data":{"by":"[redacted]"}}` {
		t.Errorf("got %s", got)
	}
	if got := e.Raw(); !bytes.Equal(got, raw) {
		t.Errorf("the error itself has become %s", got)
	}
	e.Redact(func(string) string { return "[redacted]" })
	if got := string(e.Redacted().Raw()); got != `{"code":-7,"message":"[redacted]"}` {
		t.Errorf("data that is no longer JSON: got %s", got)
	}
}

func TestPartsOfALongLineMakeUpTheLine(t *testing.T) {
	for _, size := range []int{0, 10, long, long + 7} {
		id, body := json.RawMessage(`"x"`), Quote(strings.Repeat("y", size))
		if got, want := bytes.Join(requestParts(id, "m", body, nil), nil), AppendRequest(nil, id, "m", body); !bytes.Equal(got, want) {
			t.Errorf("a request with %d bytes begins %.60s, want %.60s", size, got, want)
		}
		if got, want := bytes.Join(ResponseParts(id, body, nil), nil), AppendResponse(nil, id, body, nil); !bytes.Equal(got, want) {
			t.Errorf("a response with %d bytes begins %.60s, want %.60s", size, got, want)
		}
	}
}
