package cli

import (
	"strings"
	"testing"
)

func TestOnlyAClearYesIsOne(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, " YES \n": true, "yes": true, "\n": false, "": false, "no\n": false, "yep\n": false} {
		var out, err strings.Builder
		p := &program{in: strings.NewReader(answer), out: &out, err: &err}
		if got := p.confirm("Forget?"); got != want || out.String() != "Forget? [y/N] " {
			t.Errorf("%q: got %v, asked %q", answer, got, out.String())
		}
		p = &program{in: strings.NewReader(answer), out: &out, err: &err, json: true}
		if p.confirm("Sure?"); !strings.Contains(err.String(), "Sure?") || strings.Contains(out.String(), "Sure?") {
			t.Error("a question stands between the JSON")
		}
	}
}

func TestAnExportDoesNotSteerTheTerminal(t *testing.T) {
	var out strings.Builder
	p := &program{out: &out}
	if err := p.showLines(strings.NewReader("one\n\x1b[2Jtwo\nthree")); err != nil || out.String() != "one\n\\x1b[2Jtwo\nthree" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
