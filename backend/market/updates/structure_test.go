package updates

import (
	"fmt"
	"testing"
)

func TestAnswersAreComparedByTheirStructure(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"sunny", "rain", "[]"},
		{"sunny", "", "[{ text empty}]"},
		{"sunny", `{"sky":"clear"}`, "[{ text object}]"},
		{`{"sky":"clear","wind":3}`, `{"wind":9.5,"sky":"grey"}`, "[]"},
		{`{"sky":"clear"}`, `{"sky":4}`, "[{sky text number}]"},
		{`{"sky":"clear"}`, `{"sky":{"now":"clear"}}`, "[{sky text object}]"},
		{`{"sky":{"now":"clear"}}`, `{}`, "[{sky object }]"},
		{`{"sky":"clear"}`, `{"sky":"clear","wind":3}`, "[{wind  number}]"},
		{`{"sky":null}`, `{"sky":"clear"}`, "[]"},
		{`{"at":{"sky":null}}`, `{"at":{"sky":{"now":"clear"}}}`, "[]"},
		{`[{"id":1},{"id":2}]`, `[{"id":3}]`, "[]"},
		{`[{"id":1}]`, `[]`, "[]"},
		{`[]`, `[{"id":1}]`, "[]"},
		{`[{"id":1}]`, `[{"name":"x"}]`, "[{[].id number } {[].name  text}]"},
		{`[1,"a"]`, `["b",2]`, "[]"},
		{`[1]`, `["b"]`, "[{[] number text}]"},
		{`{"a":1,"list":[{"id":1},{"i…`, `{"a":2,"list":[{"id":1,"x":1}],"rest":true}`, "[]"},
		{`{"a":1,"list":[{"id":1},{"i…`, `{"a":"2","list":[]}`, "[{a number text}]"},
		{`{"a":1}`, `{"b":1…`, "[{b  number}]"},
		{`{broken`, `{"a":1}`, "[{ text object}]"},
		{`{"a":1} and text`, `words`, "[]"},
	} {
		if got := fmt.Sprint(differences(test.before, test.after)); got != test.want {
			t.Errorf("%s and %s: got %s, want %s", test.before, test.after, got, test.want)
		}
	}
}
