package journal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// outcomes maps the letters that stand for calls in the tests to the outcomes of these calls.
var outcomes = map[rune]Outcome{'o': OK, 'x': ToolError, 'f': Failed, 't': Timeout, 'c': Cancelled, 'r': Refused}

func TestCallsFailOnceHalfOfTheLastTenDo(t *testing.T) {
	for calls, want := range map[string]bool{
		"":                      false,
		"xxxx":                  false, // too few
		"xxxxx":                 true,
		"xxxxxxxxxxxxxxxxxxx":   true,
		"xftxf":                 true,
		"oxoxx":                 true,
		"oooxx":                 false,
		"oooooooooooooxoxoxoxx": true, // only the last ten count
		"xxxxxooooo":            false,
		"xxxxxxxooo":            false, // three successes in a row end the failures
		"xxxxxxxxoo":            true,
		"ccccccccc":             false, // cancelled by the client
		"rrrrrrrrr":             false, // refused by the hub
		"xxxxcrcrx":             true,
	} {
		j, stop := start(t, &memory{})
		for _, c := range calls {
			j.Record(Record{Server: "s", Tool: "t", Outcome: outcomes[c]}, nil, nil, nil)
		}
		stop()
		if got := j.Recent("s", time.Time{}); got.Fail() != want {
			t.Errorf("%q: got %v for %+v, want %v", calls, got.Fail(), got, want)
		}
	}
}

func TestMistakesOfCallersDoNotMarkAServer(t *testing.T) {
	m := &memory{}
	j, stop := start(t, m)
	for _, text := range []string{"MCP error -32602: Tool nope not found", "MCP error -32601: Method not found"} {
		for range 5 {
			j.Record(Record{Server: "s", Tool: "t", Outcome: ToolError}, nil,
				json.RawMessage(`{"content":[{"type":"text","text":"`+text+`"}],"isError":true}`), nil)
			j.Record(Record{Server: "s", Tool: "t", Outcome: Failed, Response: text}, nil, nil, nil)
		}
	}
	j.Record(Record{Server: "s", Tool: "t", Outcome: Failed, Response: "MCP error -32603: broken"}, nil, nil, nil)
	stop()
	for range 2 {
		if got := j.Recent("s", time.Time{}); got.Calls != 1 || got.Errors != 1 {
			t.Errorf("got %+v, want one failure", got)
		}
		j, stop = start(t, m) // after a restart
		defer stop()
	}
}

func TestTheLastFailureIsKept(t *testing.T) {
	j, stop := start(t, &memory{})
	for _, r := range []Record{
		{Outcome: Failed, Response: "first"},
		{Outcome: ToolError, Response: "401 Unauthorized " + strings.Repeat("é", maxReason)},
		{Outcome: OK, Response: "fine"},
		{Outcome: Refused, Response: "refused by a rule"},
	} {
		r.Server, r.Tool = "s", "t"
		j.Record(r, nil, nil, nil)
	}
	stop()
	got := j.Recent("s", time.Time{}).Last
	if !strings.HasPrefix(got, "401 Unauthorized é") || len(got) > maxReason || !utf8.ValidString(got) {
		t.Errorf("got %q", got)
	}
}

func TestRecentCallsSurviveARestartAndEndWithTheServer(t *testing.T) {
	m := &memory{}
	j, stop := start(t, m)
	for range 19 {
		j.Record(Record{Server: "github", Tool: "t", Outcome: ToolError}, nil, nil, nil)
		j.Record(Record{Server: "other", Tool: "t", Outcome: OK}, nil, nil, nil)
	}
	stop()
	j, stop = start(t, m)
	defer stop()
	if got := j.Recent("github", time.Time{}); got.Calls != 10 || got.Errors != 10 || !got.Fail() {
		t.Errorf("after a restart: %+v", got)
	}
	if j.Recent("other", time.Time{}).Fail() {
		t.Error("a server whose calls succeed is reported")
	}
	if got := j.Recent("github", time.Now().Add(time.Second)); got.Calls != 0 {
		t.Errorf("calls before a change count: %+v", got)
	}
	if err := j.Forget(t.Context(), "github"); err != nil {
		t.Fatal(err)
	}
	if got := j.Recent("github", time.Time{}); got.Calls != 0 {
		t.Errorf("after the server was removed: %+v", got)
	}
}
