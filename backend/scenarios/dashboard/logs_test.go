package dashboard_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestLogIsReadOverREST(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.RecordCalls(h)
	all := []string{`"id":1,`, `"id":2,`, `"id":3,`, `"id":4,`, `"id":5,`, `"id":6,`}
	// only returns the texts that an answer must contain, and the texts that it must not contain, so that
	// the answer lists exactly the entries with the given ids and states the given total.
	only := func(total int, ids ...int) (want, never []string) {
		want, never = []string{fmt.Sprintf(`"total":%d`, total)}, append(never, all...)
		for _, id := range ids {
			want, never[id-1] = append(want, all[id-1]), "never in an answer"
		}
		return want, never
	}
	rows := []hubtest.Row{
		{Name: "one entry", Method: "GET", Path: "/api/logs?limit=1&before_id=2", Status: 200, Want: []string{
			`{"id":1,"timestamp":"2026-03-14T09:26:53.589Z","server":"one","tool":"echo","args":{"text":"=1+1"},"response":"=1+1\n\né",` +
				`"latency_ms":2,"success":true,"kind":"call","outcome":"ok","client":"claude","session":"s1"}`,
		}},
		{
			Name: "large number", Method: "GET", Path: "/api/logs?tool=sum", Status: 200,
			Want: []string{`"args":{"a":9007199254740993}`, `"response":"{\"sum\":1}"`},
		},
		{
			Name: "failed call", Method: "GET", Path: "/api/logs?tool=fail", Status: 200,
			Want: []string{`"args":{}`, `"response":"no luck"`, `"success":false`, `"outcome":"tool_error"`},
		},
		{
			Name: "truncated arguments", Method: "GET", Path: "/api/logs?tool=long", Status: 200,
			Want: []string{`"args":"{\"text\":\"xxx`, `xxx…"`}, Never: []string{strings.Repeat("x", 4097)},
		},
		{
			Name: "notifications", Method: "GET", Path: "/api/logs/notifications", Status: 200,
			Want:  []string{`{"entries":[{"id":5,`, `"args":{"level":"info"},"response":"{\"level\":\"info\"}"`},
			Never: []string{"total\":6", `"id":6`},
		},
		{
			Name: "progress", Method: "GET", Path: "/api/logs/progress", Status: 200,
			Want:  []string{`{"entries":[{"id":6,`, `"args":{"token":"sum","progress":1,"total":4},"response":""`},
			Never: []string{`"id":5`},
		},
		{
			Name: "limit is not a number", Method: "GET", Path: "/api/logs?limit=many", Status: 400,
			Want: []string{`{"error":"limit is \"many\"; it must be a whole number","code":`},
		},
		{Name: "offset is not an integer", Method: "GET", Path: "/api/logs?offset=1.5", Status: 400, Want: []string{"offset"}},
		{Name: "before_id is not a number", Method: "GET", Path: "/api/logs?before_id=x", Status: 400, Want: []string{"before_id"}},
		{
			Name: "unknown kind", Method: "GET", Path: "/api/logs?kind=call,cal", Status: 400,
			Want: []string{`kind is \"cal\"; it must be one of: call, ping, resource-read`},
		},
		{Name: "unknown outcome", Method: "GET", Path: "/api/logs?outcome=bad", Status: 400, Want: []string{`one of: ok, tool_error`}},
		{Name: "success is not a boolean", Method: "GET", Path: "/api/logs?success=maybe", Status: 400, Want: []string{"true or false"}},
		{
			Name: "since is not a time", Method: "GET", Path: "/api/logs?since=yesterday", Status: 400,
			Want: []string{`since is \"yesterday\"`, "2026-01-31"},
		},
		{Name: "until is not a date", Method: "GET", Path: "/api/logs?until=2026-02-30", Status: 400, Want: []string{"until"}},
		{
			Name: "text is too long", Method: "GET", Path: "/api/logs?text=" + strings.Repeat("x", 257),
			Status: 400, Want: []string{"256 bytes"},
		},
		{
			Name: "export with an invalid filter", Method: "GET", Path: "/api/logs/export?since=x", Status: 400, Want: []string{"since"},
			Never: []string{"attachment"},
		},
		{
			Name: "export in an unknown format", Method: "GET", Path: "/api/logs/export?format=xml", Status: 400,
			Want: []string{"jsonl or csv"},
		},
		{Name: "export as JSON lines", Method: "GET", Path: "/api/logs/export?kind=call&limit=1", Status: 200, Want: []string{
			`Content-Disposition: attachment; filename="agent-discover-log.jsonl"`, "Content-Type: application/jsonl", `{"id":4,`,
		}, Never: []string{`"id":3`}},
		{Name: "export as CSV", Method: "GET", Path: "/api/logs/export?format=csv&tool=echo", Status: 200, Want: []string{
			`filename="agent-discover-log.csv"`, "Content-Type: text/csv", "id,timestamp,",
			"\n1,2026-03-14T09:26:53.589Z,one,echo,call,claude,s1,ok,true,2,\"{\"\"text\"\":\"\"=1+1\"\"}\",\"'=1+1\n",
		}},
	}
	for _, c := range []struct {
		query string
		total int
		ids   []int
	}{
		{"", 6, []int{1, 2, 3, 4, 5, 6}},
		{"?limit=2&offset=1", 6, []int{5, 4}},
		{"?limit=-5&offset=-3", 6, []int{6}},
		{"?limit=0", 6, []int{1, 2, 3, 4, 5, 6}},
		{"?offset=4", 6, []int{1, 2}},
		{"?limit=100000", 6, []int{1, 2, 3, 4, 5, 6}},
		{"?before_id=4&limit=2", 6, []int{3, 2}},
		{"?before_id=-1", 6, nil},
		{"?server=two", 1, []int{5}},
		{"?server=one&tool=sum", 1, []int{2}},
		{"?kind=notification", 1, []int{5}},
		{"?kind=notification,progress", 2, []int{5, 6}},
		{"?kind=notification&kind=progress", 2, []int{5, 6}},
		{"?success=false", 1, []int{3}},
		{"?success=true&kind=call", 3, []int{1, 2, 4}},
		{"?outcome=tool_error", 1, []int{3}},
		{"?since=2026-03-14T11:00:00Z&until=2026-03-15T09:26:53Z", 2, []int{3, 4}},
		{"?since=2026-03-14T12:26:53%2B01:00&until=2026-03-14T12:26:54Z", 2, []int{3, 4}},
		{"?text=LUCK", 1, []int{3}},
		{"?text=%C3%89", 1, []int{1}},
		{"?text=" + strings.Repeat("x", 256), 1, []int{4}},
		{"?server=nobody", 0, nil},
	} {
		want, never := only(c.total, c.ids...)
		rows = append(rows, hubtest.Row{
			Name: "entries " + c.query, Method: "GET", Path: "/api/logs" + c.query, Status: 200, Want: want, Never: never,
		})
	}
	for _, r := range rows {
		r.Send(t, h)
	}
}

func TestDaysOfTheLogAreLocal(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := hubtest.RunHub(t, hub.Options{})
	for hour := range 3 { // the last hour of a day and the first two of the next
		at := time.Date(2026, 3, 15, hour-1, 30, 0, 0, time.Local)
		h.Journal().Record(journal.Record{At: at, Outcome: journal.OK}, nil, nil, nil)
	}
	for _, r := range []hubtest.Row{
		{
			Name: "since a day", Method: "GET", Path: "/api/logs?since=2026-03-15", Status: 200,
			Want: []string{`"id":3`, `"id":2`, `"total":2`},
		},
		{Name: "until a day", Method: "GET", Path: "/api/logs?until=2026-03-14", Status: 200, Want: []string{`"id":1`, `"total":1`}},
		{Name: "one day", Method: "GET", Path: "/api/logs?since=2026-03-15&until=2026-03-15", Status: 200, Want: []string{`"total":2`}},
	} {
		r.Send(t, h)
	}
}

func TestLongLogIsExportedCompletely(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	const n = 1234
	for i := range n {
		h.Journal().Record(journal.Record{Server: "s", Tool: "t", Outcome: journal.OK},
			json.RawMessage(fmt.Sprintf(`{"i":%d}`, i)), nil, nil)
	}
	client := instance.NewClient(h.Info())
	var page struct{ Entries []operations.LogEntry }
	if err := client.Do(t.Context(), http.MethodGet, "/api/logs?limit=100000", nil, &page); err != nil || len(page.Entries) != 500 {
		t.Errorf("a page has %d entries, want at most 500; error %v", len(page.Entries), err)
	}
	var lines, sheet strings.Builder
	if err := errors.Join(client.Download(t.Context(), "/api/logs/export?format=jsonl", &lines),
		client.Download(t.Context(), "/api/logs/export?format=csv", &sheet)); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(lines.String()))
	rows, err := csv.NewReader(strings.NewReader(sheet.String())).ReadAll()
	if err != nil || len(rows) != n+1 {
		t.Fatalf("the CSV export has %d rows, want %d; error %v", len(rows), n+1, err)
	}
	for i := range n {
		var e operations.LogEntry
		want := fmt.Sprintf(`{"i":%d}`, n-1-i)
		if err := decoder.Decode(&e); err != nil || string(e.Args) != want || rows[i+1][10] != want {
			t.Fatalf("entry %d: %s as JSON and %s as CSV, error %v, want %s", i, e.Args, rows[i+1][10], err, want)
		}
	}
}

// missingFrom describes the first part of want that got lacks; "" for none. Objects in
// got may have more members.
func missingFrom(got, want any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			if missing := missingFrom(object[name], value, path+"."+name); missing != "" {
				return missing
			}
		}
		return ""
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			return fmt.Sprintf("%s has %d elements, not %d", path, len(list), len(want))
		}
		for i := range want {
			if missing := missingFrom(list[i], want[i], fmt.Sprintf("%s[%d]", path, i)); missing != "" {
				return missing
			}
		}
		return ""
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%s is %v, not %v", path, got, want)
	}
	return ""
}

func TestLogAndMetricsMatchTheOriginal(t *testing.T) {
	var log struct{ Entries []operations.LogEntry }
	recordedBody(t, "123-rest-logs", &log)
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := hubtest.RunHub(t, hub.Options{})
	for i := len(log.Entries) - 1; i >= 0; i-- {
		e, how := log.Entries[i], journal.OK
		if !e.Success {
			how = journal.Failed
		}
		at, err := time.Parse(time.RFC3339, e.Timestamp)
		var args bytes.Buffer
		if err := errors.Join(err, json.Compact(&args, e.Args)); err != nil {
			t.Fatal(err)
		}
		h.Journal().Record(journal.Record{
			At: at, Kind: journal.Kind(e.Kind), Server: e.Server, Tool: e.Tool, Response: e.Response,
			Outcome: how, Latency: time.Duration(e.LatencyMS) * time.Millisecond,
		}, args.Bytes(), nil, nil)
	}
	client := instance.NewClient(h.Info())
	for _, name := range []string{"from-setup", "local-extra", "everything"} {
		if err := client.Do(t.Context(), http.MethodPost, "/api/servers",
			map[string]string{"name": name, "command": "x"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, path string }{
		{"121-rest-metrics-server", "/api/servers/3/metrics"},
		{"122-rest-metrics", "/api/metrics"},
		{"123-rest-logs", "/api/logs"},
		{"124-rest-logs-limit", "/api/logs?limit=2&offset=1"},
		{"125-rest-logs-limit-neg", "/api/logs?limit=-5&offset=-3"},
		{"126-rest-logs-notifications", "/api/logs/notifications"},
		{"127-rest-logs-progress", "/api/logs/progress"},
	} {
		var got, want any
		recordedBody(t, c.name, &want)
		if err := client.Do(t.Context(), http.MethodGet, c.path, nil, &got); err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		if missing := missingFrom(got, want, ""); missing != "" {
			t.Errorf("%s: %s", c.path, missing)
		}
	}
}
