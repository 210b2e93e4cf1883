package hub_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// TestWindowMaySendEveryRequestOfAPage checks the CORS headers of answers to the window,
// whose page has another origin than the hub.
func TestWindowMaySendEveryRequestOfAPage(t *testing.T) {
	const exposed = "Access-Control-Expose-Headers: Content-Disposition"
	for _, origin := range []string{"wails://wails", "http://wails.localhost"} {
		h, _ := runHub(t, hub.Options{})
		addFake(t, h)
		allowed := "Access-Control-Allow-Origin: " + origin + "\r\n"
		from := map[string]string{"Origin": origin}
		preflight := func(method string) map[string]string {
			return map[string]string{"Authorization": "", "Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization,content-type"}
		}
		private := preflight("POST")
		private["Access-Control-Request-Private-Network"] = "true"
		for _, r := range []row{
			{"preflight of GET", "OPTIONS", "/api/servers", "", preflight("GET"), 204, []string{allowed, "Access-Control-Allow-Headers: Authorization, Content-Type", "Access-Control-Max-Age: 600"}, []string{"Private-Network"}},
			{"preflight of PUT", "OPTIONS", "/api/servers/1", "", preflight("PUT"), 204, []string{allowed, "Access-Control-Allow-Methods: GET, POST, PUT, DELETE, OPTIONS"}, nil},
			{"preflight of DELETE", "OPTIONS", "/api/servers/1", "", preflight("DELETE"), 204, []string{allowed, "DELETE"}, nil},
			{"preflight for a private network", "OPTIONS", "/api/pause", "", private, 204, []string{allowed, "Access-Control-Allow-Private-Network: true"}, nil},
			{"health", "GET", "/health", "", map[string]string{"Origin": origin, "Authorization": ""}, 200, []string{allowed}, nil},
			{"hello", "GET", "/hello?nonce=x", "", map[string]string{"Origin": origin, "Authorization": ""}, 200, []string{allowed, `"proof"`}, nil},
			{"add", "POST", "/api/servers", `{"name":"one"}`, from, 201, []string{allowed}, nil},
			{"change", "PUT", "/api/servers/2", `{"description":"x"}`, from, 200, []string{allowed}, nil},
			{"delete", "DELETE", "/api/servers/2", "", from, 200, []string{allowed}, nil},
			{"pause", "POST", "/api/pause", "", from, 200, []string{allowed}, nil},
			{"resume", "POST", "/api/resume", "", from, 200, []string{allowed}, nil},
			{"output", "GET", "/api/servers/1/output", "", from, 200, []string{allowed}, nil},
			{"a download", "GET", "/api/logs/export?format=csv", "", from, 200, []string{allowed, exposed, `Content-Disposition: attachment; filename="agent-discover-log.csv"`}, nil},
			{"failing request", "GET", "/api/servers/99", "", from, 404, []string{allowed}, nil},
			{"request without a token", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Origin": origin}, 401, []string{allowed}, nil},
			{"oversized body", "POST", "/api/servers", strings.Repeat("x", 131073), from, 413, []string{allowed}, nil},
			{"malformed path", "GET", "/api/servers/%00", "", from, 400, []string{allowed}, nil},
			{"unknown path", "GET", "/api/nothing", "", from, 404, []string{allowed}, nil},
			{"preflight of a foreign origin", "OPTIONS", "/api/servers", "", map[string]string{"Authorization": "", "Origin": origin + ".example", "Access-Control-Request-Private-Network": "true"}, 403, nil, []string{"Access-Control"}},
		} {
			r.name = origin + ": " + r.name
			r.send(t, h)
		}
		var ticket struct{ Ticket string }
		do(t, h, "POST", "/api/tickets", map[string]string{"purpose": "socket"}, &ticket)
		conn, _, err := dial(t, h, "/ws?deltas=changed&tools=none&hub=1&ticket="+ticket.Ticket, http.Header{"Origin": {origin}})
		if err != nil {
			t.Errorf("%s: %v", origin, err)
			continue
		}
		s := &socket{t, conn}
		s.until("the state", func(m message) bool { return m.Type == "state" })
		s.until("the hub's status", func(m message) bool { return m.Type == "hub" })
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
}
