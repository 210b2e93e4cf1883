package inputrequired

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const form = `{"message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"default":1.0}}}}`

func TestAResultKeepsOrderAndBytes(t *testing.T) {
	raw := json.RawMessage(`{"resultType":"input_required","inputRequests":{"b" : {"params":` + form +
		`,"method":"elicitation/create"},"a":{"method":"roots/list"}},"requestState":"\u0061\/"}`)
	r, err := Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Requests) != 2 || r.Requests[0].Key != "b" || r.Requests[0].Method != "elicitation/create" ||
		string(r.Requests[0].Params) != form ||
		r.Requests[1].Key != "a" || r.Requests[1].Method != "roots/list" || r.Requests[1].Params != nil || string(r.State) != `"\u0061\/"` {
		t.Errorf("got %+v", r)
	}
	want := `{"resultType":"input_required","inputRequests":{"b":{"method":"elicitation/create","params":` + form +
		`},"a":{"method":"roots/list"}},"requestState":"\u0061\/"}`
	if got := string(r.JSON()); got != want {
		t.Errorf("written as\n%s, want\n%s", got, want)
	}
}

func TestTheSDKReadsAResult(t *testing.T) {
	raw := Result{Requests: []Request{{"k", "elicitation/create", json.RawMessage(form)}}, State: json.RawMessage(`"s"`)}.JSON()
	var result mcp.CallToolResult
	if err := json.Unmarshal(raw, &result); err != nil || !result.NeedsInput() || result.RequestState != "s" {
		t.Fatalf("the SDK reads %s as %+v, %v", raw, result, err)
	}
	if asked, ok := result.InputRequests["k"].(*mcp.ElicitParams); !ok || asked.Message != "Who?" {
		t.Errorf("the SDK reads %s as %+v", raw, result.InputRequests["k"])
	}
}

func TestAnAbsentStateIsNotAnEmptyOne(t *testing.T) {
	const requests = `"inputRequests":{"a":{"method":"roots/list"}}`
	for raw, want := range map[string]string{
		`{` + requests + `}`:                        "absent",
		`{` + requests + `,"requestState":null}`:    "absent",
		`{` + requests + `,"requestState":""}`:      `""`,
		`{"requestState":""}`:                       `""`,
		`{"requestState":"x","inputRequests":{}}`:   `"x"`,
		`{"requestState":"\ud800"}`:                 `"\ud800"`, // half a surrogate pair cannot be decoded
		`{"inputRequests":null,"requestState":" "}`: `" "`,
	} {
		r, err := Read(json.RawMessage(raw))
		got := "absent"
		if r.State != nil {
			got = string(r.State)
		}
		if err != nil || got != want {
			t.Errorf("%s: state %s, %v; want %s", raw, got, err, want)
		}
		again, err := Read(r.JSON())
		if err != nil || (again.State == nil) != (r.State == nil) || string(again.State) != string(r.State) {
			t.Errorf("%s: written as %s", raw, r.JSON())
		}
		retry, ok, err := ReadRetry(Retry{State: r.State}.AddTo(json.RawMessage(`{"name":"x"}`)))
		if err != nil || ok != (r.State != nil) || string(retry.State) != string(r.State) {
			t.Errorf("%s: the retry has %+v", raw, retry)
		}
	}
}

func TestAWrongResultIsAnError(t *testing.T) {
	for _, raw := range []string{
		``, `null`, `[]`, `{}`, `{"inputRequests":{}}`, `{"inputRequests":null}`, `{"inputRequests":[]}`, `{"requestState":1}`,
		`{"inputRequests":{"a":1}}`, `{"inputRequests":{"a":{}}}`, `{"inputRequests":{"a":{"method":1}}}`,
		`{"inputRequests":"a","requestState":"x"}`,
	} {
		if r, err := Read(json.RawMessage(raw)); err == nil || !strings.HasPrefix(err.Error(), "read input_required: ") {
			t.Errorf("%s is read as %+v, %v", raw, r, err)
		}
	}
}

func TestOfRequestsWithTheSameKeyTheLastCounts(t *testing.T) {
	r, err := Read(json.RawMessage(`{"inputRequests":{"a":{"method":"x"},"b":{"method":"y"},"\u0061":{"method":"z"}}}`))
	if err != nil || len(r.Requests) != 2 || r.Requests[0].Key != "a" || r.Requests[0].Method != "z" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestARetryIsTheSameCallWithResponses(t *testing.T) {
	params := json.RawMessage(`{ "name":"x" , "inputResponses":{"old":{}},"arguments":{"n":1.0}, "requestState":"old" }`)
	retry := Retry{
		[]Response{{"b", json.RawMessage(`{"action":"accept","content":{"n":9007199254740993}}`)}, {"a", json.RawMessage(`{"roots":[]}`)}},
		json.RawMessage(`""`),
	}
	raw := retry.AddTo(params)
	want := `{"name":"x","arguments":{"n":1.0},"inputResponses":{"b":{"action":"accept","content":{"n":9007199254740993}},"a":{"roots":[]}},"requestState":""}`
	if string(raw) != want {
		t.Errorf("got\n%s, want\n%s", raw, want)
	}
	got, ok, err := ReadRetry(raw)
	if err != nil || !ok || len(got.Responses) != 2 || got.Responses[0].Key != "b" || string(got.Responses[1].Result) != `{"roots":[]}` ||
		string(got.State) != `""` {
		t.Errorf("read as %+v, %v, %v", got, ok, err)
	}
	if left := string(Retry{}.AddTo(raw)); left != `{"name":"x","arguments":{"n":1.0}}` {
		t.Errorf("without a retry: %s", left)
	}
	var sdk mcp.CallToolParams
	if err := json.Unmarshal(raw, &sdk); err != nil || len(sdk.InputResponses) != 2 {
		t.Errorf("the SDK reads %s as %+v, %v", raw, sdk, err)
	}
}

func TestOtherCallsAreNoRetries(t *testing.T) {
	for raw, want := range map[string]string{
		``: "no", `{}`: "no", `{"inputResponses":null}`: "no", `{"inputResponses":{}}`: "yes", `{"requestState":""}`: "yes",
		`{"inputResponses":[]}`: "error", `{"inputResponses":{"a":1}}`: "error", `{"requestState":{}}`: "error",
	} {
		_, ok, err := ReadRetry(json.RawMessage(raw))
		got := map[bool]string{true: "yes", false: "no"}[ok]
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

func TestALegacyErrorBecomesRequests(t *testing.T) {
	err := jsonrpc.ParseError(
		json.RawMessage(`{"code":-32042,"message":"sign in","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://a.example/","message":"Sign in"},{"mode":"form"}]}}`),
	)
	r, ok := FromError(err)
	want := `{"resultType":"input_required","inputRequests":{"elicitation-1":{"method":"elicitation/create","params":{"mode":"url","url":"https://a.example/","message":"Sign in"}}}}`
	if !ok || string(r.JSON()) != want {
		t.Errorf("got %s, %v", r.JSON(), ok)
	}
	for _, data := range []string{`null`, `{}`, `{"elicitations":{}}`, `{"elicitations":[1,{}]}`} {
		if r, ok := FromError(&jsonrpc.Error{Data: json.RawMessage(data)}); ok {
			t.Errorf("%s: %+v", data, r)
		}
	}
}

func FuzzResult(f *testing.F) {
	for _, s := range []string{
		``, `{"inputRequests":{"a":{"method":"x","params":{"n":1.0}}},"requestState":"\ud800"}`,
		`{"inputResponses":{"a":{"action":"accept"}},"name":"x"}`, `{"inputRequests":{"a":`, `{"requestState":"`,
		`{"inputRequests":{"\u0000":{"method":"\n"}}}`, `{"inputRequests":{"a":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = FromError(&jsonrpc.Error{Data: data})
		_, _ = Hash(data)
		r, err := Read(data)
		retry, ok, retryErr := ReadRetry(data)
		raw, params := r.JSON(), retry.AddTo(data)
		if !jsonrpc.Valid(data) {
			return // invalid JSON only must not cause a panic
		}
		if err == nil {
			again, err := Read(raw)
			if err != nil || !jsonrpc.Valid(raw) || string(again.JSON()) != string(raw) {
				t.Errorf("%q is written as %q, which is read as %+v, %v", data, raw, again, err)
			}
		}
		if retryErr != nil || data[0] != '{' {
			return
		}
		again, _, err := ReadRetry(params)
		if err != nil || len(again.Responses) != len(retry.Responses) || string(again.State) != string(retry.State) {
			t.Errorf("%q (retry: %v) became %q, %v", data, ok, params, err)
		}
		before, _ := Hash(data)
		if after, err := Hash(params); err != nil || after != before {
			t.Errorf("the hashes of %q and %q differ", data, params)
		}
	})
}
