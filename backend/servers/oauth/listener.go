package oauth

import (
	"context"
	"fmt"
	"html"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// callbackPath is the path of the redirect addresses, to which browsers return after a sign-in. These addresses must
// not change, because people register them.
const callbackPath = "/callback"

// DefaultPorts are the ports of redirect addresses, in the order in which they are tried.
// Ports are fixed because some authorization servers compare them.
var DefaultPorts = []int{13424, 13425, 13426, 13427}

func redirectAt(port int) string {
	return "http://127.0.0.1:" + strconv.Itoa(port) + callbackPath
}

func redirectTo(l net.Listener) string { return redirectAt(l.Addr().(*net.TCPAddr).Port) }

// listen listens for the end of a sign-in and returns the redirect address. It is always an address of this program, because
// the program that listens there gets the code. The port is one of Options.Ports, or a free one if other programs use all
// of them and anyPort is set; usual says which. If no address can be used, redirect is "".
func (m *Manager) listen(anyPort bool) (redirect string, usual bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return "", false, errClosed
	}
	for _, port := range m.options.Ports {
		if m.usual != nil {
			break
		}
		m.usual = m.serve(port)
	}
	switch {
	case m.usual != nil:
		m.beginning++
		return redirectTo(m.usual), true, nil
	case !anyPort:
		return "", false, nil
	}
	if m.free == nil {
		m.free = m.serve(0)
	}
	if m.free == nil {
		return "", false, nil
	}
	m.beginning++
	return redirectTo(m.free), false, nil
}

// serve answers browsers at a port, or at a free one if port is 0. It returns nil if it cannot listen there.
func (m *Manager) serve(port int) net.Listener {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil
	}
	server := &http.Server{
		Handler: m.callbacks(l.Addr().String()), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: workTimeout + requestTimeout,
		MaxHeaderBytes: 64 << 10,
	}
	server.SetKeepAlivesEnabled(false)
	m.work.Go(func() { _ = server.Serve(l) }) // returns when closeUnused closes l
	return l
}

// users describes the programs that use all of Options.Ports, such as "13424 (process 4711, python3, of user alice)".
func (m *Manager) users(ctx context.Context) string {
	var out []string
	for _, port := range m.options.Ports {
		user := "unknown program"
		if owner, known := process.OwnerOf(ctx, port); known {
			user = owner.String()
		}
		out = append(out, fmt.Sprintf("%d (%s)", port, user))
	}
	return strings.Join(out, ", ")
}

// begun must be called once after each successful listen, when the sign-in waits for a person or has failed. It
// closes the listeners if no sign-in needs them.
func (m *Manager) begun() {
	m.mu.Lock()
	m.beginning--
	m.mu.Unlock()
	m.closeUnused()
}

// closeUnused closes the listeners if no sign-in needs them.
func (m *Manager) closeUnused() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.flows)+m.beginning > 0 {
		return
	}
	for _, l := range []*net.Listener{&m.usual, &m.free} {
		if *l != nil {
			_ = (*l).Close()
			*l = nil
		}
	}
}

// callbacks handles the requests of browsers at the end of a sign-in.
func (m *Manager) callbacks(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host != host: // DNS rebinding: a page of another site, whose name resolves to this machine
			page(w, http.StatusForbidden, "Forbidden", "This address is for sign-ins of Agent Discover.")
		case r.URL.Path != callbackPath:
			page(w, http.StatusNotFound, "Not found", "This address is for sign-ins of Agent Discover.")
		case r.Method != http.MethodGet:
			page(w, http.StatusMethodNotAllowed, "Not allowed", "This address is for sign-ins of Agent Discover.")
		default:
			server, err := m.complete(r.Context(), r.URL.Query())
			if err != nil {
				page(w, http.StatusBadRequest, "Not signed in", fault.MessageOf(err))
				return
			}
			page(w, http.StatusOK, "Signed in", fmt.Sprintf("You are signed in to %s. You can close this page.", safetext.Label(server)))
		}
	})
}

// page writes a page with a title and a text. The text may be untrusted.
func page(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address of the page contains the code
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%[1]s – Agent Discover</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1.5rem}</style></head>
<body><h1>%[1]s</h1><p>%[2]s</p></body></html>
`, html.EscapeString(title), html.EscapeString(text))
}
