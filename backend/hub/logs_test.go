package hub_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// day is when what these tests record has happened.
var day = time.Date(2026, 3, 14, 9, 26, 53, 589_000_000, time.UTC)

// recordSome fills a journal with six entries, ids 1 to 6.
func recordSome(h *hub.Hub) {
	j := h.Journal()
	call := func(hours int, tool, args, result string, how journal.Outcome) {
		j.Record(journal.Record{
			At: day.Add(time.Duration(hours) * time.Hour), Client: "claude", Session: "s1", Server: "one", Tool: tool,
			Outcome: how, Latency: 1600 * time.Microsecond,
		}, json.RawMessage(args), json.RawMessage(result), nil)
	}
	call(0, "echo", `{"text":"=1+1"}`, `{"content":[{"type":"text","text":"=1+1"},{"type":"image","data":"AA=="},{"type":"text","text":"é"}]}`, journal.OK)
	call(1, "sum", `{"a":9007199254740993}`, `{"structuredContent":{"sum":1},"content":[]}`, journal.OK)
	call(2, "fail", ``, `{"content":[{"type":"text","text":"no luck"}],"isError":true}`, journal.ToolError)
	call(3, "long", `{"text":"`+strings.Repeat("x", 5000)+`"}`, `{"content":[]}`, journal.OK)
	j.Record(journal.Record{
		At: day.Add(24 * time.Hour), Kind: journal.Notification, Server: "two", Tool: "notifications/message",
		Response: `{"level":"info"}`, Outcome: journal.OK,
	}, json.RawMessage(`{"level":"info"}`), nil, nil)
	j.Record(journal.Record{
		At: day.Add(48 * time.Hour), Kind: journal.Progress, Server: "one", Tool: "progress", Outcome: journal.OK,
	}, json.RawMessage(`{"token":"sum","progress":1,"total":4}`), nil, nil)
}

func TestTheLogIsReadOverREST(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := runHub(t, hub.Options{})
	recordSome(h)
	all := []string{`"id":1,`, `"id":2,`, `"id":3,`, `"id":4,`, `"id":5,`, `"id":6,`}
	// only are the ids wanted of a page, and how many there are in all.
	only := func(total int, ids ...int) (want, never []string) {
		want, never = []string{fmt.Sprintf(`"total":%d`, total)}, append(never, all...)
		for _, id := range ids {
			want, never[id-1] = append(want, all[id-1]), "no such words"
		}
		return want, never
	}
	rows := []row{
		{"an entry", "GET", "/api/logs?limit=1&before_id=2", "", nil, 200, []string{
			`{"id":1,"timestamp":"2026-03-14T09:26:53.589Z","server":"one","tool":"echo","args":{"text":"=1+1"},"response":"=1+1\n\né",` +
				`"latency_ms":2,"success":true,"kind":"call","outcome":"ok","client":"claude","session":"s1"}`,
		}, nil},
		{"numbers stay", "GET", "/api/logs?tool=sum", "", nil, 200, []string{`"args":{"a":9007199254740993}`, `"response":"{\"sum\":1}"`}, nil},
		{"a failure", "GET", "/api/logs?tool=fail", "", nil, 200, []string{`"args":{}`, `"response":"no luck"`, `"success":false`, `"outcome":"tool_error"`}, nil},
		{"a cut", "GET", "/api/logs?tool=long", "", nil, 200, []string{`"args":"{\"text\":\"xxx`, `xxx…"`}, []string{strings.Repeat("x", 4097)}},
		{"notifications", "GET", "/api/logs/notifications", "", nil, 200, []string{`{"entries":[{"id":5,`, `"args":{"level":"info"},"response":"{\"level\":\"info\"}"`}, []string{"total\":6", `"id":6`}},
		{"progress", "GET", "/api/logs/progress", "", nil, 200, []string{`{"entries":[{"id":6,`, `"args":{"token":"sum","progress":1,"total":4},"response":""`}, []string{`"id":5`}},
		{"not a number", "GET", "/api/logs?limit=many", "", nil, 400, []string{`{"error":"limit is \"many\"; it must be a whole number","code":`}, nil},
		{"not an offset", "GET", "/api/logs?offset=1.5", "", nil, 400, []string{"offset"}, nil},
		{"not an id", "GET", "/api/logs?before_id=x", "", nil, 400, []string{"before_id"}, nil},
		{"no such kind", "GET", "/api/logs?kind=call,cal", "", nil, 400, []string{`kind is \"cal\"; it must be one of: call, ping, resource-read`}, nil},
		{"no such outcome", "GET", "/api/logs?outcome=bad", "", nil, 400, []string{`one of: ok, tool_error`}, nil},
		{"maybe", "GET", "/api/logs?success=maybe", "", nil, 400, []string{"true or false"}, nil},
		{"no time", "GET", "/api/logs?since=yesterday", "", nil, 400, []string{`since is \"yesterday\"`, "2026-01-31"}, nil},
		{"no end", "GET", "/api/logs?until=2026-02-30", "", nil, 400, []string{"until"}, nil},
		{"too long a text", "GET", "/api/logs?text=" + strings.Repeat("x", 257), "", nil, 400, []string{"256 bytes"}, nil},
		{"wrong filters of an export", "GET", "/api/logs/export?since=x", "", nil, 400, []string{"since"}, []string{"attachment"}},
		{"no such format", "GET", "/api/logs/export?format=xml", "", nil, 400, []string{"jsonl or csv"}, nil},
		{"an export", "GET", "/api/logs/export?kind=call&limit=1", "", nil, 200, []string{
			`Content-Disposition: attachment; filename="agent-discover-log.jsonl"`, "Content-Type: application/jsonl", `{"id":4,`,
		}, []string{`"id":3`}},
		{"an export as a table", "GET", "/api/logs/export?format=csv&tool=echo", "", nil, 200, []string{
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

func TestADayOfTheLogIsOneOfThisTimeZone(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := runHub(t, hub.Options{})
	for hour := range 3 { // the last of one day, and the first two of the next
		at := time.Date(2026, 3, 15, hour-1, 30, 0, 0, time.Local)
		h.Journal().Record(journal.Record{At: at, Outcome: journal.OK}, nil, nil, nil)
	}
	for _, r := range []row{
		{"from a day on", "GET", "/api/logs?since=2026-03-15", "", nil, 200, []string{`"id":3`, `"id":2`, `"total":2`}, nil},
		{"to the end of a day", "GET", "/api/logs?until=2026-03-14", "", nil, 200, []string{`"id":1`, `"total":1`}, nil},
		{"of one day", "GET", "/api/logs?since=2026-03-15&until=2026-03-15", "", nil, 200, []string{`"total":2`}, nil},
	} {
		r.send(t, h)
	}
}

func TestMetricsOutliveTheLogAndNotTheServer(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := runHub(t, hub.Options{})
	recordSome(h)
	for _, r := range []row{
		{"what was just called", "GET", "/api/metrics", "", nil, 200, []string{`"total_calls":4`}, nil},
		{"one", "POST", "/api/servers", `{"name":"one","command":"x"}`, nil, 201, []string{`"id":1`}, nil},
		{"two", "POST", "/api/servers", `{"name":"two","command":"x"}`, nil, 201, []string{`"id":2`}, nil},
		{"a full log", "GET", "/api/logs?limit=1", "", nil, 200, []string{`"total":6`}, nil},
		{"cleared", "DELETE", "/api/logs", "", nil, 200, []string{`{"status":"cleared"}`}, nil},
		{"an empty log", "GET", "/api/logs", "", nil, 200, []string{`{"entries":[],"total":0}`}, nil},
		{"an empty export", "GET", "/api/logs/export", "", nil, 200, []string{"attachment"}, []string{`"id"`}},
		{"tools by name", "GET", "/api/servers/1/metrics", "", nil, 200, []string{
			`[{"tool_name":"echo","call_count":1,"error_count":0,"avg_latency_ms":2,"last_called_at":"2026-03-14 09:26:53","p50_ms":1.6,"p95_ms":1.6,"max_ms":1.6},` +
				`{"tool_name":"fail","call_count":1,"error_count":1,`, `{"tool_name":"long"`, `{"tool_name":"sum"`,
		}, []string{"progress"}},
		{"nothing was called", "GET", "/api/servers/2/metrics", "", nil, 200, []string{"[]"}, nil},
		{"of all", "GET", "/api/metrics", "", nil, 200, []string{`[{"server_name":"one","total_calls":4,"total_errors":1,"avg_latency_ms":2,"last_called_at":"2026-03-14 12:26:53",`}, []string{"two"}},
		{"of none", "GET", "/api/servers/9999/metrics", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"of no id", "GET", "/api/servers/abc/metrics", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"removed", "DELETE", "/api/servers/1", "", nil, 200, nil, nil},
		{"forgotten", "GET", "/api/metrics", "", nil, 200, []string{"[]"}, nil},
		{"another one", "POST", "/api/servers", `{"name":"one","command":"x"}`, nil, 201, []string{`"id":3`}, nil},
		{"begins anew", "GET", "/api/servers/3/metrics", "", nil, 200, []string{"[]"}, nil},
	} {
		r.send(t, h)
	}
}

func TestALongLogIsExportedWhole(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	const n = 1234
	for i := range n {
		h.Journal().Record(journal.Record{Server: "s", Tool: "t", Outcome: journal.OK}, json.RawMessage(fmt.Sprintf(`{"i":%d}`, i)), nil, nil)
	}
	client := instance.NewClient(h.Info())
	var page struct{ Entries []resources.LogEntry }
	if err := client.Do(t.Context(), http.MethodGet, "/api/logs?limit=100000", nil, &page); err != nil || len(page.Entries) != 500 {
		t.Errorf("a page of %d entries, %v", len(page.Entries), err)
	}
	var lines, table strings.Builder
	if err := errors.Join(client.Download(t.Context(), "/api/logs/export?format=jsonl", &lines),
		client.Download(t.Context(), "/api/logs/export?format=csv", &table)); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(lines.String()))
	rows, err := csv.NewReader(strings.NewReader(table.String())).ReadAll()
	if err != nil || len(rows) != n+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i := range n {
		var e resources.LogEntry
		want := fmt.Sprintf(`{"i":%d}`, n-1-i)
		if err := decoder.Decode(&e); err != nil || string(e.Args) != want || rows[i+1][10] != want {
			t.Fatalf("entry %d: %s and %s, %v, want %s", i, e.Args, rows[i+1][10], err, want)
		}
	}
}

// recordedBody returns the answer of a recorded exchange.
func recordedBody(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(reference.Path(t, "golden", "original", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var exchange struct {
		Response struct{ Body json.RawMessage }
	}
	if err := errors.Join(json.Unmarshal(data, &exchange), json.Unmarshal(exchange.Response.Body, into)); err != nil {
		t.Fatal(err)
	}
}

// lacks says what of want is not in got; got may have more members.
func lacks(got, want any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			if missing := lacks(object[name], value, path+"."+name); missing != "" {
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
			if missing := lacks(list[i], want[i], fmt.Sprintf("%s[%d]", path, i)); missing != "" {
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

func TestLogAndMetricsAreWhatTheyAlwaysWere(t *testing.T) {
	var log struct{ Entries []resources.LogEntry }
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
		if missing := lacks(got, want, ""); missing != "" {
			t.Errorf("%s: %s", c.path, missing)
		}
	}
}
