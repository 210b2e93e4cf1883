package trust_test

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/frontend"
)

func TestGuardAdmitsOnlyAuthorizedRequests(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	address := h.Info().Address()
	port := address[strings.LastIndex(address, ":"):]
	own := "http://" + address
	from := func(origin string) map[string]string { return map[string]string{"Origin": origin} }
	host := func(host string) map[string]string { return map[string]string{"Host": host} }
	rejected := []string{`{"error":"Origin rejected (DNS rebinding protection)","code":`}
	for _, r := range []hubtest.Row{
		{
			Name: "health needs no token", Method: "GET", Path: "/health", Headers: hubtest.NoToken, Status: 200, Want: []string{
				`"status":"ok"`, `"version":"1.2.3"`, "nosniff", "Referrer-Policy: no-referrer", "Cache-Control: no-store",
				"Cross-Origin-Resource-Policy: same-origin", "default-src 'none'",
			}, Never: []string{"Set-Cookie"},
		},
		{
			Name: "hello needs no token", Method: "GET", Path: "/hello?nonce=x", Headers: hubtest.NoToken, Status: 200,
			Want: []string{`"proof":`},
		},
		{
			Name: "other paths need one", Method: "GET", Path: "/api/servers", Headers: hubtest.NoToken, Status: 401,
			Want: []string{"agent-discover token --header", "Www-Authenticate: Bearer"},
		},
		{Name: "POST to health", Method: "POST", Path: "/health", Headers: hubtest.NoToken, Status: 401},
		{Name: "unknown path without a token", Method: "GET", Path: "/nothing", Headers: hubtest.NoToken, Status: 401},

		{Name: "a wrong token", Method: "GET", Path: "/api/servers", Headers: map[string]string{"Authorization": "Bearer x"}, Status: 401},
		{
			Name: "a token with one more character", Method: "GET", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "Bearer " + h.Info().Token + "0",
			}, Status: 401,
		},
		{
			Name: "half a token", Method: "GET", Path: "/api/servers",
			Headers: map[string]string{"Authorization": "Bearer " + h.Info().Token[:32]}, Status: 401,
		},
		{
			Name: "a token without a scheme", Method: "GET", Path: "/api/servers",
			Headers: map[string]string{"Authorization": h.Info().Token}, Status: 401,
		},
		{
			Name: "another scheme", Method: "GET", Path: "/api/servers",
			Headers: map[string]string{"Authorization": "Basic " + h.Info().Token}, Status: 401,
		},
		{
			Name: "the token in the query", Method: "GET", Path: "/api/servers?token=" + h.Info().Token + "&access_token=" + h.Info().Token,
			Headers: hubtest.NoToken, Status: 401,
		},
		{
			Name: "the token as a ticket", Method: "GET", Path: "/api/servers?ticket=" + h.Info().Token,
			Headers: hubtest.NoToken, Status: 401,
		},
		{
			Name: "the token in a cookie", Method: "GET", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "", "Cookie": "token=" + h.Info().Token,
			}, Status: 401,
		},
		{
			Name: "the token in the body", Method: "POST", Path: "/api/servers", Body: `{"token":"` + h.Info().Token + `"}`,
			Headers: hubtest.NoToken, Status: 401,
		},

		{Name: "host localhost", Method: "GET", Path: "/health", Headers: host("localhost" + port), Status: 200},
		{Name: "host localhost in capitals", Method: "GET", Path: "/health", Headers: host("LocalHost" + port), Status: 200},
		{Name: "IPv6 host", Method: "GET", Path: "/health", Headers: host("[::1]" + port), Status: 200},
		{
			Name: "a foreign host name", Method: "GET", Path: "/health", Headers: host("evil.example" + port), Status: 403,
			Want: []string{"host name"},
		},
		{
			Name: "a foreign host name for a page", Method: "GET", Path: "/", Headers: host("evil.example" + port), Status: 403,
			Never: []string{"<html"},
		},
		{
			Name: "a host name that begins with localhost", Method: "GET", Path: "/health", Headers: host("localhost.evil.example" + port),
			Status: 403,
		},
		{Name: "another address of this machine", Method: "GET", Path: "/health", Headers: host("0.0.0.0" + port), Status: 403},
		{Name: "another port", Method: "GET", Path: "/health", Headers: host("127.0.0.1:1"), Status: 403},
		{Name: "no port", Method: "GET", Path: "/health", Headers: host("127.0.0.1"), Status: 403},
		{
			Name: "half an IPv6 address", Method: "GET", Path: "/health", Headers: host("[::1" + port), Status: 400, Want: []string{
				`{"error":"the Host header is malformed","code":`,
			},
		},
		{Name: "a port that is no number", Method: "GET", Path: "/health", Headers: host("127.0.0.1:port"), Status: 400},
		{Name: "a user in the host", Method: "GET", Path: "/health", Headers: host("me@127.0.0.1" + port), Status: 400},

		{
			Name: "a foreign page", Method: "GET", Path: "/api/servers/3/info", Headers: from("http://evil.example"), Status: 403,
			Want: rejected, Never: []string{"Access-Control"},
		},
		{
			Name: "a foreign page that calls", Method: "POST", Path: "/api/servers/3/call", Body: `{"tool":"echo","args":{}}`,
			Headers: from("http://evil.example"), Status: 403, Want: rejected,
		},
		{
			Name: "a foreign page at an open path", Method: "GET", Path: "/health", Headers: from("http://evil.example"), Status: 403,
			Want: rejected,
		},
		{
			Name: "an origin that begins with localhost", Method: "GET", Path: "/health", Headers: from("http://localhost.evil.example"),
			Status: 403, Want: rejected,
		},
		{
			Name: "an origin that continues after the hub's", Method: "GET", Path: "/health", Headers: from(own + ".evil.example"),
			Status: 403, Want: rejected,
		},
		{
			Name: "another port of this machine", Method: "GET", Path: "/health", Headers: from("http://127.0.0.1:1"), Status: 403,
			Want: rejected,
		},
		{Name: "origin without a port", Method: "GET", Path: "/health", Headers: from("http://127.0.0.1"), Status: 403, Want: rejected},
		{Name: "origin with https", Method: "GET", Path: "/health", Headers: from("https://" + address), Status: 403, Want: rejected},
		{Name: "origin null", Method: "GET", Path: "/health", Headers: from("null"), Status: 403, Want: rejected},
		{
			Name: "the hub's own page", Method: "GET", Path: "/health", Headers: from(own), Status: 200, Want: []string{
				"Access-Control-Allow-Origin: " + own + "\r\n", "Vary: Origin",
			},
		},
		{
			Name: "the hub's own page by host name", Method: "GET", Path: "/health", Headers: from("http://localhost" + port), Status: 200,
			Want: []string{"Access-Control-Allow-Origin: http://localhost"},
		},
		{
			Name: "the hub's own page by IPv6", Method: "GET", Path: "/health", Headers: from("http://[::1]" + port), Status: 200,
			Want: []string{"Access-Control-Allow-Origin: http://[::1]"},
		},
		{
			Name: "the window", Method: "GET", Path: "/api/status", Headers: from("wails://wails"), Status: 200,
			Want: []string{"Access-Control-Allow-Origin: wails://wails"},
		},
		{
			Name: "the window on Windows", Method: "GET", Path: "/api/status", Headers: from("http://wails.localhost"), Status: 200,
			Want: []string{"Access-Control-Allow-Origin: http://wails.localhost"},
		},
		{Name: "no origin", Method: "GET", Path: "/api/status", Status: 200, Never: []string{"Access-Control-Allow-Origin"}},
		{
			Name: "the hub's own page without a token", Method: "GET", Path: "/api/status",
			Headers: map[string]string{"Authorization": "", "Origin": own}, Status: 401,
		},

		{
			Name: "a preflight", Method: "OPTIONS", Path: "/api/servers", Headers: map[string]string{"Authorization": "", "Origin": own},
			Status: 204, Want: []string{
				"Access-Control-Allow-Methods: GET, POST, PUT, DELETE, OPTIONS",
				"Access-Control-Allow-Headers: Authorization, Content-Type",
			},
		},
		{
			Name: "a preflight for an unknown path", Method: "OPTIONS", Path: "/api/nonexistent",
			Headers: map[string]string{"Authorization": "", "Origin": "wails://wails"},
			Status:  204, Want: []string{"Access-Control-Allow-Methods"},
		},
		{
			Name: "a foreign preflight", Method: "OPTIONS", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "", "Origin": "https://evil.example",
			}, Status: 403, Want: rejected, Never: []string{"Access-Control"},
		},
		{
			Name: "OPTIONS without an origin", Method: "OPTIONS", Path: "/api/servers", Headers: hubtest.NoToken, Status: 204,
			Want: []string{"Access-Control-Allow-Methods"}, Never: []string{"Access-Control-Allow-Origin"},
		},

		{
			Name: "an unknown path", Method: "GET", Path: "/api/nonexistent", Status: 404, Want: []string{"Not found"},
			Never: []string{`"error"`, "application/json"},
		},
		{Name: "HEAD of an unknown path", Method: "HEAD", Path: "/api/nonexistent", Status: 404, Never: []string{"application/json"}},
		{
			Name: "POST to an unknown path", Method: "POST", Path: "/api/nonexistent", Body: `{}`, Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{
			Name: "a method that a path does not have", Method: "PATCH", Path: "/api/servers/1", Body: `{}`, Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{
			Name: "a method that a page does not have", Method: "DELETE", Path: "/", Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{
			Name: "a path to a parent folder", Method: "GET", Path: "/%2e%2e/%2e%2e/etc/passwd", Status: 404, Want: []string{"Not found"},
			Never: []string{"root:"},
		},
		{
			Name: "a path to a parent folder with encoded slashes", Method: "GET", Path: "/..%2f..%2fetc%2fpasswd", Status: 400,
			Want: []string{"Bad request"}, Never: []string{"root:", "{"},
		},
		{Name: "a path through a parent folder", Method: "GET", Path: "/api/../health", Status: 404, Never: []string{"Location"}},
		{Name: "a path with a dot", Method: "GET", Path: "/api/./servers", Status: 404, Never: []string{"Location"}},
		{Name: "a path with an empty segment", Method: "GET", Path: "/api//servers", Status: 404, Never: []string{"Location"}},
		{Name: "a path that looks like a host", Method: "GET", Path: "//evil.example/", Status: 404, Never: []string{"Location"}},
		{
			Name: "POST to a path with an empty segment", Method: "POST", Path: "/api//servers", Body: `{}`, Status: 404,
			Want: []string{`{"error":"Not found","code":`}, Never: []string{"Location"},
		},
		{Name: "a path with a trailing slash", Method: "GET", Path: "/api/servers/", Status: 404, Never: []string{"Location"}},
		{Name: "a path with NUL", Method: "GET", Path: "/api/servers/%00", Status: 400},
		{Name: "a path that is not UTF-8", Method: "GET", Path: "/api/servers/%ff", Status: 400},

		{Name: "companion socket without an upgrade", Method: "GET", Path: "/companion", Headers: hubtest.NoToken, Status: 426},
		{Name: "WebSocket without an upgrade", Method: "GET", Path: "/ws", Status: 404},
		{
			Name: "the description of the API", Method: "GET", Path: "/openapi.json", Headers: hubtest.NoToken, Status: 200,
			Want: []string{`"openapi":"3.1.0"`, "/api/servers/{id}", "application/json"}, Never: []string{"https://unpkg", "$schema"},
		},
		{
			Name: "the page about the API", Method: "GET", Path: "/docs", Headers: hubtest.NoToken, Status: 200, Want: []string{
				"<code>/api/servers/{id}</code>", "text/html; charset=utf-8",
			}, Never: []string{"<script", "https://"},
		},
	} {
		r.Send(t, h)
	}
}

func TestPagesNeedNoTokenAndLoadNothingFromElsewhere(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	style, script := assets(t)
	strict := []string{
		"Cache-Control: no-cache", "X-Content-Type-Options: nosniff",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src " +
			"'self'; connect-src 'self' ws://" +
			h.Info().Address() + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	for _, r := range []hubtest.Row{
		{
			Name: "the page", Method: "GET", Path: "/", Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/html; charset=utf-8", "<!doctype html>"), Never: []string{"Set-Cookie"},
		},
		{
			Name: "the page by its file name", Method: "GET", Path: "/index.html", Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/html; charset=utf-8"), Never: []string{"Location"},
		},
		{
			Name: "HEAD of the page", Method: "HEAD", Path: "/", Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/html; charset=utf-8"), Never: []string{"<html"},
		},
		{
			Name: "style sheet", Method: "GET", Path: style, Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/css; charset=utf-8", ":root"),
		},
		{
			Name: "inspector page", Method: "GET", Path: "/tester/1", Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/html; charset=utf-8"),
		},
		{
			Name: "inspector page without an id", Method: "GET", Path: "/tester/", Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/html; charset=utf-8"),
		},
		{
			Name: "inspector page of a transient server", Method: "GET", Path: "/tester/transient/x", Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/html; charset=utf-8"),
		},
		{Name: "path beside the inspector page", Method: "GET", Path: "/testers", Status: 404},
		{Name: "unknown style sheet", Method: "GET", Path: "/other.css", Headers: hubtest.NoToken, Status: 401},
		{Name: "the page as a folder", Method: "GET", Path: "/index.html/", Status: 404},
	} {
		r.Send(t, h)
	}
	if script != "" {
		hubtest.Row{
			Name: "script", Method: "GET", Path: script, Headers: hubtest.NoToken, Status: 200,
			Want: append(strict, "text/javascript; charset=utf-8"),
		}.Send(t, h)
	}
}

// assets returns the paths of the style sheet and the script of the page. Their names change with each build of the
// dashboard. If the program was built without the dashboard, the page has no script.
func assets(t *testing.T) (style, script string) {
	t.Helper()
	page, err := fs.ReadFile(frontend.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`(?:href|src)="/?([^"]+)"`).FindAllSubmatch(page, -1) {
		switch path.Ext(string(name[1])) {
		case ".css":
			style = "/" + string(name[1])
		case ".js":
			script = "/" + string(name[1])
		}
	}
	return style, script
}

func TestGuardChecksOriginsWithAuthenticationOff(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_AUTH", "off")
	folder := paths.Folder(t.TempDir())
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	if !h.Info().AuthOff {
		t.Error("hub.json does not report that authentication is off")
	}
	if log, err := os.ReadFile(folder.Log()); err != nil || !strings.Contains(string(log), "level=WARN msg=\"AGENT_DISCOVER_AUTH is off") {
		t.Errorf("error %v; the log has no warning: %s", err, log)
	}
	for _, r := range []hubtest.Row{
		{Name: "no token", Method: "GET", Path: "/api/servers", Headers: hubtest.NoToken, Status: 200, Want: []string{"[]"}},
		{Name: "POST without a token", Method: "POST", Path: "/api/servers", Body: `{"name":"one"}`, Headers: hubtest.NoToken, Status: 201},
		{
			Name: "a foreign page", Method: "GET", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "", "Origin": "http://evil.example",
			}, Status: 403,
		},
		{
			Name: "a foreign host name", Method: "GET", Path: "/api/servers",
			Headers: map[string]string{"Authorization": "", "Host": "evil.example"}, Status: 403,
		},
		{
			Name: "the hub's own page", Method: "GET", Path: "/api/servers",
			Headers: map[string]string{"Authorization": "", "Origin": "wails://wails"},
			Status:  200, Want: []string{"Access-Control-Allow-Origin: wails://wails"},
		},
		{
			Name: "the window", Method: "GET", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "", "Origin": "wails://wails", "Sec-Fetch-Site": "cross-site",
			}, Status: 200,
		},
		{
			Name: "same-origin request", Method: "GET", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "", "Sec-Fetch-Site": "same-origin",
			}, Status: 200,
		},
		{
			Name: "address typed by a person", Method: "GET", Path: "/api/servers",
			Headers: map[string]string{"Authorization": "", "Sec-Fetch-Site": "none"}, Status: 200,
		},
		{
			Name: "request of a foreign page without an origin", Method: "GET", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "", "Sec-Fetch-Site": "cross-site",
			}, Status: 401,
		},
		{
			Name: "request of a page on another port", Method: "GET", Path: "/api/servers", Headers: map[string]string{
				"Authorization": "", "Sec-Fetch-Site": "same-site",
			}, Status: 401,
		},
		{
			Name: "link to the hub's page", Method: "GET", Path: "/", Headers: map[string]string{
				"Authorization": "", "Sec-Fetch-Site": "cross-site",
			}, Status: 200,
		},
	} {
		r.Send(t, h)
	}
}

// sendRaw sends a request byte for byte after replacing HOST with the hub's address and TOKEN with its token. It
// returns the connection, and the status line or the error.
func sendRaw(t *testing.T, h *hub.Hub, request string) (net.Conn, string) {
	t.Helper()
	conn, err := net.Dial("tcp", h.Info().Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(hubtest.Deadline))
	if _, err := io.WriteString(conn,
		strings.NewReplacer("HOST", h.Info().Address(), "TOKEN", h.Info().Token).Replace(request)); err != nil {
		t.Fatal(err)
	}
	status, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return conn, err.Error()
	}
	return conn, strings.TrimSpace(status)
}

func TestMalformedRequestsGetAnAnswer(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	for request, want := range map[string]string{
		"GET /api/servers/%E0%A4%A HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n":          "400 Bad Request",
		"GET /api/servers/%E0%A4 HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n":            "400 Bad Request",
		"GET /api/servers/\x00 HTTP/1.1\r\nHost: HOST\r\n\r\n":                                             "400 Bad Request",
		"GET /health HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nOrigin: http://evil.example\r\n\r\n": "403 Forbidden",
		"GET /health HTTP/1.1\r\n\r\n": "400 Bad " +
			"Request",
		"GET /health HTTP/1.0\r\n\r\n": "400 Bad " +
			"Request",
		"GET /health HTTP/1.1\r\nHost: ho st\r\n\r\n": "400 Bad " +
			"Request",
		"GET http://evil.example/health HTTP/1.1\r\nHost: HOST\r\n" +
			"\r\n": "403 Forbidden",
		"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n": "403 " +
			"Forbidden",
		"OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n": "400 Bad " +
			"Request",
		"CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n": "400 Bad " +
			"Request",
		"GET /health HTTP/1.1\r\nHost: HOST\r\nX: " + strings.Repeat("x", 80<<10) +
			"\r\n\r\n": "431 Request Header Fields Too Large",
		"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n" +
			"\r\n": "400 Bad Request",
		"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"zz\r\n": "400 Bad Request",
	} {
		_, got := sendRaw(t, h, request)
		if _, status, _ := strings.Cut(got, " "); !strings.HasPrefix(status, want) {
			t.Errorf("%.60q… is answered with %q, want %s", request, got, want)
		}
	}
}

func TestBodyOverTheLimitIsRefused(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	const limit = 131072
	object := func(size int) string { // a JSON object of size bytes
		return `{"name":"` + strings.Repeat("x", size-11) + `"}`
	}
	for name, c := range map[string]struct {
		path    string
		body    io.Reader
		token   string
		status  int
		message string
	}{
		"200 kB": {
			"/api/servers", strings.NewReader(object(200_000)), h.Info().Token, 413, "the body is over 131072 bytes",
		},
		"200 kB, chunked": {
			"/api/servers", struct{ io.Reader }{strings.NewReader(object(200_000))}, h.Info().Token, 413, "the body is over 131072 bytes",
		},
		"one byte over":              {"/api/servers", strings.NewReader(object(limit + 1)), h.Info().Token, 413, ""},
		"one byte over, chunked":     {"/api/servers", struct{ io.Reader }{strings.NewReader(object(limit + 1))}, h.Info().Token, 413, ""},
		"exactly the limit":          {"/api/servers", strings.NewReader(object(limit)), h.Info().Token, 422, "longer than 64 characters"},
		"exactly the limit, chunked": {"/api/servers", struct{ io.Reader }{strings.NewReader(object(limit))}, h.Info().Token, 422, ""},
		"to an unknown path":         {"/api/sync-nothing", strings.NewReader(object(200_000)), h.Info().Token, 413, ""},
		"without a token":            {"/api/servers", strings.NewReader(object(200_000)), "", 401, ""},
		"to the exchange of tickets": {"/api/session", strings.NewReader(object(1025)), "", 413, "the body is over 1024 bytes"},
		"to resume a session": {
			"/api/session/resume", strings.NewReader(object(1025)), h.Info().Token, 413, "the body is over 1024 bytes",
		},
		"2 MB": {"/api/servers", strings.NewReader(object(2_000_000)), h.Info().Token, 413, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+h.Info().Address()+c.path, c.body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || !strings.Contains(string(body), c.message) || !strings.Contains(string(body), `"error"`) {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
}

// incompleteRequests are the beginnings of requests, and the hub's answer to each after the timeout.
var incompleteRequests = map[string]struct{ request, want string }{
	"incomplete header":       {"GET /health HTTP/1.1\r\nHost: HOST\r\nX-Slow: ", "EOF"},
	"incomplete request line": {"GET", "HTTP/1.1 400 Bad Request"},
	"incomplete body": {
		"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 100\r\n\r\n{",
		"HTTP/1.1 408 Request Timeout",
	},
	"incomplete chunks": {
		"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"HTTP/1.1 408 Request Timeout",
	},
	"incomplete body without a token": {
		"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 401 Unauthorized",
	},
	"incomplete body for an unknown path": {
		"POST /nothing HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 100\r\n\r\n{",
		"HTTP/1.1 408 Request Timeout",
	},
	"incomplete body for the exchange of tickets": {
		"POST /api/session HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 408 Request Timeout",
	},
}

func TestSlowRequestsTimeOut(t *testing.T) {
	slowHeader, _ := hubtest.RunHub(t, hub.Options{Timeouts: guard.Timeouts{Header: 200 * time.Millisecond}})
	slowBody, _ := hubtest.RunHub(t, hub.Options{Timeouts: guard.Timeouts{Body: 200 * time.Millisecond}})
	for name, c := range incompleteRequests {
		t.Run(name, func(t *testing.T) {
			h := slowBody
			if !strings.Contains(c.request, "\r\n\r\n") {
				h = slowHeader
			}
			conn, got := sendRaw(t, h, c.request)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
				t.Errorf("the connection is not closed: %v", err)
			}
		})
	}
}

func TestSlowRequestsDoNotBlockOthers(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{}) // its timeouts are longer than the test
	conns := make([]net.Conn, 300)           // more than the number of bodies that the hub reads at the same time
	for i := range conns {
		conn, err := net.Dial("tcp", h.Info().Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns[i] = conn
		_, err = fmt.Fprintf(conn, "POST /api/servers HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{",
			h.Info().Address(), h.Info().Token)
		if err != nil {
			t.Fatal(err)
		}
	}
	hubtest.Row{Name: "another request", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{"[]"}}.Send(t, h)
}
