package schemacompat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

// of returns the schema of an object with one property x.
func of(property string) string {
	return `{"type":"object","properties":{"x":` + property + `}}`
}

// anything is a schema that accepts every value, for vendors that require a type.
const (
	mostly   = `{"type":"string","nullable":true},{"type":"number"},{"type":"boolean"},{"type":"object","properties":{"any_name":{"type":"string"}}}`
	anything = `{"anyOf":[` + mostly + `,{"type":"array","items":{"anyOf":[` + mostly + `]}}]}`
)

func TestAnAcceptedSchemaKeepsItsBytes(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object"}`,
		"{ \"type\" : \"object\",\n \"properties\": { } }",
		of(`{"type":"string","description":"<a> & \u00e9","enum":["a","b"],"minLength":1,"pattern":"^a"}`),
		of(`{"type":"array","items":{"type":"integer","minimum":9007199254740993,"format":"int64"},"minItems":1}`),
		of(`{"type":"string","nullable":true,"format":"date-time","default":"now","title":"X"}`),
		of(`{"anyOf":[{"type":"string","description":"a"},{"type":"array","items":{"type":"string"}}]}`),
		of(`{"type":"object","properties":{"y":{"type":"boolean"}},"required":["y"]}`),
	} {
		for _, d := range append(vendors, "", "klingon") {
			if got, changes := schemacompat.Adapt(d, json.RawMessage(schema)); string(got) != schema || changes != nil {
				t.Errorf("%s: %s became %s: %q", d, schema, got, changes)
			}
		}
	}
}

// rows are schemas and their adapted forms for the vendors that reject them. All
// other vendors accept the schema.
var rows = map[string]struct {
	schema string
	want   map[schemacompat.Vendor]string
}{
	"true at the root":      {`true`, all(`{"type":"object"}`)},
	"no JSON":               {`{"type":`, all(`{"type":"object"}`)},
	"a list":                {`[]`, all(`{"type":"object"}`)},
	"no type at the root":   {`{"properties":{"x":{"type":"string"}}}`, all(of(`{"type":"string"}`))},
	"several types at root": {`{"type":["object","null"]}`, all(`{"type":"object"}`)},
	"a reference at the root": {
		`{"$ref":"#/$defs/In","$defs":{"In":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
		map[schemacompat.Vendor]string{
			schemacompat.Gemini:    of(`{"type":"string"}`),
			schemacompat.OpenAI:    `{"$defs":{"In":` + of(`{"type":"string"}`) + `},"type":"object","properties":{"x":{"type":"string"}}}`,
			schemacompat.Anthropic: `{"$defs":{"In":` + of(`{"type":"string"}`) + `},"type":"object","properties":{"x":{"type":"string"}}}`,
		},
	},
	"allOf at the root": {
		`{"allOf":[{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"y":{"type":"number"}},"required":["x","y"]}]}`,
		all(`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"number"}},"required":["x","y"]}`),
	},
	"anyOf at the root": {
		`{"type":"object","anyOf":[{"properties":{"x":{"type":"string"},"z":{"type":"string"}},"required":["x","z"]},{"properties":{"y":{"type":"number"},"z":{"type":"number"}},"required":["y","z"]}]}`,
		all(`{"type":"object","properties":{"x":{"type":"string"},"z":` + `{"anyOf":[{"type":"string"},{"type":"number"}]}` +
			`,"y":{"type":"number"}},"required":["z"],"description":"(alternatives: x + z, or y + z)"}`),
	},
	"one of two required": {
		`{"type":"object","description":"D","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["y"],"oneOf":[{"required":["x"]},{"required":["y"]}]}`,
		all(`{"type":"object","description":"D (alternatives: x, or y)","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["y"]}`),
	},
	"one of two required, and no others": {
		`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"additionalProperties":false,"anyOf":[{"required":["x"]},{"required":["y"]}]}`,
		map[schemacompat.Vendor]string{
			schemacompat.Gemini:    `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"description":"(alternatives: x, or y)"}`,
			schemacompat.OpenAI:    `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"additionalProperties":false,"description":"(alternatives: x, or y)"}`,
			schemacompat.Anthropic: `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"additionalProperties":false,"description":"(alternatives: x, or y)"}`,
		},
	},
	"properties that an alternative adds": {
		`{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false,"anyOf":[{"properties":{"y":{"type":"string"}}},{"required":["x"]}]}`,
		all(`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"description":"(alternatives: y, or x)"}`),
	},
	"not at the root": {
		`{"type":"object","properties":{"x":{"type":"string"}},"not":{"required":["z"]}}`,
		only(`{"type":"object","properties":{"x":{"type":"string"}},"description":"(not {\"required\":[\"z\"]})"}`,
			schemacompat.Gemini, schemacompat.OpenAI),
	},
	"a name with a dollar": {
		`{"type":"object","properties":{"$f":{"type":"string","description":"F"},"x":{"type":"string"}},"required":["$f"],"additionalProperties":false}`,
		all(`{"type":"object","properties":{"x":{"type":"string"}},"description":"(also takes \"$f\" (string, required): F)"}`),
	},
	"a name with a dollar below": {
		of(`{"type":"object","properties":{"$f":{"type":"string"},"y":{"type":"string"}},"required":["$f","y"]}`),
		only(
			of(`{"type":"object","properties":{"y":{"type":"string"}},"required":["y"],"description":"(also takes \"$f\" (string, required))"}`),
			schemacompat.Gemini,
		),
	},
	"a property that is true": {
		of(`true`), map[schemacompat.Vendor]string{
			schemacompat.Anthropic: of(`{}`), schemacompat.OpenAI: of(`{}`), schemacompat.Gemini: of(anything),
		},
	},
	"a property that is false": {
		of(`false`), map[schemacompat.Vendor]string{
			schemacompat.Anthropic: of(`{"not":{}}`), schemacompat.OpenAI: of(`{"not":{}}`), schemacompat.Gemini: of(anything),
		},
	},
	"a property of any type": {
		of(`{"description":"X"}`),
		only(of(strings.Replace(anything, `"nullable":true`, `"description":"X","nullable":true`, 1)), schemacompat.Gemini),
	},
	"a reference": {
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/A","description":"X"}},"$defs":{"A":{"type":"string","description":"A","enum":["a"]}}}`,
		only(of(`{"description":"X","type":"string","enum":["a"]}`), schemacompat.Gemini),
	},
	"a reference to a property": {
		`{"type":"object","properties":{"x":{"type":"string","minLength":1},"y":{"$ref":"#/properties/x"}}}`,
		only(`{"type":"object","properties":{"x":{"type":"string","minLength":1},"y":{"type":"string","minLength":1}}}`,
			schemacompat.Gemini, schemacompat.OpenAI),
	},
	"a reference to nothing": {
		of(`{"$ref":"#/$defs/A","description":"X"}`),
		map[schemacompat.Vendor]string{
			schemacompat.Anthropic: of(`{"description":"X"}`), schemacompat.OpenAI: of(`{"description":"X"}`),
			schemacompat.Gemini: of(strings.Replace(anything, `"nullable":true`, `"description":"X","nullable":true`, 1)),
		},
	},
	"a reference in a circle": {
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"y":{"$ref":"#/$defs/A"}}}}}`,
		only(
			of(`{"type":"object","properties":{"y":{"type":"object","description":"Has the same form as A above. (any_name represents properties of any name)","properties":{"any_name":{"type":"string"}}}}}`),
			schemacompat.Gemini,
		),
	},
	"const": {
		of(`{"const":"a","description":"X"}`), only(of(`{"type":"string","description":"X","enum":["a"]}`), schemacompat.Gemini),
	},
	"const of a number": {
		of(`{"type":"integer","const":3}`), only(of(`{"type":"integer","description":"(one of 3)"}`), schemacompat.Gemini),
	},
	"an enum of numbers": {
		of(`{"type":"integer","description":"X","enum":[1,2]}`),
		only(of(`{"type":"integer","description":"X (one of 1, 2)"}`), schemacompat.Gemini),
	},
	"an enum with an empty text": {
		of(`{"type":"string","enum":["","a"]}`), only(of(`{"type":"string","description":"(one of \"\", \"a\")"}`), schemacompat.Gemini),
	},
	"a text or null": {
		of(`{"type":["string","null"],"description":"X"}`),
		only(of(`{"type":"string","description":"X","nullable":true}`), schemacompat.Gemini),
	},
	"anyOf with null": {
		of(`{"anyOf":[{"type":"string","minLength":2},{"type":"null"}],"default":null,"description":"X"}`),
		only(of(`{"type":"string","description":"X","minLength":2,"nullable":true}`), schemacompat.Gemini),
	},
	"several types": {
		of(`{"type":["string","integer"],"description":"X","minimum":2,"pattern":"^a"}`),
		only(of(`{"anyOf":[{"type":"string","pattern":"^a","description":"X"},{"type":"integer","minimum":2}]}`), schemacompat.Gemini),
	},
	"anyOf that is not alone": {
		of(`{"description":"X","anyOf":[{"type":"string","description":"S"},{"type":"number"}]}`),
		only(of(`{"anyOf":[{"type":"string","description":"X S"},{"type":"number"}]}`), schemacompat.Gemini),
	},
	"alternatives of an object below": {
		of(`{"type":"object","properties":{"y":{"type":"string"},"z":{"type":"string"}},"anyOf":[{"required":["y"]},{"required":["z"]}]}`),
		only(of(`{"type":"object","properties":{"y":{"type":"string"},"z":{"type":"string"}},"description":"(alternatives: y, or z)"}`),
			schemacompat.Gemini),
	},
	"conditions on a text": {
		of(`{"type":"string","anyOf":[{"minLength":5},{"pattern":"^a"}]}`),
		only(of(`{"type":"string"}`), schemacompat.Gemini),
	},
	"objects to choose from": {
		of(`{"anyOf":[{"type":"object","properties":{"y":{"type":"string"}},"required":["y"]},{"properties":{"z":{"type":"number"}}}]}`),
		only(
			of(`{"anyOf":[{"type":"object","properties":{"y":{"type":"string"}},"required":["y"]},{"type":"object","properties":{"z":{"type":"number"}}}]}`),
			schemacompat.Gemini,
		),
	},
	"oneOf of constants": {
		of(`{"oneOf":[{"const":"a","description":"first"},{"const":"b"}]}`),
		only(of(`{"type":"string","enum":["a","b"],"description":"(a: first)"}`), schemacompat.Gemini),
	},
	"anyOf in anyOf": {
		of(`{"anyOf":[{"type":"string"},{"oneOf":[{"type":"number"},{"type":"boolean"}]}]}`),
		only(of(`{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}`), schemacompat.Gemini),
	},
	"allOf": {
		of(`{"allOf":[{"type":"string","minLength":1},{"maxLength":5}]}`),
		only(of(`{"type":"string","minLength":1,"maxLength":5}`), schemacompat.Gemini),
	},
	"keywords that are not known": {
		of(`{"type":"number","description":"X","exclusiveMinimum":0,"multipleOf":5,"$comment":"c"}`),
		only(of(`{"type":"number","description":"X (exclusiveMinimum 0; multipleOf 5)"}`), schemacompat.Gemini),
	},
	"a format that is not known": {
		of(`{"type":"string","format":"uri"}`), only(of(`{"type":"string","description":"(format uri)"}`), schemacompat.Gemini),
	},
	"no other properties": {
		of(`{"type":"object","properties":{"y":{"type":"string"}},"additionalProperties":false}`),
		only(of(`{"type":"object","properties":{"y":{"type":"string"}}}`), schemacompat.Gemini),
	},
	"an object without properties": {
		of(`{"type":"object","properties":{},"description":"X"}`),
		only(
			of(`{"type":"object","properties":{"any_name":{"type":"string"}},"description":"X (any_name represents properties of any name)"}`),
			schemacompat.Gemini,
		),
	},
	"a map": {
		of(`{"type":"object","additionalProperties":{"type":"integer"}}`),
		only(
			of(`{"type":"object","properties":{"any_name":{"type":"integer"}},"description":"(any_name represents properties of any name)"}`),
			schemacompat.Gemini,
		),
	},
	"required without a property": {
		`{"type":"object","properties":{"y":{"type":"string"}},"required":["x"]}`,
		only(`{"type":"object","properties":{"y":{"type":"string"},"x":`+anything+`},"required":["x"]}`, schemacompat.Gemini),
	},
	"an array without items": {
		of(`{"type":"array"}`),
		map[schemacompat.Vendor]string{
			schemacompat.OpenAI: of(`{"type":"array","items":{}}`), schemacompat.Gemini: of(`{"type":"array","items":` + anything + `}`),
		},
	},
	"a tuple": {
		of(`{"type":"array","items":[{"type":"string"},{"type":"number"}],"maxItems":2}`),
		map[schemacompat.Vendor]string{
			schemacompat.Anthropic: of(`{"type":"array","maxItems":2,"prefixItems":[{"type":"string"},{"type":"number"}]}`),
			schemacompat.OpenAI:    of(`{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`),
			schemacompat.Gemini:    of(`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]},"maxItems":2,"description":"(in this order: [\"string\",\"number\"])"}`),
		},
	},
	"keywords of the wrong kind": {
		of(`{"type":"String","required":true,"description":7,"minLength":-1,"properties":[]}`), all(of(`{"type":"string"}`)),
	},
	"no type by that name": {of(`{"type":"","enum":["a"]}`), map[schemacompat.Vendor]string{
		schemacompat.Anthropic: of(`{"enum":["a"]}`), schemacompat.OpenAI: of(`{"enum":["a"]}`),
		schemacompat.Gemini: of(`{"type":"string","enum":["a"]}`),
	}},
	"a pattern that is not Python's": {
		of(`{"type":"string","pattern":"^\\p{L}$"}`), only(of(`{"type":"string","description":"(pattern ^\\p{L}$)"}`), schemacompat.OpenAI),
	},
}

func all(want string) map[schemacompat.Vendor]string { return only(want, vendors...) }

func only(want string, ds ...schemacompat.Vendor) map[schemacompat.Vendor]string {
	out := make(map[schemacompat.Vendor]string)
	for _, d := range ds {
		out[d] = want
	}
	return out
}

func TestRejectedSchemasAreAdapted(t *testing.T) {
	for name, row := range rows {
		for _, d := range vendors {
			want, refuses := row.want[d]
			if !refuses {
				want = row.schema
			}
			got, changes := schemacompat.Adapt(d, json.RawMessage(row.schema))
			if !same(string(got), want) {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", name, d, got, want)
			}
			if refuses != (len(changes) > 0) {
				t.Errorf("%s, %s: changes %q", name, d, changes)
			}
			if why := refused(d, got); why != "" {
				t.Errorf("%s, %s: %s", name, d, why)
			}
			if was := refused(d, []byte(row.schema)); refuses && was == "" && name != "a pattern that is not Python's" &&
				name != "a property that is false" {
				t.Errorf("%s, %s: the schema was accepted before", name, d)
			}
		}
	}
}

// same reports whether two JSON texts are equal, apart from the order of members.
func same(one, other string) bool {
	var a, b any
	return json.Unmarshal([]byte(one), &a) == nil && json.Unmarshal([]byte(other), &b) == nil && fmt.Sprint(a) == fmt.Sprint(b)
}

func TestAllPropertyNamesAreKept(t *testing.T) {
	for _, d := range vendors {
		got, _ := schemacompat.Adapt(d,
			json.RawMessage(`{"type":"object","required":["filter[id]","gone","a"],"properties":{"a":{"type":"string"},"filter[id]":{"type":"string"},"{{user}}":{"type":["string","null"]}},
			"anyOf":[{"properties":{"b":{"type":"string"}}},{"$ref":"#/$defs/C"}],"$defs":{"C":{"allOf":[{"properties":{"c":true}},{"required":["d"]}]}}}`))
		for _, name := range []string{"a", "b", "c", "filter[id]", "{{user}}", "gone"} {
			if !strings.Contains(string(got), name) {
				t.Errorf("%s: %s is lost in %s", d, name, got)
			}
		}
		if why := refused(d, got); why != "" {
			t.Errorf("%s: %s: %s", d, why, got)
		}
	}
}
