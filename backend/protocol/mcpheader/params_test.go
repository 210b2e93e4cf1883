package mcpheader

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const schema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"limit":{"x-mcp-header":"Limit","type":"integer"},
	"x-mcp-header":{"type":"string","default":{"x-mcp-header":"data"},"enum":[{"x-mcp-header":"data"}]},
	"options":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry-Run"}}}
}}`

func TestAnnotationsAreReadByPropertiesOnly(t *testing.T) {
	params, err := ReadParams(json.RawMessage(schema))
	if want := "[{Region [region]} {Limit [limit]} {Dry-Run [options dry]}]"; err != nil || fmt.Sprint(params) != want {
		t.Errorf("got %v, %v, want %s", params, err, want)
	}
	nested := `{"properties":{"a":{"properties":{"b":{"properties":{"c":{"properties":{"d":{"type":"string","x-mcp-header":"D"},"e":{"type":"string","x-mcp-header":"E"}}}}}}}}}`
	if params, err := ReadParams(json.RawMessage(nested)); err != nil || fmt.Sprint(params) != "[{D [a b c d]} {E [a b c e]}]" {
		t.Errorf("got %v, %v", params, err)
	}
	for _, raw := range []string{
		``, `{}`, `true`, `null`, `[]`, `{"properties":[]}`, `{"properties":{"a":true}}`,
		`{"const":{"x-mcp-header":1},"examples":[{"x-mcp-header":1}]}`,
	} {
		if params, err := ReadParams(json.RawMessage(raw)); err != nil || len(params) != 0 {
			t.Errorf("%s: %v, %v", raw, params, err)
		}
	}
}

func TestBadAnnotationsAreErrorsAndAreRemoved(t *testing.T) {
	for _, test := range []struct{ raw, message, want string }{
		{`{"x-mcp-header":"A","type":"string"}`, "properties only", `{"type":"string"}`},
		{
			`{"properties":{"a":{"type":"number", "x-mcp-header":"A" }}}`,
			"not string, integer or boolean", `{"properties":{"a":{"type":"number" }}}`,
		},
		{`{"properties":{"a":{"x-mcp-header":"A"}}}`, "not string, integer or boolean", `{"properties":{"a":{}}}`},
		{
			`{"properties":{"a":{"x-mcp-header":"A","type":["string","null"]}}}`,
			"not string, integer or boolean", `{"properties":{"a":{"type":["string","null"]}}}`,
		},
		{`{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, "token", `{"properties":{"a":{"type":"string"}}}`},
		{`{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}`, "token", `{"properties":{"a":{"type":"string"}}}`},
		{`{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB: c"}}}`, "token", `{"properties":{"a":{"type":"string"}}}`},
		{`{"properties":{"a":{"type":"string","x-mcp-header":7}}}`, "token", `{"properties":{"a":{"type":"string"}}}`},
		{
			`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, "the same",
			`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string"}}}`,
		},
		{
			`{"properties":{"a":{"type":"string","x-mcp-header":"a"},"b":{"type":"string","x-mcp-header":"A"}}}`, "the same",
			`{"properties":{"a":{"type":"string","x-mcp-header":"a"},"b":{"type":"string"}}}`,
		},
		{
			`{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}`,
			"properties only", `{"properties":{"a":{"items":{"type":"string"}}}}`,
		},
		{
			`{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`,
			"properties only", `{"anyOf":[{"properties":{"a":{"type":"string"}}}]}`,
		},
		{`{"$defs":{"d":{"type":"string","x-mcp-header":"A"}},"n":1.0}`, "properties only", `{"$defs":{"d":{"type":"string"}},"n":1.0}`},
		{
			`{"additionalProperties":{"x-mcp-header":"A","not":{"x-mcp-header":"B"},"x-mcp-header":"C"},"x-mcp-header":"D"}`,
			"properties only",
			`{"additionalProperties":{"not":{}}}`,
		},
	} {
		_, err := ReadParams(json.RawMessage(test.raw))
		if err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: error %v", test.raw, err)
		}
		got := RemoveBad(json.RawMessage(test.raw))
		if string(got) != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.raw, got, test.want)
		}
		if _, err := ReadParams(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	if got := string(RemoveBad(json.RawMessage(schema))); got != schema {
		t.Errorf("a good schema became %s", got)
	}
}

func TestArgumentsAreRepeatedInHeaders(t *testing.T) {
	params, err := ReadParams(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		`{"region":"eu","limit":5,"options":{"dry":true}}`: "Dry-Run=true Limit=5 Region=eu",
		`{"region":"\u00e9","limit":1e2,"options":{}}`:     "Limit=100 Region==?base64?w6k=?=",
		`{"region":"","limit":-5.0}`:                       "Limit=-5 Region=",
		`{"region":null,"limit":9007199254740991}`:         "Limit=9007199254740991",
		`{"region":1,"options":{"dry":false,"x":{}}}`:      "Dry-Run=false Region=1",
		`{"limit":-0}`:       "Limit=0",
		`{"options":[true]}`: "", `{}`: "", ``: "", `[]`: "",
	} {
		h := http.Header{"Mcp-Param-Old": {"x"}, "mcp-param-region": {"y"}, "Mcp-Name": {"z"}}
		params.Set(h, json.RawMessage(arguments))
		var got []string
		for _, name := range []string{"Dry-Run", "Limit", "Region"} {
			for _, value := range h.Values(ParamPrefix + name) {
				got = append(got, name+"="+value)
			}
		}
		if strings.Join(got, " ") != want || len(h) != len(got)+1 {
			t.Errorf("%s: headers %v, want %s", arguments, h, want)
		}
		if err := params.Check(h, json.RawMessage(arguments)); err != nil {
			t.Errorf("%s: %v refused: %v", arguments, h, err)
		}
	}
}

func TestArgumentsThatDifferFromHeadersAreRefused(t *testing.T) {
	params, err := ReadParams(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arguments string
		h         http.Header
		ok        bool
	}{
		{`{"limit":42}`, http.Header{"Mcp-Param-Limit": {"42.0"}}, true},
		{`{"limit":42.0}`, http.Header{"Mcp-Param-Limit": {"42"}, "Mcp-Param-Unknown": {"x"}}, true},
		{`{"region":"a"}`, http.Header{"Mcp-Param-Region": {"=?base64?YQ==?="}}, true},
		{`{"region":null}`, http.Header{}, true},
		{`{"region":"a"}`, http.Header{}, false},
		{`{"region":"a"}`, http.Header{"Mcp-Param-Region": {"b"}}, false},
		{`{"region":"1"}`, http.Header{"Mcp-Param-Region": {"1.0"}}, false},
		{`{"region":"a"}`, http.Header{"Mcp-Param-Region": {"a", "a"}}, false},
		{`{"region":"a"}`, http.Header{"Mcp-Param-Region": {"=?base64?Y?="}}, false},
		{`{}`, http.Header{"Mcp-Param-Region": {"a"}}, false},
		{`{"region":null}`, http.Header{"Mcp-Param-Region": {""}}, false},
		{`{"region":{}}`, http.Header{}, false},
		{`{"limit":42}`, http.Header{"Mcp-Param-Limit": {"43"}}, false},
		{`{"limit":42}`, http.Header{"Mcp-Param-Limit": {"0x2a"}}, false},
		{`{"limit":42}`, http.Header{"Mcp-Param-Limit": {"042"}}, false},
		{`{"limit":1.5}`, http.Header{"Mcp-Param-Limit": {"1.5"}}, false},
		{`{"limit":9007199254740993}`, http.Header{"Mcp-Param-Limit": {"9007199254740993"}}, false},
		{`{"options":{"dry":true}}`, http.Header{"Mcp-Param-Dry-Run": {"True"}}, false},
	} {
		err := params.Check(test.h, json.RawMessage(test.arguments))
		if (err == nil) != test.ok || err != nil && err.Code != mcpversion.CodeHeaderMismatch {
			t.Errorf("%s with %v: %v", test.arguments, test.h, err)
		}
	}
}

func TestDeepSchemasAreRead(t *testing.T) {
	for _, part := range []string{`{"properties":{"a":`, `{"allOf":[`, `{"not":{"x-mcp-header":1,"not":`} {
		closing := map[byte]string{':': "}}", '[': "]}"}[part[len(part)-1]]
		deep := json.RawMessage(strings.Repeat(part, 4000) + "true" + strings.Repeat(closing, 4000))
		if !jsonrpc.Valid(deep) {
			t.Fatalf("%s: not valid", part)
		}
		clean := RemoveBad(deep)
		if _, err := ReadParams(clean); err != nil {
			t.Error(err)
		}
		if had, left := strings.Count(string(deep), annotation), strings.Count(string(clean), annotation); had-left > maxDepth {
			t.Errorf("%d of %d annotations are removed, from deeper than %d levels", had-left, had, maxDepth)
		}
	}
}

func FuzzParams(f *testing.F) {
	f.Add([]byte(schema), []byte(`{"region":"\ud800","limit":1e2}`))
	f.Add([]byte(`{"x-mcp-header":1,"properties":{"a":{"x-mcp-header":"A","type":"string","x-mcp-header":"B"}},"x-mcp-header":2}`),
		[]byte(`{"a":"x"}`))
	f.Add([]byte(`{"properties":{"a":`), []byte(`{"a":`))
	f.Add([]byte(`{"items":[{"x-mcp-header":"A"}],"properties":{"a":7}}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		clean := RemoveBad(schema)
		params, err := ReadParams(clean)
		if err != nil {
			t.Errorf("%q without bad annotations is %q: %v", schema, clean, err)
		}
		if jsonrpc.Valid(schema) && !jsonrpc.Valid(clean) {
			t.Errorf("%q became %q", schema, clean)
		}
		if all, err := ReadParams(schema); err == nil && (string(clean) != string(schema) || fmt.Sprint(all) != fmt.Sprint(params)) {
			t.Errorf("%q, a good schema, became %q", schema, clean)
		}
		h := make(http.Header)
		params.Set(h, arguments)
		_ = params.Check(h, arguments)
		if !jsonrpc.Valid(arguments) {
			return
		}
		for _, p := range params {
			if _, ok := render(p.in(arguments)); !ok && p.in(arguments) != nil {
				return // a header cannot repeat this argument
			}
		}
		if err := params.Check(h, arguments); err != nil {
			t.Errorf("%q: the headers %v of %q are refused: %v", schema, h, arguments, err)
		}
	})
}
