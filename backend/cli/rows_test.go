package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestColumnsAreAligned(t *testing.T) {
	var out bytes.Buffer
	p := &program{out: &out}
	table := p.table("NAME", "STATE", "NOTE")
	_, _ = fmt.Fprintf(table, "a\trunning\tx\n")
	_, _ = fmt.Fprintf(table, "größer\tfailing, always listed\t\n")
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "NAME    STATE                   NOTE\n" +
		"a       running                 x\n" +
		"größer  failing, always listed\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestStatesAreColouredBesideTheirWords(t *testing.T) {
	var out bytes.Buffer
	p := &program{out: &out, colour: true}
	table := p.table("NAME", "STATE", "NOTE")
	_, _ = fmt.Fprintf(table, "running\tfailing, always listed\tfailing\n")
	_ = table.Flush()
	if got := out.String(); !strings.Contains(got, "running  "+red+"failing"+plain+", always listed  failing\n") {
		t.Errorf("got %q", got)
	}
	for variables, want := range map[string]bool{"": true, "NO_COLOR=1": false, "TERM=dumb": false, "TERM=xterm": true} {
		name, value, _ := strings.Cut(variables, "=")
		lookup := func(asked string) string {
			if asked == name {
				return value
			}
			return ""
		}
		if got := wantsColour(true, lookup); got != want {
			t.Errorf("%q: colour is %v", variables, got)
		}
		if wantsColour(false, lookup) {
			t.Errorf("%q: colour without a terminal", variables)
		}
	}
}

func TestTimesMayBeSpansBeforeNow(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.FixedZone("", 3600))
	for value, want := range map[string]string{
		"1h": "2026-01-31T10:00:00Z", "90m": "2026-01-31T09:30:00Z", "7d": "2026-01-24T11:00:00Z", "2w": "2026-01-17T11:00:00Z",
		"2026-01-30": "2026-01-30", "2026-01-30T08:00:00+01:00": "2026-01-30T08:00:00+01:00", "": "",
	} {
		if got, err := timeFlag("since", value, now); got != want || err != nil {
			t.Errorf("%s: got %s, %v", value, got, err)
		}
	}
	for _, value := range []string{"yesterday", "1y", "-1h", "1.5h", "2026-13-01"} {
		if _, err := timeFlag("since", value, now); err == nil || !strings.Contains(err.Error(), "--since "+value) {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestJSONHasOneFormatForTimes(t *testing.T) {
	got, err := jsonText(map[string]any{
		"created_at": "2026-01-31 08:00:00", "at": "2026-01-31T09:00:00.123456+01:00", "timestamp": "2026-01-31T08:00:00.006Z",
		"last_health_check": nil, "note": "2026-01-31 08:00:00",
	})
	want := `{
  "at": "2026-01-31T08:00:00.123Z",
  "created_at": "2026-01-31T08:00:00Z",
  "last_health_check": null,
  "note": "2026-01-31 08:00:00",
  "timestamp": "2026-01-31T08:00:00.006Z"
}
`
	if got != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
