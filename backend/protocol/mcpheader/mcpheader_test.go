package mcpheader

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const version = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`

func TestOnlyUnsafeValuesAreEncoded(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "us-west1": "us-west1", "a b~!": "a b~!", "file:///a%20b": "file:///a%20b",
		" a": "=?base64?IGE=?=", "a ": "=?base64?YSA=?=", "é": "=?base64?w6k=?=", "a\nb": "=?base64?YQpi?=", "a\tb": "=?base64?YQli?=",
		"\x7f": "=?base64?fw==?=", "\xff": "=?base64?/w==?=", "=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?x": "=?base64?x",
	} {
		if got := encode(text); got != want {
			t.Errorf("Encode(%q) = %q, want %q", text, got, want)
		}
	}
	for value, want := range map[string]string{
		"=?base64??=": "", "=?BASE64?YQ==?=": "=?BASE64?YQ==?=", "=?base64?=": "=?base64?=", "a?=": "a?=", "=?base64?YQ==": "=?base64?YQ==",
	} {
		if got, ok := decode(value); !ok || got != want {
			t.Errorf("Decode(%q) = %q, %v, want %q", value, got, ok, want)
		}
	}
	if got, ok := decode("=?base64?YQ?="); ok {
		t.Errorf("bad base64 is read as %q", got)
	}
}

func FuzzDecodeUndoesEncode(f *testing.F) {
	for _, s := range []string{"", "a", " a", "é\n", "=?base64?x?=", "=?base64?=", "=?base64??=", "\xff\x00", "a\tb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		value := encode(s)
		if got, ok := decode(value); !ok || got != s {
			t.Errorf("%q is encoded as %q, which is decoded as %q, %v", s, value, got, ok)
		}
		if strings.Trim(value, " ") != value || strings.ContainsFunc(value, func(c rune) bool { return c < 0x20 || c > 0x7e }) {
			t.Errorf("%q is encoded as %q", s, value)
		}
		_, _ = decode(s)
	})
}

func TestMethodsWithAName(t *testing.T) {
	const params = `{"name":"n","uri":"u","taskId":"t"}`
	for method, want := range map[string]string{
		"tools/call": "n", "prompts/get": "n", "resources/read": "u", "tasks/get": "t", "tasks/update": "t", "tasks/cancel": "t",
		"tools/list": "", "resources/subscribe": "", "completion/complete": "", "server/discover": "",
	} {
		if got, ok := nameOf(method, json.RawMessage(params)); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", method, got, ok, want)
		}
	}
	for _, params := range []string{``, `{}`, `{"name":1}`, `{"name":null}`} {
		if got, ok := nameOf("tools/call", json.RawMessage(params)); ok {
			t.Errorf("%s: %q", params, got)
		}
	}
}

func TestHeadersThatAreSetPassTheCheck(t *testing.T) {
	for _, test := range []struct{ method, params, name string }{
		{"tools/call", `{"name":"über",` + version + `}`, "=?base64?w7xiZXI=?="},
		{"resources/read", `{"uri":"file:///a b",` + version + `}`, "file:///a b"},
		{"tools/call", `{"name":"",` + version + `}`, ""},
		{"tools/list", `{` + version + `}`, "-"},
		{"notifications/cancelled", `{"requestId":1}`, "-"},
	} {
		h := http.Header{Name: {"old"}, Version: {"2026-07-28"}}
		Set(h, test.method, json.RawMessage(test.params))
		if err := Check(h, test.method, json.RawMessage(test.params)); err != nil {
			t.Errorf("%s: %v refused: %v", test.params, h, err)
		}
		got := "-"
		if values := h.Values(Name); len(values) == 1 {
			got = values[0]
		}
		if got != test.name || h.Get(Version) != "2026-07-28" || h.Get(Method) != test.method {
			t.Errorf("%s: headers %v", test.params, h)
		}
	}
}

func TestHeadersThatDifferFromTheBodyAreRefused(t *testing.T) {
	const params = `{"name":"x",` + version + `}`
	good := func() http.Header {
		return http.Header{Version: {"2026-07-28"}, Method: {"tools/call"}, Name: {"x"}, "Other": {"a", "b"}}
	}
	for what, change := range map[string]func(http.Header){
		"no version":         func(h http.Header) { h.Del("MCP-Protocol-Version") },
		"another version":    func(h http.Header) { h.Set("mcp-protocol-version", "2025-11-25") },
		"no method":          func(h http.Header) { h.Del(Method) },
		"another method":     func(h http.Header) { h.Set(Method, "tools/list") },
		"no name":            func(h http.Header) { h.Del(Name) },
		"another name":       func(h http.Header) { h.Set(Name, "y") },
		"a name in capitals": func(h http.Header) { h.Set(Name, "X") },
		"two names":          func(h http.Header) { h.Add(Name, "x") },
		"two versions":       func(h http.Header) { h.Add(Version, "2026-07-28") },
		"bad base64":         func(h http.Header) { h.Set(Name, "=?base64?x?=") },
		"an encoded other":   func(h http.Header) { h.Set(Name, "=?base64?eQ==?=") },
	} {
		h := good()
		change(h)
		if err := Check(h, "tools/call", json.RawMessage(params)); err == nil || err.Code != mcpversion.CodeHeaderMismatch {
			t.Errorf("%s: %v", what, err)
		}
	}
	h := good()
	h.Set(Name, "=?base64?eA==?=") // x may be encoded, although it need not be
	for _, h := range []http.Header{good(), h} {
		if err := Check(h, "tools/call", json.RawMessage(params)); err != nil {
			t.Error(err)
		}
	}
	if err := Check(good(), "tools/call", json.RawMessage(`{"name":"x"}`)); err != nil {
		t.Errorf("a missing version in the body is not the headers' fault: %v", err)
	}
}
