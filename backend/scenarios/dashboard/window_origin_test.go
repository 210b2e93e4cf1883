package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// TestWindowMaySendEveryRequestOfAPage checks the CORS headers of answers to the window,
// whose page has another origin than the hub.
func TestWindowMaySendEveryRequestOfAPage(t *testing.T) {
	const exposed = "Access-Control-Expose-Headers: Content-Disposition"
	for _, origin := range []string{"wails://wails", "http://wails.localhost"} {
		h, _ := hubtest.RunHub(t, hub.Options{})
		hubtest.AddFake(t, h)
		allowed := "Access-Control-Allow-Origin: " + origin + "\r\n"
		from := map[string]string{"Origin": origin}
		preflight := func(method string) map[string]string {
			return map[string]string{
				"Authorization": "", "Origin": origin, "Access-Control-Request-Method": method,
				"Access-Control-Request-Headers": "authorization,content-type",
			}
		}
		private := preflight("POST")
		private["Access-Control-Request-Private-Network"] = "true"
		for _, r := range []hubtest.Row{
			{
				Name: "preflight of GET", Method: "OPTIONS", Path: "/api/servers", Headers: preflight("GET"), Status: 204, Want: []string{
					allowed, "Access-Control-Allow-Headers: Authorization, Content-Type", "Access-Control-Max-Age: 600",
				}, Never: []string{"Private-Network"},
			},
			{
				Name: "preflight of PUT", Method: "OPTIONS", Path: "/api/servers/1", Headers: preflight("PUT"), Status: 204,
				Want: []string{allowed, "Access-Control-Allow-Methods: GET, POST, PUT, DELETE, OPTIONS"},
			},
			{
				Name: "preflight of DELETE", Method: "OPTIONS", Path: "/api/servers/1", Headers: preflight("DELETE"), Status: 204,
				Want: []string{allowed, "DELETE"},
			},
			{
				Name: "preflight for a private network", Method: "OPTIONS", Path: "/api/pause", Headers: private, Status: 204,
				Want: []string{allowed, "Access-Control-Allow-Private-Network: true"},
			},
			{
				Name: "health", Method: "GET", Path: "/health", Headers: map[string]string{"Origin": origin, "Authorization": ""},
				Status: 200, Want: []string{allowed},
			},
			{
				Name: "hello", Method: "GET", Path: "/hello?nonce=x", Headers: map[string]string{"Origin": origin, "Authorization": ""},
				Status: 200, Want: []string{allowed, `"proof"`},
			},
			{
				Name: "add", Method: "POST", Path: "/api/servers", Body: `{"name":"one"}`, Headers: from, Status: 201,
				Want: []string{allowed},
			},
			{
				Name: "change", Method: "PUT", Path: "/api/servers/2", Body: `{"description":"x"}`, Headers: from, Status: 200,
				Want: []string{allowed},
			},
			{Name: "delete", Method: "DELETE", Path: "/api/servers/2", Headers: from, Status: 200, Want: []string{allowed}},
			{Name: "pause", Method: "POST", Path: "/api/pause", Headers: from, Status: 200, Want: []string{allowed}},
			{Name: "resume", Method: "POST", Path: "/api/resume", Headers: from, Status: 200, Want: []string{allowed}},
			{Name: "output", Method: "GET", Path: "/api/servers/1/output", Headers: from, Status: 200, Want: []string{allowed}},
			{
				Name: "a download", Method: "GET", Path: "/api/logs/export?format=csv", Headers: from, Status: 200, Want: []string{
					allowed, exposed, `Content-Disposition: attachment; filename="agent-discover-log.csv"`,
				},
			},
			{Name: "failing request", Method: "GET", Path: "/api/servers/99", Headers: from, Status: 404, Want: []string{allowed}},
			{
				Name: "request without a token", Method: "GET", Path: "/api/servers",
				Headers: map[string]string{"Authorization": "", "Origin": origin}, Status: 401, Want: []string{allowed},
			},
			{
				Name: "oversized body", Method: "POST", Path: "/api/servers", Body: strings.Repeat("x", 131073), Headers: from, Status: 413,
				Want: []string{allowed},
			},
			{Name: "malformed path", Method: "GET", Path: "/api/servers/%00", Headers: from, Status: 400, Want: []string{allowed}},
			{Name: "unknown path", Method: "GET", Path: "/api/nothing", Headers: from, Status: 404, Want: []string{allowed}},
			{
				Name: "preflight of a foreign origin", Method: "OPTIONS", Path: "/api/servers", Headers: map[string]string{
					"Authorization": "", "Origin": origin + ".example", "Access-Control-Request-Private-Network": "true",
				}, Status: 403, Never: []string{"Access-Control"},
			},
		} {
			r.Name = origin + ": " + r.Name
			r.Send(t, h)
		}
		var ticket struct{ Ticket string }
		hubtest.Do(t, h, "POST", "/api/tickets", map[string]string{"purpose": "socket"}, &ticket)
		conn, _, err := hubtest.Dial(t, h, "/ws?deltas=changed&tools=none&hub=1&ticket="+ticket.Ticket, http.Header{"Origin": {origin}})
		if err != nil {
			t.Errorf("%s: %v", origin, err)
			continue
		}
		s := &hubtest.Socket{T: t, Conn: conn}
		s.Until("the state", func(m hubtest.Message) bool { return m.Type == "state" })
		s.Until("the hub's status", func(m hubtest.Message) bool { return m.Type == "hub" })
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
}
