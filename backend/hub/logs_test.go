package hub_test

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
)

// firstCall is the time of the first call that recordCalls records.
var firstCall = time.Date(2026, 3, 14, 9, 26, 53, 589_000_000, time.UTC)

// recordCalls adds six entries to the log, with the ids 1 to 6: four calls of one
// server, an hour apart, and later a notification and a progress message.
func recordCalls(h *hub.Hub) {
	j := h.Journal()
	call := func(hours int, tool, args, result string, how journal.Outcome) {
		j.Record(journal.Record{
			At: firstCall.Add(time.Duration(hours) * time.Hour), Client: "claude", Session: "s1", Server: "one", Tool: tool,
			Outcome: how, Latency: 1600 * time.Microsecond,
		}, json.RawMessage(args), json.RawMessage(result), nil)
	}
	call(0, "echo", `{"text":"=1+1"}`, `{"content":[{"type":"text","text":"=1+1"},{"type":"image","data":"AA=="},{"type":"text","text":"é"}]}`, journal.OK)
	call(1, "sum", `{"a":9007199254740993}`, `{"structuredContent":{"sum":1},"content":[]}`, journal.OK)
	call(2, "fail", ``, `{"content":[{"type":"text","text":"no luck"}],"isError":true}`, journal.ToolError)
	call(3, "long", `{"text":"`+strings.Repeat("x", 5000)+`"}`, `{"content":[]}`, journal.OK)
	j.Record(journal.Record{
		At: firstCall.Add(24 * time.Hour), Kind: journal.Notification, Server: "two", Tool: "notifications/message",
		Response: `{"level":"info"}`, Outcome: journal.OK,
	}, json.RawMessage(`{"level":"info"}`), nil, nil)
	j.Record(journal.Record{
		At: firstCall.Add(48 * time.Hour), Kind: journal.Progress, Server: "one", Tool: "progress", Outcome: journal.OK,
	}, json.RawMessage(`{"token":"sum","progress":1,"total":4}`), nil, nil)
}

func TestLogIsReadOverREST(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := runHub(t, hub.Options{})
	recordCalls(h)
	all := []string{`"id":1,`, `"id":2,`, `"id":3,`, `"id":4,`, `"id":5,`, `"id":6,`}
	// only returns what an answer must and must not contain for a page with these ids of
	// so many entries in all.
	only := func(total int, ids ...int) (want, never []string) {
		want, never = []string{fmt.Sprintf(`"total":%d`, total)}, append(never, all...)
		for _, id := range ids {
			want, never[id-1] = append(want, all[id-1]), "never in an answer"
		}
		return want, never
	}
	rows := []row{
		{"one entry", "GET", "/api/logs?limit=1&before_id=2", "", nil, 200, []string{
			`{"id":1,"timestamp":"2026-03-14T09:26:53.589Z","server":"one","tool":"echo","args":{"text":"=1+1"},"response":"=1+1\n\né",` +
				`"latency_ms":2,"success":true,"kind":"call","outcome":"ok","client":"claude","session":"s1"}`,
		}, nil},
		{"large number", "GET", "/api/logs?tool=sum", "", nil, 200, []string{`"args":{"a":9007199254740993}`, `"response":"{\"sum\":1}"`}, nil},
		{"failed call", "GET", "/api/logs?tool=fail", "", nil, 200, []string{`"args":{}`, `"response":"no luck"`, `"success":false`, `"outcome":"tool_error"`}, nil},
		{"truncated arguments", "GET", "/api/logs?tool=long", "", nil, 200, []string{`"args":"{\"text\":\"xxx`, `xxx…"`}, []string{strings.Repeat("x", 4097)}},
		{"notifications", "GET", "/api/logs/notifications", "", nil, 200, []string{`{"entries":[{"id":5,`, `"args":{"level":"info"},"response":"{\"level\":\"info\"}"`}, []string{"total\":6", `"id":6`}},
		{"progress", "GET", "/api/logs/progress", "", nil, 200, []string{`{"entries":[{"id":6,`, `"args":{"token":"sum","progress":1,"total":4},"response":""`}, []string{`"id":5`}},
		{"limit is not a number", "GET", "/api/logs?limit=many", "", nil, 400, []string{`{"error":"limit is \"many\"; it must be a whole number","code":`}, nil},
		{"offset is not an integer", "GET", "/api/logs?offset=1.5", "", nil, 400, []string{"offset"}, nil},
		{"before_id is not a number", "GET", "/api/logs?before_id=x", "", nil, 400, []string{"before_id"}, nil},
		{"unknown kind", "GET", "/api/logs?kind=call,cal", "", nil, 400, []string{`kind is \"cal\"; it must be one of: call, ping, resource-read`}, nil},
		{"unknown outcome", "GET", "/api/logs?outcome=bad", "", nil, 400, []string{`one of: ok, tool_error`}, nil},
		{"success is not a boolean", "GET", "/api/logs?success=maybe", "", nil, 400, []string{"true or false"}, nil},
		{"since is not a time", "GET", "/api/logs?since=yesterday", "", nil, 400, []string{`since is \"yesterday\"`, "2026-01-31"}, nil},
		{"until is not a date", "GET", "/api/logs?until=2026-02-30", "", nil, 400, []string{"until"}, nil},
		{"text is too long", "GET", "/api/logs?text=" + strings.Repeat("x", 257), "", nil, 400, []string{"256 bytes"}, nil},
		{"export with an invalid filter", "GET", "/api/logs/export?since=x", "", nil, 400, []string{"since"}, []string{"attachment"}},
		{"export in an unknown format", "GET", "/api/logs/export?format=xml", "", nil, 400, []string{"jsonl or csv"}, nil},
		{"export as JSON lines", "GET", "/api/logs/export?kind=call&limit=1", "", nil, 200, []string{
			`Content-Disposition: attachment; filename="agent-discover-log.jsonl"`, "Content-Type: application/jsonl", `{"id":4,`,
		}, []string{`"id":3`}},
		{"export as CSV", "GET", "/api/logs/export?format=csv&tool=echo", "", nil, 200, []string{
			`filename="agent-discover-log.csv"`, "Content-Type: text/csv", "id,timestamp,", "\n1,2026-03-14T09:26:53.589Z,one,echo,call,claude,s1,ok,true,2,\"{\"\"text\"\":\"\"=1+1\"\"}\",\"'=1+1\n",
		}, nil},
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
		rows = append(rows, row{"entries " + c.query, "GET", "/api/logs" + c.query, "", nil, 200, want, never})
	}
	for _, r := range rows {
		r.send(t, h)
	}
}

func TestDaysOfTheLogAreLocal(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := runHub(t, hub.Options{})
	for hour := range 3 { // the last hour of a day and the first two of the next
		at := time.Date(2026, 3, 15, hour-1, 30, 0, 0, time.Local)
		h.Journal().Record(journal.Record{At: at, Outcome: journal.OK}, nil, nil, nil)
	}
	for _, r := range []row{
		{"since a day", "GET", "/api/logs?since=2026-03-15", "", nil, 200, []string{`"id":3`, `"id":2`, `"total":2`}, nil},
		{"until a day", "GET", "/api/logs?until=2026-03-14", "", nil, 200, []string{`"id":1`, `"total":1`}, nil},
		{"one day", "GET", "/api/logs?since=2026-03-15&until=2026-03-15", "", nil, 200, []string{`"total":2`}, nil},
	} {
		r.send(t, h)
	}
}

func TestLongLogIsExportedCompletely(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	const n = 1234
	for i := range n {
		h.Journal().Record(journal.Record{Server: "s", Tool: "t", Outcome: journal.OK}, json.RawMessage(fmt.Sprintf(`{"i":%d}`, i)), nil, nil)
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
	h, _ := runHub(t, hub.Options{})
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
		if err := client.Do(t.Context(), http.MethodPost, "/api/servers", map[string]string{"name": name, "command": "x"}, nil); err != nil {
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
