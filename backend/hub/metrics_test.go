package hub_test

import (
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestCallsAndErrorsAreCountedOverTime(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	s := newScenario(t, hub.Options{})
	recordCalls(s.hub) // four calls, an hour apart, from 2026-03-14T09:26:53; the third one failed
	const hours = "/api/metrics/series?since=2026-03-14T09:30:00Z&until=2026-03-14T13:00:00Z&step=3600"
	s.play(
		step{
			name: "aligned to the step, with empty intervals", method: "GET", path: "/api/metrics/series?since=2026-03-14T08:10:00Z&until=2026-03-14T12:10:00.5Z&step=3600", status: 200,
			want: []string{
				`{"since":"2026-03-14T08:00:00Z","until":"2026-03-14T13:00:00Z","step":3600,"points":[` +
					`{"at":"2026-03-14T08:00:00Z","calls":0,"errors":0},{"at":"2026-03-14T09:00:00Z","calls":1,"errors":0},` +
					`{"at":"2026-03-14T10:00:00Z","calls":1,"errors":0},{"at":"2026-03-14T11:00:00Z","calls":1,"errors":1},` +
					`{"at":"2026-03-14T12:00:00Z","calls":1,"errors":0}]}`,
			},
		},
		step{
			name: "one tool", method: "GET", path: hours + "&tool=fail", status: 200,
			want: []string{`{"at":"2026-03-14T10:00:00Z","calls":0,"errors":0},{"at":"2026-03-14T11:00:00Z","calls":1,"errors":1}`},
		},
		step{name: "another server", method: "GET", path: hours + "&server=two", status: 200, want: []string{`"points":[{"at"`}, never: []string{`"calls":1`}},
		step{name: "default range", method: "GET", path: "/api/metrics/series", status: 200, want: []string{`"step":900,`}, never: []string{`"calls":1`}},
		step{name: "default step of a long range", method: "GET", path: "/api/metrics/series?since=2000-01-01&until=2026-03-14", status: 200, want: []string{`"points":[{`}, never: []string{`"step":900,`}},
		step{name: "longest range", method: "GET", path: "/api/metrics/series?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z", status: 200, want: []string{`"calls":4,"errors":1}`}},
		step{name: "too many points", method: "GET", path: "/api/metrics/series?since=2026-03-14T00:00:00Z&until=2026-03-14T12:00:00Z&step=10", status: 400, want: []string{"4320 points", "at most 1000"}},
		step{name: "step 0", method: "GET", path: "/api/metrics/series?step=0", status: 400, want: []string{`step is \"0\"; it must be seconds, from 1 to 31622400`}},
		step{name: "step with a unit", method: "GET", path: "/api/metrics/series?step=1h", status: 400, want: []string{"step"}},
		step{name: "empty range", method: "GET", path: "/api/metrics/series?since=2026-03-14T12:00:00Z&until=2026-03-14T12:00:00Z", status: 400, want: []string{"since must be earlier"}},
		step{name: "since is not a time", method: "GET", path: "/api/metrics/series?since=yesterday", status: 400, want: []string{"since"}},
		step{name: "until is not a time", method: "GET", path: "/api/metrics/series?until=later", status: 400, want: []string{"until"}},
	)
}

func TestToolsOfAllServersAreRankedByTheirUse(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	s := newScenario(t, hub.Options{})
	recordCalls(s.hub)
	for range 3 {
		s.hub.Journal().Record(journal.Record{At: firstCall, Server: "two", Tool: "slow", Outcome: journal.OK, Latency: 2 * time.Second}, nil, nil, nil)
	}
	s.play(
		step{
			name: "by calls", method: "GET", path: "/api/metrics/tools", status: 200,
			want: []string{
				`[{"server_name":"two","tool_name":"slow","call_count":3,"error_count":0,"avg_latency_ms":2000,"last_called_at":"2026-03-14 09:26:53","p50_ms":1906.6,"p95_ms":1906.6,"max_ms":2000},` +
					`{"server_name":"one","tool_name":"echo"`,
			},
		},
		step{name: "by errors", method: "GET", path: "/api/metrics/tools?sort=errors&limit=1", status: 200, want: []string{`[{"server_name":"one","tool_name":"fail"`}, never: []string{"slow"}},
		step{name: "by latency", method: "GET", path: "/api/metrics/tools?sort=p95&limit=2", status: 200, want: []string{`[{"server_name":"two","tool_name":"slow"`}, never: []string{`"long"`}},
		step{name: "unknown order", method: "GET", path: "/api/metrics/tools?sort=name", status: 400, want: []string{"one of: calls, errors, p95"}},
		step{name: "limit 0", method: "GET", path: "/api/metrics/tools?limit=0", status: 400, want: []string{"limit"}},
		step{name: "limit is not a number", method: "GET", path: "/api/metrics/tools?limit=all", status: 400, want: []string{"limit"}},
	)
}

func TestMetricsOutliveTheLogButNotTheServer(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := runHub(t, hub.Options{})
	recordCalls(h)
	for _, r := range []row{
		{"metrics before the servers are added", "GET", "/api/metrics", "", nil, 200, []string{`"total_calls":4`}, nil},
		{"add server one", "POST", "/api/servers", `{"name":"one","command":"x"}`, nil, 201, []string{`"id":1`}, nil},
		{"add server two", "POST", "/api/servers", `{"name":"two","command":"x"}`, nil, 201, []string{`"id":2`}, nil},
		{"log", "GET", "/api/logs?limit=1", "", nil, 200, []string{`"total":6`}, nil},
		{"clear the log", "DELETE", "/api/logs", "", nil, 200, []string{`{"status":"cleared"}`}, nil},
		{"empty log", "GET", "/api/logs", "", nil, 200, []string{`{"entries":[],"total":0}`}, nil},
		{"empty export", "GET", "/api/logs/export", "", nil, 200, []string{"attachment"}, []string{`"id"`}},
		{"metrics of the tools of server one", "GET", "/api/servers/1/metrics", "", nil, 200, []string{
			`[{"tool_name":"echo","call_count":1,"error_count":0,"avg_latency_ms":2,"last_called_at":"2026-03-14 09:26:53","p50_ms":1.6,"p95_ms":1.6,"max_ms":1.6},` +
				`{"tool_name":"fail","call_count":1,"error_count":1,`, `{"tool_name":"long"`, `{"tool_name":"sum"`,
		}, []string{"progress"}},
		{"metrics of server two, which was not called", "GET", "/api/servers/2/metrics", "", nil, 200, []string{"[]"}, nil},
		{"metrics of all servers", "GET", "/api/metrics", "", nil, 200, []string{`[{"server_name":"one","total_calls":4,"total_errors":1,"avg_latency_ms":2,"last_called_at":"2026-03-14 12:26:53",`}, []string{"two"}},
		{"metrics of an unknown id", "GET", "/api/servers/9999/metrics", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"metrics of an invalid id", "GET", "/api/servers/abc/metrics", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"remove server one", "DELETE", "/api/servers/1", "", nil, 200, nil, nil},
		{"metrics afterwards", "GET", "/api/metrics", "", nil, 200, []string{"[]"}, nil},
		{"add another server one", "POST", "/api/servers", `{"name":"one","command":"x"}`, nil, 201, []string{`"id":3`}, nil},
		{"metrics of the new server one", "GET", "/api/servers/3/metrics", "", nil, 200, []string{"[]"}, nil},
	} {
		r.send(t, h)
	}
}
