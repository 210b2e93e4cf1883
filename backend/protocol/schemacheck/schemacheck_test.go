package schemacheck

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const issue = `{"type":"object","required":["title","repo"],"additionalProperties":false,"properties":{
	"title":{"type":"string","minLength":1,"maxLength":5},"repo":{"$ref":"#/$defs/a~1b"},"count":{"type":"integer","minimum":1,"exclusiveMinimum":0,"exclusiveMaximum":10},
	"state":{"enum":["open","closed",1]},"labels":{"type":"array","maxItems":2,"items":{"type":"string"}},"x":{"type":["string","null"]},
	"either":{"anyOf":[{"type":"string"},{"type":"object","required":["id"]}]},"never":false,"one":{"const":true}},
	"$defs":{"a/b":{"type":"object","properties":{"owner":{"type":"string"}},"required":["owner"]}}}`

func TestProblemsNameTheArgumentAndTheCorrection(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"title":"a","repo":{"owner":"me"}}`: "",
		`{"title":"a","repo":{"owner":"me"},"count":9.0,"state":1.0,"labels":["b"],"x":null,"either":{"id":1},"one":true}`: "",
		`{}`:                                 "title is required | repo is required",
		`{"title":7,"repo":{}}`:              "title must be a string, not 7 | repo.owner is required",
		`{"title":"","repo":{"owner":"me"}}`: "title has 0 characters; it must have at least 1",
		`{"title":"éééééé","repo":{"owner":"me"}}`:                   "title has 6 characters; it must have at most 5",
		`{"title":"a","repo":{"owner":"me"},"count":1.5}`:            "count must be an integer, not 1.5",
		`{"title":"a","repo":{"owner":"me"},"count":0}`:              "count must be at least 1 | count must be more than 0",
		`{"title":"a","repo":{"owner":"me"},"count":10}`:             "count must be less than 10",
		`{"title":"a","repo":{"owner":"me"},"state":"Open"}`:         `state must be one of "open", "closed", 1, not "Open"`,
		`{"title":"a","repo":{"owner":"me"},"labels":["b",1]}`:       "labels[1] must be a string, not 1",
		`{"title":"a","repo":{"owner":"me"},"labels":["b","c","d"]}`: "labels has 3 items; it must have at most 2",
		`{"title":"a","repo":{"owner":"me"},"x":1}`:                  "x must be a string or null, not 1",
		`{"title":"a","repo":{"owner":"me"},"either":{}}`:            "either.id is required",
		`{"title":"a","repo":{"owner":"me"},"never":1}`:              "never is not allowed",
		`{"title":"a","repo":{"owner":"me"},"one":false}`:            "one must be true",
		`{"title":"a","repo":{"owner":"me"},"tile":1}`: "tile is not an argument of this tool; it has title, repo, count, " +
			"state, labels, x, either, never, one",
		`[]`: "arguments must be an object, not an array",
	} {
		if got := strings.Join(Check(json.RawMessage(issue), json.RawMessage(arguments)), " | "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arguments, got, want)
		}
	}
}

func TestSchemasThatAreNotUnderstoodForbidNothing(t *testing.T) {
	for _, schema := range []string{
		``, `true`, `7`, `{}`, `{"type":"file"}`, `{"$ref":"https://example.org/x"}`, `{"$ref":"#/none"}`, `{"properties":[],"required":7}`,
		`{"enum":7}`, `{"$ref":"#"}`, `{"allOf":7}`, `{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`,
		`{"type":"object","additionalProperties":false,"allOf":[{"properties":{"a":{}}}]}`, `{"properties":{"a":{"minimum":1e999999999}}}`,
		`{"not":{}}`, `{"pattern":"^(?=x)"}`,
	} {
		if got := Check(json.RawMessage(schema), json.RawMessage(`{"a":1e999999999}`)); len(got) > 0 {
			t.Errorf("%s: %v", schema, got)
		}
	}
	if got := Check(json.RawMessage(`{"required":["a","b","c","d","e","f","g"]}`), json.RawMessage(`{}`)); len(got) != maxProblems {
		t.Errorf("got %d problems", len(got))
	}
}

// FuzzCheck compares Check with a complete implementation of JSON Schema, which must refuse
// all values that Check refuses.
func FuzzCheck(f *testing.F) {
	f.Add(issue, `{"title":7,"state":"x"}`)
	f.Add(`{"oneOf":[{"type":"string"},{"minimum":3}]}`, `2`)
	f.Add(`{"properties":{"a":{"items":{"enum":[1,"b"]}}},"additionalProperties":{"type":"null"}}`, `{"a":[2],"b":1}`)
	f.Add(`{"type":"array","prefixItems":[{}],"items":false}`, `[1,2]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
		instance, wrong := jsonschema.UnmarshalJSON(strings.NewReader(value))
		if err != nil || wrong != nil {
			return
		}
		problems := Check(json.RawMessage(strings.TrimSpace(schema)), json.RawMessage(strings.TrimSpace(value)))
		c := jsonschema.NewCompiler()
		if len(problems) == 0 || c.AddResource("s.json", parsed) != nil {
			return
		}
		compiled, err := c.Compile("s.json")
		if err == nil && compiled.Validate(instance) == nil {
			t.Errorf("%s for %s: %v", schema, value, problems)
		}
	})
}
