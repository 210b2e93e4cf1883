package mcpversion

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// own is metadata as this program sends it.
var own = Meta{
	ProtocolVersion: "2026-07-28", ClientInfo: json.RawMessage(`{"name":"hub","version":"1"}`),
	ClientCapabilities: json.RawMessage(`{"elicitation":{}}`), LogLevel: "debug",
}

const ownMembers = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"hub","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/logLevel":"debug"`

func TestStampReplacesTheNamesOfTheLastHop(t *testing.T) {
	for _, test := range []struct{ params, modern, legacy string }{
		{``, `{"_meta":{` + ownMembers + `}}`, ``},
		{`{}`, `{"_meta":{` + ownMembers + `}}`, `{}`},
		{`{ "n" : 1.0 , "_meta" : { } }`, `{ "n" : 1.0 , "_meta" : {` + ownMembers + `} }`, `{ "n" : 1.0 , "_meta" : { } }`},
		{
			`{"_meta":{"progressToken" : 7,"io.modelcontextprotocol/protocolVersion":"2025-11-25","traceparent":"00-1"}, "n":9007199254740993}`,
			`{"_meta":{"progressToken" : 7,"traceparent":"00-1",` + ownMembers + `}, "n":9007199254740993}`,
			`{"_meta":{"progressToken" : 7,"traceparent":"00-1"}, "n":9007199254740993}`,
		},
		{
			`{"a":1,"_meta":{"io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/later":1},"b":2}`,
			`{"a":1,"_meta":{` + ownMembers + `},"b":2}`, `{"a":1,"b":2}`,
		},
		{
			`{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"},"x/y":1,"io.modelcontextprotocol/subscriptionId":1}}`,
			`{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"},"x/y":1,` + ownMembers + `}}`,
			`{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"},"x/y":1}}`,
		},
		{
			`{"_meta":{"io.modelcontextprotocol\/protocolVersion":"x"},"arguments":{"_meta":{"io.modelcontextprotocol/clientInfo":1}}}`,
			`{"_meta":{` + ownMembers + `},"arguments":{"_meta":{"io.modelcontextprotocol/clientInfo":1}}}`,
			`{"arguments":{"_meta":{"io.modelcontextprotocol/clientInfo":1}}}`,
		},
		{`{"_meta":null}`, `{"_meta":{` + ownMembers + `}}`, `{}`},
	} {
		if got := string(own.Stamp(json.RawMessage(test.params))); got != test.modern {
			t.Errorf("modern %s\ngot  %s\nwant %s", test.params, got, test.modern)
		}
		if got := string(Meta{}.Stamp(json.RawMessage(test.params))); got != test.legacy {
			t.Errorf("legacy %s\ngot  %s\nwant %s", test.params, got, test.legacy)
		}
	}
}

func TestStampedParamsAreReadByTheSDKAndByUs(t *testing.T) {
	stamped := own.Stamp(json.RawMessage(`{"name":"x","_meta":{"progressToken":"p"}}`))
	var params mcp.CallToolParams
	if err := json.Unmarshal(stamped, &params); err != nil || params.Meta[mcp.MetaKeyProtocolVersion] != "2026-07-28" ||
		params.GetProgressToken() != "p" {
		t.Errorf("the SDK reads %s as %+v, %v", stamped, params, err)
	}
	m, err := CheckMeta(stamped)
	if err != nil || m.ProtocolVersion != own.ProtocolVersion || string(m.ClientInfo) != string(own.ClientInfo) ||
		string(m.ClientCapabilities) != string(own.ClientCapabilities) || m.LogLevel != "debug" || string(m.ProgressToken) != `"p"` {
		t.Errorf("%s is read as %+v, %v", stamped, m, err)
	}
	tagged := Meta{SubscriptionID: json.RawMessage(`7`)}.Stamp(nil)
	if got := string(ReadMeta(tagged).SubscriptionID); got != "7" {
		t.Errorf("%s has the subscription id %s", tagged, got)
	}
}

func TestIncompleteMetadataIsAnError(t *testing.T) {
	const version, capabilities = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`,
		`"io.modelcontextprotocol/clientCapabilities":{}`
	for meta, want := range map[string]int64{
		`{` + version + `,` + capabilities + `}`:                                                   0,
		`{` + version + `,` + capabilities + `,"io.modelcontextprotocol/clientInfo":{"name":"x"}}`: 0,
		`{` + version + `,` + capabilities + `,"io.modelcontextprotocol/clientInfo":"x"}`:          -32602,
		`{` + version + `}`:      -32602,
		`{` + capabilities + `}`: -32602,
		`{` + version + `,"io.modelcontextprotocol/clientCapabilities":[]}`:             -32602,
		`{` + capabilities + `,"io.modelcontextprotocol/protocolVersion":1}`:            -32602,
		`{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}`:                      -32022,
		`{"io.modelcontextprotocol/protocolVersion":"",` + capabilities + `}`:           -32022,
		`{"io.modelcontextprotocol/protocolVersion":"2025-11-25",` + capabilities + `}`: -32022,
		`{}`: -32602, `null`: -32602, `[]`: -32602,
	} {
		_, err := CheckMeta(json.RawMessage(`{"_meta":` + meta + `}`))
		if code := codeOf(err); code != want {
			t.Errorf("%s: code %d, want %d", meta, code, want)
		}
	}
	if _, err := CheckMeta(nil); codeOf(err) != -32602 {
		t.Errorf("absent params: %v", err)
	}
}

func codeOf(err *jsonrpc.Error) int64 {
	if err == nil {
		return 0
	}
	return err.Code
}

func TestUnsupportedVersionErrorsListTheSupportedOnes(t *testing.T) {
	for requested, want := range map[string]string{
		"2099-01-01": `2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05`,
		"2025-11-25": `2026-07-28`, // supported, but only after initialize
	} {
		var data mcp.UnsupportedProtocolVersionData
		err := CheckVersion(requested)
		if json.Unmarshal(err.Data, &data) != nil || data.Requested != requested || strings.Join(data.Supported, " ") != want {
			t.Errorf("%s: %s", requested, err.Data)
		}
	}
	if err := CheckVersion("2026-07-28"); err != nil {
		t.Error(err)
	}
}

// members returns the raw values of the members of an object by name. It skips the names
// for which without returns true.
func members(raw json.RawMessage, without func(string) bool) map[string]string {
	out := make(map[string]string)
	jsonrpc.Each(raw, func(key string, value json.RawMessage) {
		if !without(key) {
			out[key] = string(value)
		}
	})
	return out
}

func FuzzStamp(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `{"_meta":{}}`, `{"_meta":[1],"a":1e5}`, `{"_meta":{"io.modelcontextprotocol/logLevel":1},"_meta":{"a":1}}`,
		`{"\u005fmeta":{"io.modelcontextprotocol/clientInfo":{"_meta":{}}, "k":1.0 },"x":"\ud800"}`, `{"_meta":{"a":}`, `{"_meta":{"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		modern, legacy := own.Stamp(data), Meta{}.Stamp(data)
		_, _ = CheckMeta(data)
		Detect("tools/call", data, "")
		if len(data) > 0 && !jsonrpc.Valid(data) {
			return // invalid JSON only must not cause a panic
		}
		if again := own.Stamp(modern); string(again) != string(modern) {
			t.Errorf("stamped twice: %q, once: %q", again, modern)
		}
		if again := (Meta{}).Stamp(legacy); string(again) != string(legacy) {
			t.Errorf("stripped twice: %q, once: %q", again, legacy)
		}
		if back := own.Stamp(legacy); string(members(back, isMeta)["_meta"]) != string(members(modern, isMeta)["_meta"]) {
			t.Errorf("%q and %q differ", back, modern)
		}
		if _, err := CheckMeta(modern); err != nil {
			t.Errorf("%q: %v", modern, err)
		}
		want := members(data, isMeta)
		for _, got := range []json.RawMessage{modern, legacy} {
			if len(got) > 0 && got[0] == '{' && (!jsonrpc.Valid(got) || !maps.Equal(members(got, isMeta), want)) {
				t.Errorf("%q became %q", data, got)
			}
		}
	})
}

func isMeta(key string) bool { return key == "_meta" }
