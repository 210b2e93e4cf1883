package hub_test

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
	"github.com/agent-discover/agent-discover/frontend"
)

func TestGuardAdmitsOnlyAuthorizedRequests(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	address := h.Info().Address()
	port := address[strings.LastIndex(address, ":"):]
	own := "http://" + address
	from := func(origin string) map[string]string { return map[string]string{"Origin": origin} }
	host := func(host string) map[string]string { return map[string]string{"Host": host} }
	rejected := []string{`{"error":"Origin rejected (DNS rebinding protection)","code":`}
	for _, r := range []row{
		{"health needs no token", "GET", "/health", "", noToken, 200, []string{`"status":"ok"`, `"version":"1.2.3"`, "nosniff", "Referrer-Policy: no-referrer", "Cache-Control: no-store", "Cross-Origin-Resource-Policy: same-origin", "default-src 'none'"}, []string{"Set-Cookie"}},
		{"hello needs no token", "GET", "/hello?nonce=x", "", noToken, 200, []string{`"proof":`}, nil},
		{"other paths need one", "GET", "/api/servers", "", noToken, 401, []string{"agent-discover token --header", "Www-Authenticate: Bearer"}, nil},
		{"POST to health", "POST", "/health", "", noToken, 401, nil, nil},
		{"unknown path without a token", "GET", "/nothing", "", noToken, 401, nil, nil},

		{"a wrong token", "GET", "/api/servers", "", map[string]string{"Authorization": "Bearer x"}, 401, nil, nil},
		{"a token with one more character", "GET", "/api/servers", "", map[string]string{"Authorization": "Bearer " + h.Info().Token + "0"}, 401, nil, nil},
		{"half a token", "GET", "/api/servers", "", map[string]string{"Authorization": "Bearer " + h.Info().Token[:32]}, 401, nil, nil},
		{"a token without a scheme", "GET", "/api/servers", "", map[string]string{"Authorization": h.Info().Token}, 401, nil, nil},
		{"another scheme", "GET", "/api/servers", "", map[string]string{"Authorization": "Basic " + h.Info().Token}, 401, nil, nil},
		{"the token in the query", "GET", "/api/servers?token=" + h.Info().Token + "&access_token=" + h.Info().Token, "", noToken, 401, nil, nil},
		{"the token as a ticket", "GET", "/api/servers?ticket=" + h.Info().Token, "", noToken, 401, nil, nil},
		{"the token in a cookie", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Cookie": "token=" + h.Info().Token}, 401, nil, nil},
		{"the token in the body", "POST", "/api/servers", `{"token":"` + h.Info().Token + `"}`, noToken, 401, nil, nil},

		{"host localhost", "GET", "/health", "", host("localhost" + port), 200, nil, nil},
		{"host localhost in capitals", "GET", "/health", "", host("LocalHost" + port), 200, nil, nil},
		{"IPv6 host", "GET", "/health", "", host("[::1]" + port), 200, nil, nil},
		{"a foreign host name", "GET", "/health", "", host("evil.example" + port), 403, []string{"host name"}, nil},
		{"a foreign host name for a page", "GET", "/", "", host("evil.example" + port), 403, nil, []string{"<html"}},
		{"a host name that begins with localhost", "GET", "/health", "", host("localhost.evil.example" + port), 403, nil, nil},
		{"another address of this machine", "GET", "/health", "", host("0.0.0.0" + port), 403, nil, nil},
		{"another port", "GET", "/health", "", host("127.0.0.1:1"), 403, nil, nil},
		{"no port", "GET", "/health", "", host("127.0.0.1"), 403, nil, nil},
		{"half an IPv6 address", "GET", "/health", "", host("[::1" + port), 400, []string{`{"error":"the Host header is malformed","code":`}, nil},
		{"a port that is no number", "GET", "/health", "", host("127.0.0.1:port"), 400, nil, nil},
		{"a user in the host", "GET", "/health", "", host("me@127.0.0.1" + port), 400, nil, nil},

		{"a foreign page", "GET", "/api/servers/3/info", "", from("http://evil.example"), 403, rejected, []string{"Access-Control"}},
		{"a foreign page that calls", "POST", "/api/servers/3/call", `{"tool":"echo","args":{}}`, from("http://evil.example"), 403, rejected, nil},
		{"a foreign page at an open path", "GET", "/health", "", from("http://evil.example"), 403, rejected, nil},
		{"an origin that begins with localhost", "GET", "/health", "", from("http://localhost.evil.example"), 403, rejected, nil},
		{"an origin that continues after the hub's", "GET", "/health", "", from(own + ".evil.example"), 403, rejected, nil},
		{"another port of this machine", "GET", "/health", "", from("http://127.0.0.1:1"), 403, rejected, nil},
		{"origin without a port", "GET", "/health", "", from("http://127.0.0.1"), 403, rejected, nil},
		{"origin with https", "GET", "/health", "", from("https://" + address), 403, rejected, nil},
		{"origin null", "GET", "/health", "", from("null"), 403, rejected, nil},
		{"the hub's own page", "GET", "/health", "", from(own), 200, []string{"Access-Control-Allow-Origin: " + own + "\r\n", "Vary: Origin"}, nil},
		{"the hub's own page by host name", "GET", "/health", "", from("http://localhost" + port), 200, []string{"Access-Control-Allow-Origin: http://localhost"}, nil},
		{"the hub's own page by IPv6", "GET", "/health", "", from("http://[::1]" + port), 200, []string{"Access-Control-Allow-Origin: http://[::1]"}, nil},
		{"the window", "GET", "/api/status", "", from("wails://wails"), 200, []string{"Access-Control-Allow-Origin: wails://wails"}, nil},
		{"the window on Windows", "GET", "/api/status", "", from("http://wails.localhost"), 200, []string{"Access-Control-Allow-Origin: http://wails.localhost"}, nil},
		{"no origin", "GET", "/api/status", "", nil, 200, nil, []string{"Access-Control-Allow-Origin"}},
		{"the hub's own page without a token", "GET", "/api/status", "", map[string]string{"Authorization": "", "Origin": own}, 401, nil, nil},

		{"a preflight", "OPTIONS", "/api/servers", "", map[string]string{"Authorization": "", "Origin": own}, 204, []string{"Access-Control-Allow-Methods: GET, POST, PUT, DELETE, OPTIONS", "Access-Control-Allow-Headers: Authorization, Content-Type"}, nil},
		{"a preflight for an unknown path", "OPTIONS", "/api/nonexistent", "", map[string]string{"Authorization": "", "Origin": "wails://wails"}, 204, []string{"Access-Control-Allow-Methods"}, nil},
		{"a foreign preflight", "OPTIONS", "/api/servers", "", map[string]string{"Authorization": "", "Origin": "https://evil.example"}, 403, rejected, []string{"Access-Control"}},
		{"OPTIONS without an origin", "OPTIONS", "/api/servers", "", noToken, 204, []string{"Access-Control-Allow-Methods"}, []string{"Access-Control-Allow-Origin"}},

		{"an unknown path", "GET", "/api/nonexistent", "", nil, 404, []string{"Not found"}, []string{`"error"`, "application/json"}},
		{"HEAD of an unknown path", "HEAD", "/api/nonexistent", "", nil, 404, nil, []string{"application/json"}},
		{"POST to an unknown path", "POST", "/api/nonexistent", `{}`, nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"a method that a path does not have", "PATCH", "/api/servers/1", `{}`, nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"a method that a page does not have", "DELETE", "/", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"a path to a parent folder", "GET", "/%2e%2e/%2e%2e/etc/passwd", "", nil, 404, []string{"Not found"}, []string{"root:"}},
		{"a path to a parent folder with encoded slashes", "GET", "/..%2f..%2fetc%2fpasswd", "", nil, 400, []string{"Bad request"}, []string{"root:", "{"}},
		{"a path through a parent folder", "GET", "/api/../health", "", nil, 404, nil, []string{"Location"}},
		{"a path with a dot", "GET", "/api/./servers", "", nil, 404, nil, []string{"Location"}},
		{"a path with an empty segment", "GET", "/api//servers", "", nil, 404, nil, []string{"Location"}},
		{"a path that looks like a host", "GET", "//evil.example/", "", nil, 404, nil, []string{"Location"}},
		{"POST to a path with an empty segment", "POST", "/api//servers", `{}`, nil, 404, []string{`{"error":"Not found","code":`}, []string{"Location"}},
		{"a path with a trailing slash", "GET", "/api/servers/", "", nil, 404, nil, []string{"Location"}},
		{"a path with NUL", "GET", "/api/servers/%00", "", nil, 400, nil, nil},
		{"a path that is not UTF-8", "GET", "/api/servers/%ff", "", nil, 400, nil, nil},

		{"companion socket without an upgrade", "GET", "/companion", "", noToken, 426, nil, nil},
		{"WebSocket without an upgrade", "GET", "/ws", "", nil, 404, nil, nil},
		{"the description of the API", "GET", "/openapi.json", "", noToken, 200, []string{`"openapi":"3.1.0"`, "/api/servers/{id}", "application/json"}, []string{"https://unpkg", "$schema"}},
		{"the page about the API", "GET", "/docs", "", noToken, 200, []string{"<code>/api/servers/{id}</code>", "text/html; charset=utf-8"}, []string{"<script", "https://"}},
	} {
		r.send(t, h)
	}
}

func TestPagesNeedNoTokenAndLoadNothingFromElsewhere(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	style, script := assets(t)
	strict := []string{
		"Cache-Control: no-cache", "X-Content-Type-Options: nosniff", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self'; connect-src 'self' ws://" +
			h.Info().Address() + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	for _, r := range []row{
		{"the page", "GET", "/", "", noToken, 200, append(strict, "text/html; charset=utf-8", "<!doctype html>"), []string{"Set-Cookie"}},
		{"the page by its file name", "GET", "/index.html", "", noToken, 200, append(strict, "text/html; charset=utf-8"), []string{"Location"}},
		{"HEAD of the page", "HEAD", "/", "", noToken, 200, append(strict, "text/html; charset=utf-8"), []string{"<html"}},
		{"style sheet", "GET", style, "", noToken, 200, append(strict, "text/css; charset=utf-8", ":root"), nil},
		{"inspector page", "GET", "/tester/1", "", noToken, 200, append(strict, "text/html; charset=utf-8"), nil},
		{"inspector page without an id", "GET", "/tester/", "", noToken, 200, append(strict, "text/html; charset=utf-8"), nil},
		{"inspector page of a transient server", "GET", "/tester/transient/x", "", noToken, 200, append(strict, "text/html; charset=utf-8"), nil},
		{"path beside the inspector page", "GET", "/testers", "", nil, 404, nil, nil},
		{"unknown style sheet", "GET", "/other.css", "", noToken, 401, nil, nil},
		{"the page as a folder", "GET", "/index.html/", "", nil, 404, nil, nil},
	} {
		r.send(t, h)
	}
	if script != "" {
		row{"script", "GET", script, "", noToken, 200, append(strict, "text/javascript; charset=utf-8"), nil}.send(t, h)
	}
}

// assets returns the paths of the style sheet and the script of the page. Their names
// change with each build of the dashboard. The page of a program that was built
// without the dashboard has no script.
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
	h, _ := runHub(t, hub.Options{Folder: folder})
	if !h.Info().AuthOff {
		t.Error("hub.json does not report that authentication is off")
	}
	if log, err := os.ReadFile(folder.Log()); err != nil || !strings.Contains(string(log), "level=WARN msg=\"AGENT_DISCOVER_AUTH is off") {
		t.Errorf("error %v; the log has no warning: %s", err, log)
	}
	for _, r := range []row{
		{"no token", "GET", "/api/servers", "", noToken, 200, []string{"[]"}, nil},
		{"POST without a token", "POST", "/api/servers", `{"name":"one"}`, noToken, 201, nil, nil},
		{"a foreign page", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Origin": "http://evil.example"}, 403, nil, nil},
		{"a foreign host name", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Host": "evil.example"}, 403, nil, nil},
		{"the hub's own page", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Origin": "wails://wails"}, 200, []string{"Access-Control-Allow-Origin: wails://wails"}, nil},
		{"the window", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Origin": "wails://wails", "Sec-Fetch-Site": "cross-site"}, 200, nil, nil},
		{"same-origin request", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Sec-Fetch-Site": "same-origin"}, 200, nil, nil},
		{"address typed by a person", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Sec-Fetch-Site": "none"}, 200, nil, nil},
		{"request of a foreign page without an origin", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Sec-Fetch-Site": "cross-site"}, 401, nil, nil},
		{"request of a page on another port", "GET", "/api/servers", "", map[string]string{"Authorization": "", "Sec-Fetch-Site": "same-site"}, 401, nil, nil},
		{"link to the hub's page", "GET", "/", "", map[string]string{"Authorization": "", "Sec-Fetch-Site": "cross-site"}, 200, nil, nil},
	} {
		r.send(t, h)
	}
}

// sendRaw sends a request byte for byte, with the hub's address for HOST and its token
// for TOKEN. It returns the connection, and the status line or the error.
func sendRaw(t *testing.T, h *hub.Hub, request string) (net.Conn, string) {
	t.Helper()
	conn, err := net.Dial("tcp", h.Info().Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(deadline))
	if _, err := io.WriteString(conn, strings.NewReplacer("HOST", h.Info().Address(), "TOKEN", h.Info().Token).Replace(request)); err != nil {
		t.Fatal(err)
	}
	status, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return conn, err.Error()
	}
	return conn, strings.TrimSpace(status)
}

func TestMalformedRequestsGetAnAnswer(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	for request, want := range map[string]string{
		"GET /api/servers/%E0%A4%A HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n":          "400 Bad Request",
		"GET /api/servers/%E0%A4 HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n":            "400 Bad Request",
		"GET /api/servers/\x00 HTTP/1.1\r\nHost: HOST\r\n\r\n":                                             "400 Bad Request",
		"GET /health HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nOrigin: http://evil.example\r\n\r\n": "403 Forbidden",
		"GET /health HTTP/1.1\r\n\r\n":                                                                                        "400 Bad Request",
		"GET /health HTTP/1.0\r\n\r\n":                                                                                        "400 Bad Request",
		"GET /health HTTP/1.1\r\nHost: ho st\r\n\r\n":                                                                         "400 Bad Request",
		"GET http://evil.example/health HTTP/1.1\r\nHost: HOST\r\n\r\n":                                                       "403 Forbidden",
		"OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n\r\n":                                                                    "403 Forbidden",
		"OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n":                                                                            "400 Bad Request",
		"CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n":                                                                         "400 Bad Request",
		"GET /health HTTP/1.1\r\nHost: HOST\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n":                                "431 Request Header Fields Too Large",
		"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n":                                              "400 Bad Request",
		"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n": "400 Bad Request",
	} {
		_, got := sendRaw(t, h, request)
		if _, status, _ := strings.Cut(got, " "); !strings.HasPrefix(status, want) {
			t.Errorf("%.60q… is answered with %q, want %s", request, got, want)
		}
	}
}

func TestBodyOverTheLimitIsRefused(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
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
		"200 kB":                     {"/api/servers", strings.NewReader(object(200_000)), h.Info().Token, 413, "the body is over 131072 bytes"},
		"200 kB, chunked":            {"/api/servers", struct{ io.Reader }{strings.NewReader(object(200_000))}, h.Info().Token, 413, "the body is over 131072 bytes"},
		"one byte over":              {"/api/servers", strings.NewReader(object(limit + 1)), h.Info().Token, 413, ""},
		"one byte over, chunked":     {"/api/servers", struct{ io.Reader }{strings.NewReader(object(limit + 1))}, h.Info().Token, 413, ""},
		"exactly the limit":          {"/api/servers", strings.NewReader(object(limit)), h.Info().Token, 422, "longer than 64 characters"},
		"exactly the limit, chunked": {"/api/servers", struct{ io.Reader }{strings.NewReader(object(limit))}, h.Info().Token, 422, ""},
		"to an unknown path":         {"/api/sync-nothing", strings.NewReader(object(200_000)), h.Info().Token, 413, ""},
		"without a token":            {"/api/servers", strings.NewReader(object(200_000)), "", 401, ""},
		"to the exchange of tickets": {"/api/session", strings.NewReader(object(1025)), "", 413, "the body is over 1024 bytes"},
		"to resume a session":        {"/api/session/resume", strings.NewReader(object(1025)), h.Info().Token, 413, "the body is over 1024 bytes"},
		"2 MB":                       {"/api/servers", strings.NewReader(object(2_000_000)), h.Info().Token, 413, ""},
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

// incompleteRequests are the beginnings of requests, and the answer to each after the
// timeout.
var incompleteRequests = map[string]struct{ request, want string }{
	"incomplete header":                           {"GET /health HTTP/1.1\r\nHost: HOST\r\nX-Slow: ", "EOF"},
	"incomplete request line":                     {"GET", "HTTP/1.1 400 Bad Request"},
	"incomplete body":                             {"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 408 Request Timeout"},
	"incomplete chunks":                           {"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", "HTTP/1.1 408 Request Timeout"},
	"incomplete body without a token":             {"POST /api/servers HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 401 Unauthorized"},
	"incomplete body for an unknown path":         {"POST /nothing HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 408 Request Timeout"},
	"incomplete body for the exchange of tickets": {"POST /api/session HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 408 Request Timeout"},
}

func TestSlowRequestsTimeOut(t *testing.T) {
	slowHeader, _ := runHub(t, hub.Options{Timeouts: guard.Timeouts{Header: 200 * time.Millisecond}})
	slowBody, _ := runHub(t, hub.Options{Timeouts: guard.Timeouts{Body: 200 * time.Millisecond}})
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
	h, _ := runHub(t, hub.Options{}) // with timeouts longer than the test
	conns := make([]net.Conn, 300)   // more than the hub reads bodies of at once
	for i := range conns {
		conn, err := net.Dial("tcp", h.Info().Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns[i] = conn
		_, err = fmt.Fprintf(conn, "POST /api/servers HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", h.Info().Address(), h.Info().Token)
		if err != nil {
			t.Fatal(err)
		}
	}
	row{"another request", "GET", "/api/servers", "", nil, 200, []string{"[]"}, nil}.send(t, h)
}
