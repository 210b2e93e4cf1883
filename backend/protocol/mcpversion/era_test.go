package mcpversion

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestVersionsAndNamesAreThoseOfTheSDK(t *testing.T) {
	if got, want := Unknown.Versions(), mcp.SupportedProtocolVersions(); !slices.Equal(got, want) {
		t.Errorf("versions %v, want %v", got, want)
	}
	for got, want := range map[any]any{
		KeyProtocolVersion: mcp.MetaKeyProtocolVersion, KeyClientInfo: mcp.MetaKeyClientInfo,
		KeyClientCapabilities: mcp.MetaKeyClientCapabilities, KeyLogLevel: "io.modelcontextprotocol/logLevel",
		KeyServerInfo: mcp.MetaKeyServerInfo, KeySubscriptionID: mcp.MetaKeySubscriptionID,
		CodeHeaderMismatch: mcp.CodeHeaderMismatch, CodeMissingCapabilities: mcp.CodeMissingRequiredClientCapabilities,
		CodeUnsupportedVersion: mcp.CodeUnsupportedProtocolVersion, CodeElicitationRequired: mcp.CodeURLElicitationRequired,
	} {
		if got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestNegotiationAnswersAKnownLegacyVersion(t *testing.T) {
	for asked, want := range map[string]string{
		"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2024-11-05": "2024-11-05",
		"2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "1999-01-01": "2025-11-25", "": "2025-11-25",
	} {
		if got := Negotiate(asked); got != want {
			t.Errorf("Negotiate(%q) = %q, want %q", asked, got, want)
		}
	}
	for version, want := range map[string]Era{"2026-07-28": Modern, "2025-03-26": Legacy, "2026-07-29": Unknown, "": Unknown} {
		if got := Of(version); got != want {
			t.Errorf("Of(%q) = %v, want %v", version, got, want)
		}
	}
}

func TestEraOfARequest(t *testing.T) {
	const modern = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	const unknown = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}`
	for _, test := range []struct {
		what, method, params, header string
		want                         Era
	}{
		{"a legacy header beats _meta", "tools/list", modern, "2025-11-25", Legacy},
		{"a modern header beats initialize", "initialize", `{}`, "2026-07-28", Modern},
		{"a modern header without _meta", "tools/list", ``, "2026-07-28", Modern},
		{"a version in _meta", "tools/list", modern, "", Modern},
		{"an unsupported version in _meta", "tools/list", unknown, "", Modern},
		{"a version in _meta of a wrong type", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}`, "", Modern},
		{"a version in _meta beats initialize", "initialize", modern, "", Modern},
		{"initialize", "initialize", `{"protocolVersion":"2026-07-28"}`, "", Legacy},
		{"initialize with an unsupported header", "initialize", `{}`, "2099-01-01", Legacy},
		{"discover without _meta", "server/discover", ``, "", Modern},
		{"a later header", "tools/list", `{}`, "2099-01-01", Modern},
		{"an older header", "tools/list", `{}`, "1999-01-01", Legacy},
		{"nothing", "tools/list", `{"_meta":{"progressToken":1}}`, "", Unknown},
		{"a notification", "notifications/cancelled", `{"requestId":1}`, "", Unknown},
	} {
		if got := Detect(test.method, json.RawMessage(test.params), test.header); got != test.want {
			t.Errorf("%s: era %v, want %v", test.what, got, test.want)
		}
	}
}

func TestStatusOfCodes(t *testing.T) {
	for code, want := range map[int64]int{
		-32020: 400, -32021: 400, -32022: 400, -32700: 400, -32600: 400, -32601: 404,
		-32602: 200, -32603: 200, -32002: 200, CodeBusy: 200, CodeUnknownOutcome: 200, 1: 200,
	} {
		if got := Status(code); got != want {
			t.Errorf("status of %d is %d (%s), want %d", code, got, http.StatusText(got), want)
		}
	}
	for _, own := range []int64{CodeBusy, CodeUnknownOutcome} {
		if own >= -32768 && own <= -32000 {
			t.Errorf("%d is reserved", own)
		}
	}
}

func TestErrorsGetACodeOfTheClientsEra(t *testing.T) {
	for _, test := range []struct {
		client    Era
		raw, want string
	}{
		{Modern, `{"code":-32002 , "message":"gone","data":{"n":1.0}}`, `{"code":-32602 , "message":"gone","data":{"n":1.0}}`},
		{Modern, `{"code":-32042,"message":"sign in"}`, `{"code":-32603,"message":"sign in"}`},
		{Modern, `{ "code":-32021,"message":"x"}`, `{ "code":-32021,"message":"x"}`},
		{Legacy, `{"code":-32002,"message":"gone"}`, `{"code":-32002,"message":"gone"}`},
		{Legacy, `{"code":-32042,"message":"sign in"}`, `{"code":-32042,"message":"sign in"}`},
		{Legacy, `{"code":-32020,"message":"x"}`, `{"code":-32603,"message":"x"}`},
		{Legacy, `{"code":-32022,"message":"x"}`, `{"code":-32603,"message":"x"}`},
		{Legacy, `{"code":-31002,"message":"x"}`, `{"code":-31002,"message":"x"}`},
	} {
		got := ErrorFor(test.client, jsonrpc.ParseError(json.RawMessage(test.raw)))
		if string(got.Raw()) != test.want {
			t.Errorf("era %v: %s became %s, want %s", test.client, test.raw, got.Raw(), test.want)
		}
		if code := jsonrpc.ParseError(got.Raw()).Code; code != got.Code {
			t.Errorf("%s has the code %d", got.Raw(), got.Code)
		}
	}
	var data mcp.MissingRequiredClientCapabilityData
	err := MissingCapabilities(json.RawMessage(`{"elicitation":{}}`))
	if json.Unmarshal(err.Data, &data) != nil || data.RequiredCapabilities == nil || data.RequiredCapabilities.Elicitation == nil {
		t.Errorf("the SDK does not read %s", err.Data)
	}
}

func TestDiscoverIsReadByTheSDKAndByUs(t *testing.T) {
	hop := Hop{ServerInfo: json.RawMessage(`{"name":"hub","version":"1"}`), TTLMs: 60000, Private: true}
	raw := Discover{Capabilities: json.RawMessage(`{"tools":{"listChanged":true}}`), Instructions: "Say \"hi\"."}.Result(hop)
	var sdk mcp.DiscoverResult
	if err := json.Unmarshal(raw, &sdk); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sdk.SupportedVersions, Unknown.Versions()) || !sdk.Capabilities.Tools.ListChanged ||
		sdk.Instructions != "Say \"hi\"." || sdk.TTLMs != 60000 || sdk.CacheScope != "private" || sdk.Meta[mcp.MetaKeyServerInfo] == nil {
		t.Errorf("the SDK reads %s as %+v", raw, sdk)
	}
	d, err := ReadDiscover(raw)
	if err != nil || !slices.Equal(d.Versions, Unknown.Versions()) || string(d.Capabilities) != `{"tools":{"listChanged":true}}` ||
		d.Instructions != "Say \"hi\"." || string(d.ServerInfo) != string(hop.ServerInfo) {
		t.Errorf("%s is read as %+v, %v", raw, d, err)
	}
	if d.Version(Modern) != "2026-07-28" || d.Version(Legacy) != "2025-11-25" {
		t.Errorf("versions %q and %q", d.Version(Modern), d.Version(Legacy))
	}
	if got := (Discover{Versions: []string{"2099-01-01", "2025-06-18"}}); got.Version(Modern) != "" || got.Version(Legacy) != "2025-06-18" {
		t.Errorf("versions %q and %q", got.Version(Modern), got.Version(Legacy))
	}
}

func TestAWrongDiscoverResultIsAnError(t *testing.T) {
	for _, raw := range []string{
		``, `null`, `[]`, `{}`, `{"supportedVersions":"2026-07-28","capabilities":{}}`, `{"supportedVersions":[],"capabilities":{}}`,
		`{"supportedVersions":[1],"capabilities":{}}`, `{"supportedVersions":["2026-07-28"]}`,
		`{"supportedVersions":["2026-07-28"],"capabilities":[]}`,
		`{"resultType":"input_required","supportedVersions":["2026-07-28"],"capabilities":{}}`,
	} {
		if d, err := ReadDiscover(json.RawMessage(raw)); err == nil {
			t.Errorf("%s is read as %+v", raw, d)
		}
	}
}
