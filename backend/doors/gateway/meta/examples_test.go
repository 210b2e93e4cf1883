package meta

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestExamplesOfSingleArgumentsMakeAnExampleOfACall(t *testing.T) {
	for definition, want := range map[string]string{
		`{"inputSchema":{"type":"object","examples":[{"a":1}],"properties":{"a":{"examples":[2]}}}}`:                    `[{"a":1}]`,
		`{"inputSchema":{"type":"object"},"input_examples":[{"a":1}]}`:                                                  `[{"a":1}]`,
		`{"inputSchema":{"properties":{"a":{"examples":[2,3]},"b":{"example":"x"},"c":{"type":"string"}}}}`:             `[{"a":2,"b":"x"}]`,
		`{"inputSchema":{"properties":{"a":{"examples":[2]},"b":{"enum":["y"]},"c":{"default":1}},"required":["b"]}}`:   `[{"a":2,"b":"y"}]`,
		`{"inputSchema":{"properties":{"a":{"examples":[2]},"b":{"type":"string"}},"required":["b"]}}`:                  ``,
		`{"inputSchema":{"properties":{"a":{"default":2},"b":{"const":1}},"required":["b"]}}`:                           ``,
		`{"inputSchema":{"properties":{"a":{"examples":[]},"b":true,"c":null,"d":{"examples":"x"}},"required":"none"}}`: ``,
		`{"inputSchema":{"properties":[]}}`: ``,
		`{"inputSchema":{}}`:                ``,
	} {
		if got := string(examplesOf(&catalog.Tool{Definition: json.RawMessage(definition)})); got != want {
			t.Errorf("%s: %s, want %s", definition, got, want)
		}
	}
}
