package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func tool(schema string) operations.KnownTool {
	return operations.KnownTool{Server: "s", Tool: operations.Tool{Name: "t", InputSchema: json.RawMessage(schema)}}
}

// allTypes is a schema with a property of each type.
const allTypes = `{"properties":{"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":["null","number"]},"b":{"type":"boolean"},
	"o":{"type":"object"},"a":{"type":"array","items":{"type":"integer"}},"as":{"type":"array","items":{"type":"string"}},"any":{}}}`

func TestArgumentsGetTheTypesOfTheSchema(t *testing.T) {
	for pairs, want := range map[string]string{
		"s=1 i=-7 n=1.5e3 b=true":  `{"s":"1","i":-7,"n":1.5e3,"b":true}`,
		"i=9007199254740993":       `{"i":9007199254740993}`,
		"s= s2==x":                 `{"s":"","s2":"=x"}`,
		`o={"k":[1]} any=[2] s3=x`: `{"o":{"k":[1]},"any":[2],"s3":"x"}`,
		"a=1 a=2":                  `{"a":[1,2]}`,
		"a=[1,2] a=3 a=[]":         `{"a":[1,2,3]}`,
		`as=["x"] as=y as=3`:       `{"as":["x","y","3"]}`,
		"a=[]":                     `{"a":[]}`,
		"a=[] a=4":                 `{"a":[4]}`,
		"any=true any2=null":       `{"any":true,"any2":null}`,
	} {
		got, err := typed(tool(allTypes), strings.Fields(pairs))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", pairs, got, err, want)
		}
	}
}

func TestArgumentsThatDoNotFitTheSchemaAreRefused(t *testing.T) {
	for pairs, want := range map[string]string{
		"i=x": "whole number", "i=5.5": "whole number", "i=": "whole number", "n=x": "a number", "b=yes": "true or false",
		"o=[]": "a JSON object", "o=": "a JSON object", "a=x": "whole number", "s=1 s=2": "was given twice",
	} {
		if _, err := typed(tool(allTypes), strings.Fields(pairs)); fault.KindOf(err) != fault.Invalid ||
			!strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: got error %v, want one with %q", pairs, err, want)
		}
	}
	strict := tool(`{"properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}`)
	if _, err := typed(strict, []string{"r=1"}); !strings.Contains(fault.MessageOf(err), "its arguments: q") {
		t.Errorf("unknown argument: got error %v", err)
	}
	if _, err := typed(strict, nil); !strings.Contains(fault.MessageOf(err), `requires the argument "q"`) {
		t.Errorf("missing argument: got error %v", err)
	}
}
