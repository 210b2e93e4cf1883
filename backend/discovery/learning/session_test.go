package learning

import (
	"fmt"
	"testing"
	"time"
)

func TestCallsCountForTheQueriesTheyAnswer(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"a shown tool is called":                       {"ask read mail > a b; ok b", "read mail=b 1"},
		"a call without a query":                       {"ok a", ""},
		"a failed call":                                {"ask read mail > a; fail a", ""},
		"only the first success counts":                {"ask read mail > a b; ok a; ok b; ok a", "read mail=a 1"},
		"a success after a failure":                    {"ask read mail > a b; fail a; ok b", "read mail=b 1"},
		"after ten minutes":                            {"ask read mail > a; wait 10m; ok a", "read mail=a 1"},
		"after more than ten minutes":                  {"ask read mail > a; wait 10m1s; ok a", ""},
		"a tool that was not shown, after two minutes": {"ask read mail > b; wait 2m; ok a", "read mail=a 1"},
		"a tool that was not shown, later":             {"ask read mail > b; wait 2m1s; ok a", ""},
		"nothing was shown":                            {"ask read mail >; ok a", "read mail=a 1"},
		"a shown tool replaces one that was not shown": {"ask read mail > b; ok a; ok b; ok a", "read mail=b 1"},
		"a query is repeated later": {
			"ask read mail > a; ok a; wait 11m; ask read mail > a; ok a", "read mail=a 2",
		},
		"a query is repeated soon": {
			"ask read mail > a; ok a; wait 1m; ask read mail > a; ok a", "read mail=a 1",
		},
		"the same words in another order": {
			"ask read mail > a; ok a; wait 11m; ask mails to read > a; ok a", "read mail=a 2",
		},
		"two queries, each with its tool": {
			"ask read mail > a; wait 5s; ask open door > b; wait 5s; ok b; ok a", "open door=b 1, read mail=a 1",
		},
		"two queries that show both tools": {
			"ask read mail > a b; wait 5s; ask open door > b a; ok a; ok b", "read mail=a 1, open door=b 1",
		},
		"the newest of two equal queries": {
			"ask read mail > a; wait 5s; ask open door > a; ok a", "open door=a 1",
		},
		"a query for something else": {
			"ask read mail > b; wait 5s; ask paint wall > a; ok a", "paint wall=a 1",
		},
		"restated after nothing was found": {
			"ask frob mail >; wait 5s; ask read letter > a; ok a", "read letter=a 1, frob mail=a 1",
		},
		"restated with a shared word": {
			"ask frob mail > b; wait 5s; ask read mail > a; ok a", "read mail=a 1, frob mail=a 1",
		},
		"restated too late": {
			"ask frob mail > b; wait 121s; ask read mail > a; ok a", "read mail=a 1",
		},
		"the opposite action with the same words": {
			"ask remove mail > b; wait 5s; ask create mail > a; ok a", "create mail=a 1",
		},
		"a similar query that showed the tool": {
			"ask my unread mail > b a; wait 5m; ask unread mail today > a; ok a", "unread mail today=a 1, my unread mail=a 1",
		},
		"a later query is no restatement": {
			"ask read mail > a; wait 5s; ask frob mail > b; ok a", "read mail=a 1",
		},
		"concurrent queries are separate": {
			"ask read mail > a b; ask sort mail > b a; ok a; ok b", "read mail=a 1, sort mail=b 1",
		},
		"concurrent queries and a tool that was not shown": {"ask read mail > a; ask sort mail > b; ok c", ""},
		"concurrent queries are no restatements":           {"ask frob mail >; ask read mail > a; ok a", "read mail=a 1"},
		"the sixth query replaces the first": {
			"ask q one > a; wait 5s; ask q two >; wait 5s; ask r three >; wait 5s; ask r four >; wait 5s; ask r five >; wait 150s; ask " +
				"r six >; wait 150s; ok a", "",
		},
		"five queries are kept": {
			"ask q one > a; wait 5s; ask r two >; wait 5s; ask r three >; wait 5s; ask r four >; wait 5s; ask r five >; wait 150s; ok a",
			"q one=a 1",
		},
		"a later failure counts once": {
			"ask read mail > a; ok a; wait 11m; ask read mail > a b; fail a; fail a; ok b", "read mail=a 1-1, read mail=b 1",
		},
		"a retry with success is no failure": {
			"ask read mail > a; ok a; wait 11m; ask read mail > a; fail a; ok a", "read mail=a 2",
		},
		"a failure of a tool that was not shown": {"ask read mail > b; ok a; fail a", "read mail=a 1"},
		"concurrent queries are not restated later": {
			"ask frob mail >; ask sort mail > b; wait 5s; ask read mail > a; ok a", "read mail=a 1",
		},
		"a call in between ends the message": {
			"ask read mail > a; ok a; ask frob mail > b; ok c", "read mail=a 1, frob mail=c 1",
		},
		"a failed call in between ends the message": {
			"ask read mail > a; fail a; ask frob mail > b; ok c", "frob mail=c 1, read mail=c 1",
		},
		"a call for an earlier message does not end the current one": {
			"ask open door > x; wait 5s; ask frob mail > b; ok x; ask sort mail > b; ok c", "open door=x 1",
		},
		"queries of one slow request": {"ask read mail > a | sort mail > b; wait 5s; ok c", ""},
		"similar concurrent queries":  {"ask unread mail today > a; ask unread mail > a; ok a", "unread mail=a 1"},
		"a failure after a success":   {"ask read mail > a; ok a; fail a", "read mail=a 1"},
		"a known tool after another query found nothing": {
			"ask read mail > a; ok a; wait 5s; ask frob thing >; ok a", "read mail=a 1, frob thing=a 1",
		},
		"a known tool before the tool of another query": {
			"ask read mail > a; ok a; wait 5s; ask frob thing > b; ok a; ok b", "read mail=a 1, frob thing=b 1",
		},
		"a repeated call for the first query": {
			"ask read mail > a; ok a; wait 5s; ask frob thing > b a; ok a; ok b", "read mail=a 1, frob thing=b 1",
		},
		"queries without content": {"ask what is it for me > a; ok a; wait 5s; ask 42 > b; ok b; ask  > c; ok c", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.play(c.script)
			if got := d.learned(); got != c.want {
				t.Errorf("learned %q, want %q", got, c.want)
			}
			again := &fixture{t: t, store: &memoryStore{pairs: d.stored(), last: 99}, clock: d.clock}
			if again.open(true); again.learned() != d.learned() {
				t.Errorf("after a restart, learned %q, want %q", again.learned(), d.learned())
			}
		})
	}
}

func TestCallsOfOtherSessionsDoNotCount(t *testing.T) {
	d := newFixture(t)
	d.Asked("one", Answer{"read mail", keys("a")})
	d.Called("two", key("a"), true)
	if got := d.learned(); got != "" {
		t.Errorf("learned %s, want nothing", got)
	}
}

func TestTheNumberOfSessionsIsLimited(t *testing.T) {
	d := newFixture(t)
	for i := range maxSessions + 10 {
		d.clock = d.clock.Add(time.Millisecond)
		d.Asked(fmt.Sprint(i), Answer{"read mail", keys("a")})
	}
	d.Called("0", key("a"), true)
	if len(d.sessions) != maxSessions || d.learned() != "" {
		t.Errorf("got %d sessions, want %d; learned %q from a dropped one", len(d.sessions), maxSessions, d.learned())
	}
	if d.Called(fmt.Sprint(maxSessions), key("a"), true); d.learned() == "" {
		t.Error("nothing was learned from a session that was kept")
	}
}
