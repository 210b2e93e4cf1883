package dashboard_test

import (
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestCallsAndErrorsAreCountedOverTime(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	s := hubtest.NewScenario(t, hub.Options{})
	hubtest.RecordCalls(s.Hub) // records four calls, an hour apart, from 2026-03-14T09:26:53; the third one failed
	const hours = "/api/metrics/series?since=2026-03-14T09:30:00Z&until=2026-03-14T13:00:00Z&step=3600"
	s.Play(
		hubtest.Step{
			Name: "aligned to the step, with empty intervals", Method: "GET",
			Path: "/api/metrics/series?since=2026-03-14T08:10:00Z&until=2026-03-14T12:10:00.5Z&step=3600", Status: 200,
			Want: []string{
				`{"since":"2026-03-14T08:00:00Z","until":"2026-03-14T13:00:00Z","step":3600,"points":[` +
					`{"at":"2026-03-14T08:00:00Z","calls":0,"errors":0},{"at":"2026-03-14T09:00:00Z","calls":1,"errors":0},` +
					`{"at":"2026-03-14T10:00:00Z","calls":1,"errors":0},{"at":"2026-03-14T11:00:00Z","calls":1,"errors":1},` +
					`{"at":"2026-03-14T12:00:00Z","calls":1,"errors":0}]}`,
			},
		},
		hubtest.Step{
			Name: "one tool", Method: "GET", Path: hours + "&tool=fail", Status: 200,
			Want: []string{`{"at":"2026-03-14T10:00:00Z","calls":0,"errors":0},{"at":"2026-03-14T11:00:00Z","calls":1,"errors":1}`},
		},
		hubtest.Step{
			Name: "another server", Method: "GET", Path: hours + "&server=two", Status: 200, Want: []string{`"points":[{"at"`},
			Never: []string{`"calls":1`},
		},
		hubtest.Step{
			Name: "default range", Method: "GET", Path: "/api/metrics/series", Status: 200, Want: []string{`"step":900,`},
			Never: []string{`"calls":1`},
		},
		hubtest.Step{
			Name: "default step of a long range", Method: "GET", Path: "/api/metrics/series?since=2000-01-01&until=2026-03-14",
			Status: 200, Want: []string{`"points":[{`}, Never: []string{`"step":900,`},
		},
		hubtest.Step{
			Name: "longest range", Method: "GET", Path: "/api/metrics/series?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z",
			Status: 200, Want: []string{`"calls":4,"errors":1}`},
		},
		hubtest.Step{
			Name: "too many points", Method: "GET",
			Path:   "/api/metrics/series?since=2026-03-14T00:00:00Z&until=2026-03-14T12:00:00Z&step=10",
			Status: 400, Want: []string{"4320 points", "at most 1000"},
		},
		hubtest.Step{
			Name: "step 0", Method: "GET", Path: "/api/metrics/series?step=0", Status: 400,
			Want: []string{`step is \"0\"; it must be seconds, from 1 to 31622400`},
		},
		hubtest.Step{Name: "step with a unit", Method: "GET", Path: "/api/metrics/series?step=1h", Status: 400, Want: []string{"step"}},
		hubtest.Step{
			Name: "empty range", Method: "GET", Path: "/api/metrics/series?since=2026-03-14T12:00:00Z&until=2026-03-14T12:00:00Z",
			Status: 400, Want: []string{"since must be earlier"},
		},
		hubtest.Step{
			Name: "since is not a time", Method: "GET", Path: "/api/metrics/series?since=yesterday", Status: 400, Want: []string{"since"},
		},
		hubtest.Step{
			Name: "until is not a time", Method: "GET", Path: "/api/metrics/series?until=later", Status: 400, Want: []string{"until"},
		},
	)
}

func TestToolsOfAllServersAreRankedByTheirUse(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	s := hubtest.NewScenario(t, hub.Options{})
	hubtest.RecordCalls(s.Hub)
	for range 3 {
		s.Hub.Journal().Record(journal.Record{
			At: hubtest.FirstCall, Server: "two", Tool: "slow", Outcome: journal.OK, Latency: 2 * time.Second,
		}, nil, nil, nil)
	}
	s.Play(
		hubtest.Step{
			Name: "by calls", Method: "GET", Path: "/api/metrics/tools", Status: 200,
			Want: []string{
				`[{"server_name":"two","tool_name":"slow","call_count":3,"error_count":0,"avg_latency_ms":2000,"last_called_at":"2026-03-14 09:26:53","p50_ms":1906.6,"p95_ms":1906.6,"max_ms":2000},` +
					`{"server_name":"one","tool_name":"echo"`,
			},
		},
		hubtest.Step{
			Name: "by errors", Method: "GET", Path: "/api/metrics/tools?sort=errors&limit=1", Status: 200,
			Want: []string{`[{"server_name":"one","tool_name":"fail"`}, Never: []string{"slow"},
		},
		hubtest.Step{
			Name: "by latency", Method: "GET", Path: "/api/metrics/tools?sort=p95&limit=2", Status: 200,
			Want: []string{`[{"server_name":"two","tool_name":"slow"`}, Never: []string{`"long"`},
		},
		hubtest.Step{
			Name: "unknown order", Method: "GET", Path: "/api/metrics/tools?sort=name", Status: 400,
			Want: []string{"one of: calls, errors, p95"},
		},
		hubtest.Step{Name: "limit 0", Method: "GET", Path: "/api/metrics/tools?limit=0", Status: 400, Want: []string{"limit"}},
		hubtest.Step{
			Name: "limit is not a number", Method: "GET", Path: "/api/metrics/tools?limit=all", Status: 400, Want: []string{"limit"},
		},
	)
}

func TestMetricsOutliveTheLogButNotTheServer(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.RecordCalls(h)
	for _, r := range []hubtest.Row{
		{Name: "metrics before the servers are added", Method: "GET", Path: "/api/metrics", Status: 200, Want: []string{`"total_calls":4`}},
		{
			Name: "add server one", Method: "POST", Path: "/api/servers", Body: `{"name":"one","command":"x"}`, Status: 201,
			Want: []string{`"id":1`},
		},
		{
			Name: "add server two", Method: "POST", Path: "/api/servers", Body: `{"name":"two","command":"x"}`, Status: 201,
			Want: []string{`"id":2`},
		},
		{Name: "log", Method: "GET", Path: "/api/logs?limit=1", Status: 200, Want: []string{`"total":6`}},
		{Name: "clear the log", Method: "DELETE", Path: "/api/logs", Status: 200, Want: []string{`{"status":"cleared"}`}},
		{Name: "empty log", Method: "GET", Path: "/api/logs", Status: 200, Want: []string{`{"entries":[],"total":0}`}},
		{Name: "empty export", Method: "GET", Path: "/api/logs/export", Status: 200, Want: []string{"attachment"}, Never: []string{`"id"`}},
		{Name: "metrics of the tools of server one", Method: "GET", Path: "/api/servers/1/metrics", Status: 200, Want: []string{
			`[{"tool_name":"echo","call_count":1,"error_count":0,"avg_latency_ms":2,"last_called_at":"2026-03-14 09:26:53","p50_ms":1.6,"p95_ms":1.6,"max_ms":1.6},` +
				`{"tool_name":"fail","call_count":1,"error_count":1,`, `{"tool_name":"long"`, `{"tool_name":"sum"`,
		}, Never: []string{"progress"}},
		{
			Name: "metrics of server two, which was not called", Method: "GET", Path: "/api/servers/2/metrics", Status: 200,
			Want: []string{"[]"},
		},
		{
			Name: "metrics of all servers", Method: "GET", Path: "/api/metrics", Status: 200, Want: []string{
				`[{"server_name":"one","total_calls":4,"total_errors":1,"avg_latency_ms":2,"last_called_at":"2026-03-14 12:26:53",`,
			}, Never: []string{"two"},
		},
		{
			Name: "metrics of an unknown id", Method: "GET", Path: "/api/servers/9999/metrics", Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{
			Name: "metrics of an invalid id", Method: "GET", Path: "/api/servers/abc/metrics", Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{Name: "remove server one", Method: "DELETE", Path: "/api/servers/1", Status: 200},
		{Name: "metrics afterwards", Method: "GET", Path: "/api/metrics", Status: 200, Want: []string{"[]"}},
		{
			Name: "add another server one", Method: "POST", Path: "/api/servers", Body: `{"name":"one","command":"x"}`, Status: 201,
			Want: []string{`"id":3`},
		},
		{Name: "metrics of the new server one", Method: "GET", Path: "/api/servers/3/metrics", Status: 200, Want: []string{"[]"}},
	} {
		r.Send(t, h)
	}
}
