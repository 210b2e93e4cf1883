package names

import (
	"encoding/json"
	"testing"
)

func TestVisibilityLimitsWhoMayCallATool(t *testing.T) {
	for _, row := range []struct {
		definition   string
		hidden, apps bool
	}{
		{`{"_meta":{"ui":{"visibility":["app"]}}}`, true, true},
		{`{"_meta":{"ui/visibility":["app"]}}`, true, true},
		{`{"_meta":{"ui":{"resourceUri":"ui://a"},"ui/visibility":["app"]}}`, true, true},
		{`{"_meta":{"ui":{"visibility":["model"]},"ui/visibility":["app"]}}`, false, false},
		{`{"_meta":{"ui":{"visibility":["model","app"]}}}`, false, true},
		{`{"_meta":{"ui":{"visibility":["\u0061pp"]}}}`, true, true},
		{`{"_meta":{"ui":{"visibility":[]}}}`, true, false},
		{`{"_meta":{"ui":{"visibility":"app"}}}`, false, true},
		{`{"_meta":{"ui":["app"]}}`, false, true},
		{`{"_meta":{"ui":{}}}`, false, true},
		{`{"visibility":["app"]}`, false, true},
		{`{}`, false, true},
		{``, false, true},
	} {
		definition := json.RawMessage(row.definition)
		if hidden, apps := HiddenFromModel(definition), ForApps(definition); hidden != row.hidden || apps != row.apps {
			t.Errorf("%s: hidden from models %v, for apps %v", definition, hidden, apps)
		}
	}
}

func TestTheViewOfAToolHasThreeSpellings(t *testing.T) {
	for definition, want := range map[string]string{
		`{"_meta":{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://b"}}`:      "ui://a",
		`{"_meta":{"openai/outputTemplate":"ui://c","ui/resourceUri":"ui:\/\/b"}}`: "ui://b",
		`{"_meta":{"openai/outputTemplate":"ui://c","ui":7}}`:                      "ui://c",
		`{"_meta":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://a"}`:             "",
		`{"_meta":7}`: "",
		``:            "",
	} {
		if got := ViewURI(json.RawMessage(definition)); got != want {
			t.Errorf("the view of %s is %q, want %q", definition, got, want)
		}
	}
}
