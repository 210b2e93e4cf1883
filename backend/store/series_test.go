package store

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

// callAt returns a call that was made the given number of minutes after began.
func callAt(minutes int, server, tool, client string, how journal.Outcome) journal.Record {
	return journal.Record{
		At: began.Add(time.Duration(minutes) * time.Minute), Kind: journal.Call, Client: client, Server: server, Tool: tool, Outcome: how,
	}
}

func TestCallsAreCountedByStepsAndClients(t *testing.T) {
	s, _ := openStore(t)
	progress := callAt(1, "a", "x", "", journal.OK)
	progress.Kind = journal.Progress
	keepCalls(t, s,
		callAt(-1, "a", "x", "zed", journal.OK), callAt(0, "a", "x", "zed", journal.OK), callAt(9, "a", "x", "cursor", journal.Failed),
		progress, callAt(10, "a", "y", "zed", journal.Refused), callAt(25, "b", "x", "zed", journal.ToolError),
		callAt(30, "a", "x", "cursor", journal.OK),
	)
	span := journal.Span{Since: began, Until: began.Add(30 * time.Minute), Step: 10 * time.Minute}
	for _, c := range []struct {
		q    journal.Query
		want map[int64]journal.Count
	}{
		{journal.Query{}, map[int64]journal.Count{0: {Calls: 2, Errors: 1}, 1: {Calls: 1, Errors: 1}, 2: {Calls: 1, Errors: 1}}},
		{journal.Query{Server: "a"}, map[int64]journal.Count{0: {Calls: 2, Errors: 1}, 1: {Calls: 1, Errors: 1}}},
		{journal.Query{Tool: "x"}, map[int64]journal.Count{0: {Calls: 2, Errors: 1}, 2: {Calls: 1, Errors: 1}}},
		{journal.Query{Server: "b", Tool: "y"}, map[int64]journal.Count{}},
	} {
		got, err := s.Calls.CountSteps(t.Context(), c.q, span)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: got %v, %v", c.q, got, err)
		}
	}
	for limit, want := range map[int]string{10: "[{cursor 2 30} {zed 2 0}]", 1: "[{cursor 2 30}]"} {
		uses, err := s.Calls.CountClients(t.Context(), journal.Query{Server: "a", Tool: "x", Limit: limit})
		var got []string
		for _, u := range uses {
			got = append(got, fmt.Sprintf("{%s %d %d}", u.Client, u.Calls, int(u.Last.Sub(began).Minutes())))
		}
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("limit %d: got %v, %v", limit, got, err)
		}
	}
}

func TestCallsAreCountedFromTheIndexAlone(t *testing.T) {
	s, _ := openStore(t)
	for _, query := range []string{
		"SELECT (at - 1) / 5, count(*), sum(outcome <> 'ok')" + fromCallsIndex +
			" WHERE server = 'a' AND tool = 'b' AND at >= 1 AND at < 9 AND kind = 'call' GROUP BY 1",
		"SELECT client, count(*), max(at)" + fromCallsIndex + " WHERE server = 'a' AND tool = 'b' AND kind = 'call' GROUP BY client",
	} {
		var id, parent, unused int
		var detail string
		if err := s.db.read.QueryRowContext(t.Context(), "EXPLAIN QUERY PLAN "+query).Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(detail, "COVERING INDEX calls_over_time") {
			t.Errorf("%s: %s", query, detail)
		}
	}
}
