package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/dialect"
)

// of is the schema of an object with one property x.
func of(property string) string {
	return `{"type":"object","properties":{"x":` + property + `}}`
}

// anything is what takes every value where a type must be named.
const (
	mostly   = `{"type":"string","nullable":true},{"type":"number"},{"type":"boolean"},{"type":"object","properties":{"any_name":{"type":"string"}}}`
	anything = `{"anyOf":[` + mostly + `,{"type":"array","items":{"anyOf":[` + mostly + `]}}]}`
)

func TestASchemaThatIsTakenKeepsItsEveryByte(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object"}`,
		"{ \"type\" : \"object\",\n \"properties\": { } }",
		of(`{"type":"string","description":"<a> & \u00e9","enum":["a","b"],"minLength":1,"pattern":"^a"}`),
		of(`{"type":"array","items":{"type":"integer","minimum":9007199254740993,"format":"int64"},"minItems":1}`),
		of(`{"type":"string","nullable":true,"format":"date-time","default":"now","title":"X"}`),
		of(`{"anyOf":[{"type":"string","description":"a"},{"type":"array","items":{"type":"string"}}]}`),
		of(`{"type":"object","properties":{"y":{"type":"boolean"}},"required":["y"]}`),
	} {
		for _, d := range append(dialects, "", "klingon") {
			if got, changes := dialect.Adapt(d, json.RawMessage(schema)); string(got) != schema || changes != nil {
				t.Errorf("%s: %s became %s: %q", d, schema, got, changes)
			}
		}
	}
}

// rows are constructs that a vendor refuses, and what becomes of them; a
// dialect that is not named takes them.
var rows = map[string]struct {
	schema string
	want   map[dialect.Dialect]string
}{
	"true at the root":      {`true`, all(`{"type":"object"}`)},
	"no JSON":               {`{"type":`, all(`{"type":"object"}`)},
	"a list":                {`[]`, all(`{"type":"object"}`)},
	"no type at the root":   {`{"properties":{"x":{"type":"string"}}}`, all(of(`{"type":"string"}`))},
	"several types at root": {`{"type":["object","null"]}`, all(`{"type":"object"}`)},
	"a reference at the root": {
		`{"$ref":"#/$defs/In","$defs":{"In":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
		map[dialect.Dialect]string{
			dialect.Gemini:    of(`{"type":"string"}`),
			dialect.OpenAI:    `{"$defs":{"In":` + of(`{"type":"string"}`) + `},"type":"object","properties":{"x":{"type":"string"}}}`,
			dialect.Anthropic: `{"$defs":{"In":` + of(`{"type":"string"}`) + `},"type":"object","properties":{"x":{"type":"string"}}}`,
		},
	},
	"allOf at the root": {
		`{"allOf":[{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"y":{"type":"number"}},"required":["x","y"]}]}`,
		all(`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"number"}},"required":["x","y"]}`),
	},
	"anyOf at the root": {
		`{"type":"object","anyOf":[{"properties":{"x":{"type":"string"},"z":{"type":"string"}},"required":["x","z"]},{"properties":{"y":{"type":"number"},"z":{"type":"number"}},"required":["y","z"]}]}`,
		all(`{"type":"object","properties":{"x":{"type":"string"},"z":` + `{"anyOf":[{"type":"string"},{"type":"number"}]}` + `,"y":{"type":"number"}},"required":["z"],"description":"(alternatives: x + z, or y + z)"}`),
	},
	"one of two required": {
		`{"type":"object","description":"D","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["y"],"oneOf":[{"required":["x"]},{"required":["y"]}]}`,
		all(`{"type":"object","description":"D (alternatives: x, or y)","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["y"]}`),
	},
	"one of two required, and no others": {
		`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"additionalProperties":false,"anyOf":[{"required":["x"]},{"required":["y"]}]}`,
		map[dialect.Dialect]string{
			dialect.Gemini:    `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"description":"(alternatives: x, or y)"}`,
			dialect.OpenAI:    `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"additionalProperties":false,"description":"(alternatives: x, or y)"}`,
			dialect.Anthropic: `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"additionalProperties":false,"description":"(alternatives: x, or y)"}`,
		},
	},
	"properties that an alternative adds": {
		`{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false,"anyOf":[{"properties":{"y":{"type":"string"}}},{"required":["x"]}]}`,
		all(`{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"description":"(alternatives: y, or x)"}`),
	},
	"not at the root": {
		`{"type":"object","properties":{"x":{"type":"string"}},"not":{"required":["z"]}}`,
		only(`{"type":"object","properties":{"x":{"type":"string"}},"description":"(not {\"required\":[\"z\"]})"}`, dialect.Gemini, dialect.OpenAI),
	},
	"a name with a dollar": {
		`{"type":"object","properties":{"$f":{"type":"string","description":"F"},"x":{"type":"string"}},"required":["$f"],"additionalProperties":false}`,
		all(`{"type":"object","properties":{"x":{"type":"string"}},"description":"(also takes \"$f\" (string, required): F)"}`),
	},
	"a name with a dollar below": {
		of(`{"type":"object","properties":{"$f":{"type":"string"},"y":{"type":"string"}},"required":["$f","y"]}`),
		only(of(`{"type":"object","properties":{"y":{"type":"string"}},"required":["y"],"description":"(also takes \"$f\" (string, required))"}`), dialect.Gemini),
	},
	"a property that is true":  {of(`true`), map[dialect.Dialect]string{dialect.Anthropic: of(`{}`), dialect.OpenAI: of(`{}`), dialect.Gemini: of(anything)}},
	"a property that is false": {of(`false`), map[dialect.Dialect]string{dialect.Anthropic: of(`{"not":{}}`), dialect.OpenAI: of(`{"not":{}}`), dialect.Gemini: of(anything)}},
	"a property of any type": {
		of(`{"description":"X"}`),
		only(of(strings.Replace(anything, `"nullable":true`, `"description":"X","nullable":true`, 1)), dialect.Gemini),
	},
	"a reference": {
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/A","description":"X"}},"$defs":{"A":{"type":"string","description":"A","enum":["a"]}}}`,
		only(of(`{"description":"X","type":"string","enum":["a"]}`), dialect.Gemini),
	},
	"a reference to a property": {
		`{"type":"object","properties":{"x":{"type":"string","minLength":1},"y":{"$ref":"#/properties/x"}}}`,
		only(`{"type":"object","properties":{"x":{"type":"string","minLength":1},"y":{"type":"string","minLength":1}}}`, dialect.Gemini, dialect.OpenAI),
	},
	"a reference to nothing": {
		of(`{"$ref":"#/$defs/A","description":"X"}`),
		map[dialect.Dialect]string{
			dialect.Anthropic: of(`{"description":"X"}`), dialect.OpenAI: of(`{"description":"X"}`),
			dialect.Gemini: of(strings.Replace(anything, `"nullable":true`, `"description":"X","nullable":true`, 1)),
		},
	},
	"a reference in a circle": {
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"y":{"$ref":"#/$defs/A"}}}}}`,
		only(of(`{"type":"object","properties":{"y":{"type":"object","description":"Once more as A above. (any_name stands for properties of any name)","properties":{"any_name":{"type":"string"}}}}}`), dialect.Gemini),
	},
	"const":             {of(`{"const":"a","description":"X"}`), only(of(`{"type":"string","description":"X","enum":["a"]}`), dialect.Gemini)},
	"const of a number": {of(`{"type":"integer","const":3}`), only(of(`{"type":"integer","description":"(one of 3)"}`), dialect.Gemini)},
	"an enum of numbers": {
		of(`{"type":"integer","description":"X","enum":[1,2]}`),
		only(of(`{"type":"integer","description":"X (one of 1, 2)"}`), dialect.Gemini),
	},
	"an enum with an empty text": {of(`{"type":"string","enum":["","a"]}`), only(of(`{"type":"string","description":"(one of \"\", \"a\")"}`), dialect.Gemini)},
	"a text or null":             {of(`{"type":["string","null"],"description":"X"}`), only(of(`{"type":"string","description":"X","nullable":true}`), dialect.Gemini)},
	"anyOf with null": {
		of(`{"anyOf":[{"type":"string","minLength":2},{"type":"null"}],"default":null,"description":"X"}`),
		only(of(`{"type":"string","description":"X","minLength":2,"nullable":true}`), dialect.Gemini),
	},
	"several types": {
		of(`{"type":["string","integer"],"description":"X","minimum":2,"pattern":"^a"}`),
		only(of(`{"anyOf":[{"type":"string","pattern":"^a","description":"X"},{"type":"integer","minimum":2}]}`), dialect.Gemini),
	},
	"anyOf that is not alone": {
		of(`{"description":"X","anyOf":[{"type":"string","description":"S"},{"type":"number"}]}`),
		only(of(`{"anyOf":[{"type":"string","description":"X S"},{"type":"number"}]}`), dialect.Gemini),
	},
	"alternatives of an object below": {
		of(`{"type":"object","properties":{"y":{"type":"string"},"z":{"type":"string"}},"anyOf":[{"required":["y"]},{"required":["z"]}]}`),
		only(of(`{"type":"object","properties":{"y":{"type":"string"},"z":{"type":"string"}},"description":"(alternatives: y, or z)"}`), dialect.Gemini),
	},
	"conditions on a text": {
		of(`{"type":"string","anyOf":[{"minLength":5},{"pattern":"^a"}]}`),
		only(of(`{"type":"string"}`), dialect.Gemini),
	},
	"objects to choose from": {
		of(`{"anyOf":[{"type":"object","properties":{"y":{"type":"string"}},"required":["y"]},{"properties":{"z":{"type":"number"}}}]}`),
		only(of(`{"anyOf":[{"type":"object","properties":{"y":{"type":"string"}},"required":["y"]},{"type":"object","properties":{"z":{"type":"number"}}}]}`), dialect.Gemini),
	},
	"oneOf of constants": {
		of(`{"oneOf":[{"const":"a","description":"first"},{"const":"b"}]}`),
		only(of(`{"type":"string","enum":["a","b"],"description":"(a: first)"}`), dialect.Gemini),
	},
	"anyOf in anyOf": {
		of(`{"anyOf":[{"type":"string"},{"oneOf":[{"type":"number"},{"type":"boolean"}]}]}`),
		only(of(`{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}`), dialect.Gemini),
	},
	"allOf": {
		of(`{"allOf":[{"type":"string","minLength":1},{"maxLength":5}]}`),
		only(of(`{"type":"string","minLength":1,"maxLength":5}`), dialect.Gemini),
	},
	"keywords that are not known": {
		of(`{"type":"number","description":"X","exclusiveMinimum":0,"multipleOf":5,"$comment":"c"}`),
		only(of(`{"type":"number","description":"X (exclusiveMinimum 0; multipleOf 5)"}`), dialect.Gemini),
	},
	"a format that is not known": {of(`{"type":"string","format":"uri"}`), only(of(`{"type":"string","description":"(format uri)"}`), dialect.Gemini)},
	"no other properties":        {of(`{"type":"object","properties":{"y":{"type":"string"}},"additionalProperties":false}`), only(of(`{"type":"object","properties":{"y":{"type":"string"}}}`), dialect.Gemini)},
	"an object without properties": {
		of(`{"type":"object","properties":{},"description":"X"}`),
		only(of(`{"type":"object","properties":{"any_name":{"type":"string"}},"description":"X (any_name stands for properties of any name)"}`), dialect.Gemini),
	},
	"a map": {
		of(`{"type":"object","additionalProperties":{"type":"integer"}}`),
		only(of(`{"type":"object","properties":{"any_name":{"type":"integer"}},"description":"(any_name stands for properties of any name)"}`), dialect.Gemini),
	},
	"required without a property": {
		`{"type":"object","properties":{"y":{"type":"string"}},"required":["x"]}`,
		only(`{"type":"object","properties":{"y":{"type":"string"},"x":`+anything+`},"required":["x"]}`, dialect.Gemini),
	},
	"an array without items": {
		of(`{"type":"array"}`),
		map[dialect.Dialect]string{dialect.OpenAI: of(`{"type":"array","items":{}}`), dialect.Gemini: of(`{"type":"array","items":` + anything + `}`)},
	},
	"a tuple": {
		of(`{"type":"array","items":[{"type":"string"},{"type":"number"}],"maxItems":2}`),
		map[dialect.Dialect]string{
			dialect.Anthropic: of(`{"type":"array","maxItems":2,"prefixItems":[{"type":"string"},{"type":"number"}]}`),
			dialect.OpenAI:    of(`{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`),
			dialect.Gemini:    of(`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]},"maxItems":2,"description":"(in this order: [\"string\",\"number\"])"}`),
		},
	},
	"keywords of the wrong kind": {
		of(`{"type":"String","required":true,"description":7,"minLength":-1,"properties":[]}`), all(of(`{"type":"string"}`)),
	},
	"no type by that name": {of(`{"type":"","enum":["a"]}`), map[dialect.Dialect]string{
		dialect.Anthropic: of(`{"enum":["a"]}`), dialect.OpenAI: of(`{"enum":["a"]}`), dialect.Gemini: of(`{"type":"string","enum":["a"]}`),
	}},
	"a pattern that is not Python's": {of(`{"type":"string","pattern":"^\\p{L}$"}`), only(of(`{"type":"string","description":"(pattern ^\\p{L}$)"}`), dialect.OpenAI)},
}

func all(want string) map[dialect.Dialect]string { return only(want, dialects...) }

func only(want string, ds ...dialect.Dialect) map[dialect.Dialect]string {
	out := make(map[dialect.Dialect]string)
	for _, d := range ds {
		out[d] = want
	}
	return out
}

func TestWhatIsRefusedBecomesTheNearestThatIsTaken(t *testing.T) {
	for name, row := range rows {
		for _, d := range dialects {
			want, refuses := row.want[d]
			if !refuses {
				want = row.schema
			}
			got, changes := dialect.Adapt(d, json.RawMessage(row.schema))
			if !same(string(got), want) {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", name, d, got, want)
			}
			if refuses != (len(changes) > 0) {
				t.Errorf("%s, %s: changes %q", name, d, changes)
			}
			if why := refused(d, got); why != "" {
				t.Errorf("%s, %s: %s", name, d, why)
			}
			if was := refused(d, []byte(row.schema)); refuses && was == "" && name != "a pattern that is not Python's" && name != "a property that is false" {
				t.Errorf("%s, %s: it was taken as it was", name, d)
			}
		}
	}
}

// same compares JSON; the order of members is no part of it.
func same(one, other string) bool {
	var a, b any
	return json.Unmarshal([]byte(one), &a) == nil && json.Unmarshal([]byte(other), &b) == nil && fmt.Sprint(a) == fmt.Sprint(b)
}

func TestNoNameIsLost(t *testing.T) {
	for _, d := range dialects {
		got, _ := dialect.Adapt(d, json.RawMessage(`{"type":"object","required":["filter[id]","gone","a"],"properties":{"a":{"type":"string"},"filter[id]":{"type":"string"},"{{user}}":{"type":["string","null"]}},
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
