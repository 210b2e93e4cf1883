package mcphttp

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestAFailedCallExplainsTheCause(t *testing.T) {
	rows := map[string]struct {
		handle func(*exchange)
		kind   fault.Kind
		says   string
	}{
		"401": {
			func(e *exchange) { e.status(401, `{"error":"invalid_token"}`) }, fault.Failed,
			`answered 401 Unauthorized: {"error":"invalid_token"}; it requires credentials: set the secret AUTHORIZATION`,
		},
		"403 in JSON-RPC": {
			func(e *exchange) { e.status(403, fmt.Sprintf(`{"error":{"code":1,"message":"no."},"id":%s}`, e.ID)) },
			fault.Failed, "answered 403 Forbidden: no; it rejects the credentials",
		},
		"429": {
			func(e *exchange) { e.w.Header().Set("Retry-After", "7"); e.status(429, "") },
			fault.Unavailable, "answered 429 Too Many Requests: try again after 7; try again later",
		},
		"502 in HTML": {
			func(e *exchange) { e.w.Header().Set("Content-Type", "text/html"); e.status(502, "<html>nginx") },
			fault.Failed, "answered 502 Bad Gateway",
		},
		"500 in plain": {
			func(e *exchange) { e.status(500, "out\n of  paper\n") }, fault.Failed, "answered 500 Internal Server Error: out of paper",
		},
		"an endless 500": {func(e *exchange) { e.status(500, strings.Repeat("é", 2<<20)) }, fault.Failed, "é…"},
		"HTML": {
			func(e *exchange) { e.w.Header().Set("Content-Type", "text/html"); e.status(200, "<html>log in") },
			fault.Failed, "answered with text/html, which is not MCP",
		},
		"JSON that is invalid": {
			func(e *exchange) { e.w.Header().Set("Content-Type", "application/json"); e.status(200, `{"id":`) },
			fault.Failed, "does not answer the request",
		},
		"JSON that is not MCP": {
			func(e *exchange) { e.w.Header().Set("Content-Type", "application/json"); e.status(200, `{"ok":true}`) },
			fault.Failed, "does not answer the request",
		},
		"an error without id": {func(e *exchange) {
			e.w.Header().Set("Content-Type", "application/json")
			e.status(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		}, fault.Failed, "answered with MCP error -32700: Parse error"},
		"an answer to another request": {
			func(e *exchange) { e.ID = []byte("99"); e.answer(`{}`) }, fault.Failed, "does not answer the request",
		},
		"JSON over the limit": {
			func(e *exchange) { e.answer(`"` + strings.Repeat("x", 1<<20) + `"`) }, fault.Failed, "a message of more than 1 MiB",
		},
		"an event over the limit": {func(e *exchange) {
			e.events()
			e.event("data: {\"id\":%s,\"result\":\"%s\"}\n\n", e.ID, strings.Repeat("x", 1<<20))
			e.wait()
		}, fault.Failed, "a message of more than 1 MiB"},
		"connection closed without answer": {func(e *exchange) { e.hangUp() }, fault.Failed, "closed the connection without an answer"},
		"JSON cut off": {
			func(e *exchange) { e.w.Header().Set("Content-Length", "99"); e.answer(`{}`); e.event(""); e.hangUp() },
			fault.Failed, "ended before the answer came",
		},
		"stream cut off": {
			func(e *exchange) { e.events(); e.event("data: {\"id\""); e.hangUp() }, fault.Failed,
			"ended before the answer came; whether the call took effect is unknown",
		},
		"an empty stream": {func(e *exchange) { e.events() }, fault.Failed, "ended before the answer came"},
		"redirects in a loop": {func(e *exchange) {
			e.w.Header().Set("Location", "/again")
			e.status(307, "")
		}, fault.Failed, "redirects in a loop"},
		"redirect to GET": {
			func(e *exchange) { e.w.Header().Set("Location", "/new"); e.status(302, "") },
			fault.Failed, "set the server's URL to the address of the redirect",
		},
		"redirect to another origin": {func(e *exchange) {
			e.w.Header().Set("Location", "http://u:p@evil.example:81/secret?q")
			e.status(308, "")
		}, fault.Failed, "redirects to another origin, http://evil.example:81, to which credentials are not sent"},
		"redirect to another scheme": {
			func(e *exchange) { e.w.Header().Set("Location", "https://"+e.r.Host+"/"); e.status(308, "") },
			fault.Failed, "redirects to another origin, https://127.0.0.1:",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(e *exchange) bool {
				if e.Method == "bad" {
					row.handle(e)
				}
				return e.Method == "bad"
			})
			c := dial(t, strings.Replace(s.URL, "://", "://user:pass-word@", 1)+"/mcp?key=query-secret")
			err := c.fails("bad", row.says, Show(s.URL))
			if fault.KindOf(err) != row.kind {
				t.Errorf("the kind is %d: %v", fault.KindOf(err), err)
			}
			for _, secret := range []string{"pass-word", "query-secret", "/secret"} {
				if strings.Contains(fmt.Sprintf("%v %+v", err, errors.Unwrap(err)), secret) {
					t.Errorf("the error %v contains %s", err, secret)
				}
			}
			if len(err.Error()) > 700 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if _, err := c.call("good", `{}`); err != nil {
				t.Errorf("the next call fails: %v", err)
			}
		})
	}
}

func TestErrorsOfTheServerArePassedOn(t *testing.T) {
	const own = `{"code":-32602,"message":"Unknown tool","data":{"n":9007199254740993}}`
	s := serve(t, func(e *exchange) bool {
		switch e.Method {
		case "with a status":
			e.status(400, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, e.ID, own))
		case "404 in a session that exists":
			e.status(404, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, e.ID, own))
		case "as an answer":
			e.w.Header().Set("Content-Type", "application/json")
			e.status(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, e.ID, own))
		default:
			return false
		}
		return true
	})
	c := dial(t, s.URL)
	for _, method := range []string{"with a status", "404 in a session that exists", "as an answer"} {
		var rpc *jsonrpc.Error
		if _, err := c.call(method, `{}`); !errors.As(err, &rpc) || string(rpc.Raw()) != own {
			t.Errorf("%s: got %v", method, err)
		}
	}
}

func TestALostSessionLeavesRunningCallsAlone(t *testing.T) {
	for name, refuse := range map[string]func(*exchange){
		"404": func(e *exchange) { e.status(404, "") },
		"410": func(e *exchange) { e.status(410, "") },
		"400": func(e *exchange) {
			e.status(400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			accepted, finish := make(chan struct{}), make(chan struct{})
			s := serve(t, func(e *exchange) bool {
				switch e.Method {
				case "slow":
					close(accepted)
					<-finish
					return false
				case "m":
					refuse(e)
				default:
					return false
				}
				return true
			})
			c := dial(t, s.URL)
			slow := make(chan error, 1)
			go func() { _, err := c.call("slow", `{}`); slow <- err }()
			<-accepted
			for range 2 { // the error of each refused request says that it had no effect
				if err := c.fails("m", "the session had already ended, so the server ran nothing", name); !errors.Is(err, ErrUntouched) {
					t.Errorf("got %v", err)
				}
				<-c.lost
			}
			close(finish)
			if err := <-slow; err != nil {
				t.Errorf("the running call got %v", err)
			}
			_ = c.link.Close()
			if err := <-c.ended; !errors.Is(err, ErrLost) ||
				!strings.Contains(fault.MessageOf(err), "no longer knows the session (answered "+name) {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

func TestAFailedStartExplainsTheCause(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused := "http://" + taken.Addr().String() + "/mcp"
	_ = taken.Close()
	status := func(code int) string {
		return serve(t, func(e *exchange) bool { e.status(code, ""); return true }).URL
	}
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer untrusted.Close()
	for url, says := range map[string]string{
		unused:                     "cannot be reached: connection refused; is it running?",
		status(404):                "is the URL right? An older server may want the transport sse",
		status(405):                "is the URL right?",
		status(401):                "requires credentials",
		untrusted.URL:              "its certificate is not trusted: x509:",
		"http://no.such.invalid/x": "http://no.such.invalid/x cannot be reached: ",
	} {
		err := connect(t, url).fails("initialize", says, Show(url))
		if kind := fault.KindOf(err); kind != fault.Failed && kind != fault.Unavailable {
			t.Errorf("the kind is %d: %v", kind, err)
		}
	}
	for _, wrong := range []string{"", "x", "ftp://h/x", "http://", "/mcp", "http://h\x00/", "mailto:a@b"} {
		if _, err := New(Options{URL: wrong}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestShowRemovesCredentials(t *testing.T) {
	for url, want := range map[string]string{
		"https://h/mcp":                        "https://h/mcp",
		" https://u:p@h:8/a/b?key=1#f ":        "https://h:8/a/b",
		"https://u:p@ss@h":                     "https://h",
		"https://${secret:HOST}/${secret:P}/x": "https://${secret:HOST}/${secret:P}/x",
		"https://h?token=1/@x":                 "https://h",
		"secret":                               "its URL",
	} {
		if got := Show(url); got != want {
			t.Errorf("Show(%q) = %q, want %q", url, got, want)
		}
	}
}

func TestARedirectWithinTheOriginIsFollowed(t *testing.T) {
	s := serve(t, func(e *exchange) bool {
		if e.r.URL.Path == "/mcp" {
			e.w.Header().Set("Location", "/mcp/")
			e.status(307, "")
			return true
		}
		if e.Method == "m" {
			e.answer(fmt.Sprintf(`{"got":%q}`, e.r.Header.Get("Authorization")+string(e.Params)))
			return true
		}
		return false
	})
	c := dial(t, s.URL+"/mcp", func(o *Options) { o.Headers = map[string]string{"Authorization": "b"} })
	if got, err := c.call("m", `{}`); got != `{"got":"b{}"}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTheProxyOfTheEnvironmentIsUsed(t *testing.T) {
	s := serve(t, func(e *exchange) bool {
		if e.Method == "m" {
			e.answer(fmt.Sprintf(`{"got":%q}`, e.r.URL.String()))
		}
		return e.Method == "m"
	})
	environment := map[string]string{"http_proxy": s.URL, "NO_PROXY": "direct.example"}
	proxy := ProxyOf(func(name string) string { return environment[name] })
	c := dial(t, "http://far.example/mcp", func(o *Options) { o.Proxy = proxy })
	if got, err := c.call("m", `{}`); got != `{"got":"http://far.example/mcp"}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	all := ProxyOf(func(name string) string { return map[string]string{"ALL_PROXY": s.URL}[name] })
	for _, far := range []string{"http://far.example/x", "https://far.example/x"} {
		target, _ := url.Parse(far)
		if through, err := all(target); through == nil || err != nil {
			t.Errorf("%s does not use ALL_PROXY: %v", far, err)
		}
	}
	for _, near := range []string{"http://direct.example/x", "http://127.0.0.1:1/", "https://far.example"} {
		target, _ := url.Parse(near)
		if through, err := proxy(target); through != nil || err != nil {
			t.Errorf("%s uses the proxy %v, %v", near, through, err)
		}
	}
}

func TestAFailureToConnectSaysWhetherAProxyIsUsed(t *testing.T) {
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = unused.Close()
	via := func(*url.URL) (*url.URL, error) { return url.Parse("http://ada:pass@" + unused.Addr().String()) }
	connect(t, "https://far.example/mcp", func(o *Options) { o.Proxy = via }).fails("initialize",
		"https://far.example/mcp cannot be reached: connection refused (through the proxy http://"+unused.Addr().String()+")")
	connect(t, "http://no.such.invalid/x").fails("initialize", "(no proxy is used; the variable HTTP_PROXY sets one)")
	for _, excluded := range []string{"no.such.invalid", ".invalid", "*"} {
		environment := map[string]string{"http_proxy": "http://" + unused.Addr().String(), "no_proxy": excluded}
		excluding := ProxyOf(func(name string) string { return environment[name] })
		connect(t, "http://no.such.invalid/x", func(o *Options) { o.Proxy = excluding }).fails("initialize",
			"the name of its host is not known (no proxy is used; NO_PROXY excludes this host)")
	}
}

func TestErrorsContainNoSecretHeaders(t *testing.T) {
	s := serve(t, func(e *exchange) bool { e.status(500, e.r.Header.Get("X-Odd")); return true })
	c := connect(t, s.URL+"/mcp?key=query-secret",
		func(o *Options) { o.Headers = map[string]string{"Authorization": "Bearer top\nsecret"} })
	if err := c.fails("initialize", "Authorization"); strings.Contains(err.Error(), "top") ||
		strings.Contains(err.Error(), "query-secret") {
		t.Errorf("got %v", err)
	}
}
