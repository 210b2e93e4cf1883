package cli

import (
	"strings"
	"testing"
)

func TestConfirmAcceptsOnlyYes(t *testing.T) {
	for answer, want := range map[string]bool{
		"y\n": true, " YES \n": true, "yes": true, "\n": false, "": false, "no\n": false, "yep\n": false,
	} {
		var out, err strings.Builder
		p := &program{in: strings.NewReader(answer), out: &out, err: &err}
		if got := p.confirm("Forget?"); got != want || out.String() != "Forget? [y/N] " {
			t.Errorf("answer %q: got %v after printing %q", answer, got, out.String())
		}
		p = &program{in: strings.NewReader(answer), out: &out, err: &err, json: true}
		if p.confirm("Sure?"); !strings.Contains(err.String(), "Sure?") || strings.Contains(out.String(), "Sure?") {
			t.Error("with --json, the question was printed to standard output")
		}
	}
}

func TestLogFilterSetsALimitExceptForExports(t *testing.T) {
	for want, f := range map[string]logFilter{
		"limit=20":               {},
		"limit=-3":               {limit: -3},
		"format=csv":             {export: "csv"},
		"format=csv&limit=7":     {export: "csv", limit: 7},
		"kind=a&kind=b&limit=20": {kinds: []string{"a", "b"}},
		"limit=20&server=s&since=1&success=false&text=x&tool=t&until=2": {
			server: "s", tool: "t", since: "1", until: "2", text: "x", failed: true,
		},
	} {
		if got := f.query().Encode(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestExportToATerminalEscapesControlCharacters(t *testing.T) {
	var out strings.Builder
	c := logCommands{&program{out: &out}}
	if err := c.printLines(strings.NewReader("one\n\x1b[2Jtwo\nthree")); err != nil || out.String() != "one\n\\x1b[2Jtwo\nthree" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
