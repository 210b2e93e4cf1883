package gateway

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestAQuestionGoesOnlyToAClientThatSupportsItsMode(t *testing.T) {
	const elicitation, sampling = "elicitation/create", "sampling/createMessage"
	for _, row := range []struct {
		capabilities, method, params string
		want                         bool
	}{
		{`{}`, elicitation, `{}`, false},
		{`{"elicitation":{}}`, elicitation, `{}`, true},
		{`{"elicitation":{}}`, elicitation, `{"mode":"form"}`, true},
		{`{"elicitation":{}}`, elicitation, `{"mode":"url","url":"https://x"}`, false},
		{`{"elicitation":{"form":{}}}`, elicitation, `{"mode":"url"}`, false},
		{`{"elicitation":{"form":{},"url":{}}}`, elicitation, `{"mode":"url"}`, true},
		{`{"elicitation":{"url":{}}}`, elicitation, `{"mode":"url"}`, true},
		{`{"elicitation":{"url":{}}}`, elicitation, `{"message":"x"}`, false},
		{`{"elicitation":{"form":{}}}`, elicitation, `{"mode":"other"}`, false},
		{`{"elicitation":null}`, elicitation, `{}`, false},
		{`{"sampling":{}}`, sampling, `{"messages":[]}`, true},
		{`{"sampling":{}}`, sampling, `{"messages":[],"tools":[]}`, false},
		{`{"sampling":{}}`, sampling, `{"messages":[],"toolChoice":{}}`, false},
		{`{"sampling":{"tools":{}}}`, sampling, `{"messages":[],"tools":[]}`, true},
		{`{"sampling":{}}`, elicitation, `{}`, false},
		{`{"sampling":{}}`, "roots/list", `{}`, false},
		{`{"roots":{}}`, "roots/list", `{}`, true},
	} {
		var capabilities map[string]json.RawMessage
		if err := json.Unmarshal([]byte(row.capabilities), &capabilities); err != nil {
			t.Fatal(err)
		}
		q := upstream.Question{Method: row.method, Params: json.RawMessage(row.params)}
		if missing := unsupported(capabilities, q); (missing == "") != row.want {
			t.Errorf("%s asks %s of %s: missing %q", row.method, row.params, row.capabilities, missing)
		}
	}
}
