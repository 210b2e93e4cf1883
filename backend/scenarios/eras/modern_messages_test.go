package eras_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// withMeta returns ModernMeta with one more member.
func withMeta(member string) string {
	return strings.TrimSuffix(hubtest.ModernMeta, "}") + "," + member + "}"
}

const wantsInfo = `"io.modelcontextprotocol/logLevel":"info"`

// telling returns the members of a tools/call request that makes a server send a log message of the given level.
func telling(level string) string {
	return `"name":"one__tell","arguments":{"method":"notifications/message","params":{"level":"` + level + `","data":"told"}}`
}

func TestAModernRequestGetsTheLogMessagesItAskedFor(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Arrive(t, h)
	for _, row := range []struct {
		level, meta string
		want        bool
	}{
		{"warning", withMeta(wantsInfo), true},
		{"info", withMeta(wantsInfo), true},
		{"debug", withMeta(wantsInfo), false},
		{"emergency", hubtest.ModernMeta, false},
	} {
		a.Notices = nil
		if got := a.Exchange("tools/call", "{"+telling(row.level)+","+row.meta+"}"); !strings.Contains(got, "done") {
			t.Fatal(got)
		}
		want := `[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + row.level + `","data":"told"}}]`
		// Ignore the log message with which the server confirms its new level: it may
		// arrive before the call or during it.
		got := slices.DeleteFunc(a.Notices, func(line string) bool { return strings.Contains(line, "so be it") })
		if (fmt.Sprint(got) == want) != row.want || !row.want && len(got) > 0 {
			t.Errorf("%s: got %s before the result", row.level, got)
		}
	}
	if got := a.Exchange("tools/call", "{"+telling("info")+","+strings.Replace(withMeta(wantsInfo), `"info"`, `"loud"`, 1)+
		"}"); !strings.Contains(got, `"error":{"code":-32602,"message":"Invalid params: unknown log level \"loud\""}`) {
		t.Error(got)
	}
}

func TestLogMessagesOfOthersDoNotReachAModernRequest(t *testing.T) {
	h := hubtest.Offering(t)
	a, b := hubtest.Arrive(t, h), hubtest.Arrive(t, h)
	b.Holds()
	a.Exchange("tools/call", "{"+telling("error")+","+withMeta(wantsInfo)+"}")
	for _, line := range append(a.Notices, b.Notices...) {
		t.Errorf("unexpected: %s", line)
	}
}

func TestTheMostVerboseLogLevelReachesTheServer(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Arrive(t, h)
	read := func(level string) {
		t.Helper()
		got := a.Exchange("resources/read",
			`{"uri":"one+note://level",`+strings.Replace(withMeta(wantsInfo), `"info"`, `"`+level+`"`, 1)+`}`)
		if !strings.Contains(got, `"text":"`+level+`"`) {
			t.Errorf("while a call wants %s: %s", level, got)
		}
	}
	read("alert")
	read("info")
	legacy := hubtest.Join(t, h, "agent")
	legacy.Exchange("resources/read", `{"uri":"one+note://1"}`)
	legacy.Exchange("logging/setLevel", `{"level":"critical"}`)
	if got := legacy.Exchange("resources/read", `{"uri":"one+note://level"}`); !strings.Contains(got, `"text":"critical"`) {
		t.Errorf("after the call that wanted more: %s", got)
	}
	read("error")
	if got := a.Exchange("resources/read", `{"uri":"one+note://level",`+withMeta(`"io.modelcontextprotocol/logLevel":"emergency"`)+
		`}`); !strings.Contains(got, `"text":"critical"`) {
		t.Errorf("while another client wants more: %s", got)
	}
}

func TestAnOldServerAsksAModernClientForItsRoots(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{}, `AGENT_DISCOVER_ROOTS=file:///from/settings`)
	hubtest.AddOffering(t, h, "one")
	const call = `"name":"one__ask","arguments":{"method":"roots/list"}`
	a := hubtest.Arrive(t, h)
	if got := a.Modern("tools/call", call); !strings.Contains(got, "/from/settings") {
		t.Errorf("a client without roots: %s", got)
	}
	roots := strings.Replace(hubtest.ModernMeta, `"elicitation":{}`, `"roots":{}`, 1)
	first := hubtest.ReadRequired(t, a.Exchange("tools/call", "{"+call+","+roots+"}"))
	if r := first.Result; len(r.InputRequests) != 1 || r.InputRequests["q1"].Method != "roots/list" {
		t.Fatalf("got %+v", r)
	}
	retry := fmt.Sprintf(`{%s,"inputResponses":{"q1":{"roots":[{"uri":"file:///mine"}]}},"requestState":%q,%s}`, call,
		first.Result.RequestState, roots)
	if got := a.Exchange("tools/call", retry); !strings.Contains(got, `file:///mine`) || strings.Contains(got, "/from/settings") {
		t.Errorf("got %s", got)
	}
}

// The hub cannot know to which of two clients a server's question belongs.
func TestAQuestionThatMayBeOfAnotherClientGoesToTheWindow(t *testing.T) {
	h := hubtest.Offering(t)
	a, b := hubtest.Arrive(t, h), hubtest.Arrive(t, h)
	b.Holds()
	for _, method := range []string{"elicitation/create", "sampling/createMessage"} {
		got := a.Modern("tools/call", `"name":"one__ask","arguments":{"method":"`+method+`","params":{"message":"Which?"}}`)
		if !strings.Contains(got, "no window of Agent Discover is open") || strings.Contains(got, "input_required") {
			t.Errorf("%s: %s", method, got)
		}
	}
}
