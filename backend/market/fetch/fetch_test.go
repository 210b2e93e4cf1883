package fetch

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const limit = 1 << 20

// serve starts a server that handles all requests with handle.
func serve(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s
}

func text(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestBadAnswersAreErrorsThatNameTheReason(t *testing.T) {
	large := strings.Repeat("x", 64<<10)
	for name, row := range map[string]struct {
		handle http.HandlerFunc
		kind   fault.Kind
		want   string
	}{
		"500":          {text(500, "application/json", `{"error":"secret internals"}`), fault.Failed, "status 500"},
		"404":          {text(404, "application/json", `{}`), fault.NotFound, "does not have it"},
		"401":          {text(401, "application/json", `{}`), fault.Denied, "check the credentials"},
		"429":          {text(429, "application/json", `{}`), fault.Busy, "try again later"},
		"a page":       {text(200, "text/html; charset=utf-8", `<html>`), fault.Failed, "web page"},
		"a hidden one": {text(200, "application/json", "\n<!DOCTYPE html><p>"), fault.Failed, "web page"},
		"broken JSON":  {text(200, "application/json", `{"a":`), fault.Failed, "not the expected JSON"},
		"wrong type":   {text(200, "application/json", `[1]`), fault.Failed, "not the expected JSON"},
		"nothing":      {text(200, "application/json", ``), fault.Failed, "not the expected JSON"},
		"too large": {func(w http.ResponseWriter, _ *http.Request) {
			for range 50 * 16 { // 50 MB; the client closes the connection long before the end
				if _, err := w.Write([]byte(large)); err != nil {
					return
				}
			}
		}, fault.Failed, "more than 1 MB"},
		"unpacks to too much": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 50 * 16 {
				_, _ = z.Write([]byte(large))
			}
			_ = z.Close()
		}, fault.Failed, "more than 1 MB"},
		"a loop": {
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
			fault.Failed, "not safe to follow",
		},
		"another protocol": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, fault.Failed, "not safe to follow"},
		"a broken connection": {
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable, "could not reach",
		},
	} {
		s := serve(t, row.handle)
		var out map[string]any
		err := New(Options{Source: "npm"}).JSON(t.Context(), strings.Replace(s.URL, "//", "//user:hunter22@", 1)+"/x",
			"application/json", limit, &out)
		if fault.KindOf(err) != row.kind || !strings.Contains(fault.MessageOf(err), row.want) ||
			!strings.Contains(fault.MessageOf(err), "npm (127.0.0.1:") {
			t.Errorf("%s: got %v (kind %d)", name, err, fault.KindOf(err))
		}
		if err != nil && (strings.Contains(err.Error(), "hunter22") || strings.Contains(err.Error(), "internals")) {
			t.Errorf("%s: the error contains a credential or the body: %v", name, err)
		}
	}
}

func TestAServerThatDoesNotAnswerIsATimeout(t *testing.T) {
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := New(Options{Source: "npm"}).JSON(ctx, s.URL, "application/json", limit, new(any)); fault.KindOf(err) != fault.Timeout {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := New(Options{Source: "npm"}).JSON(ctx, s.URL, "application/json", limit, new(any)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestAnUnreachableServerIsUnavailable(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	if err := New(Options{Source: "npm"}).JSON(t.Context(), s.URL, "application/json", limit,
		new(any)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestCertificatesAreChecked(t *testing.T) {
	s := httptest.NewUnstartedServer(text(200, "application/json", `{}`))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	s.StartTLS()
	defer s.Close()
	get := func(o Options) error {
		o.Source = "npm"
		return New(o).JSON(t.Context(), s.URL, "application/json", limit, new(any))
	}
	for name, o := range map[string]Options{
		"by default":         {},
		"of others insecure": {Insecure: func(host string) bool { return host == "other.example" }},
	} {
		if err := get(o); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "certificate") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	for name, o := range map[string]Options{
		"known":                    {CAs: pool},
		"known, and others exempt": {CAs: pool, Insecure: func(string) bool { return false }},
		"exempt in the settings":   {Insecure: func(host string) bool { return host == "127.0.0.1" }},
	} {
		if err := get(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCredentialsStayAtTheirAddress(t *testing.T) {
	headers := make(chan string, 3)
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header.Get("Authorization") + r.Header.Get("Referer")
		text(200, "application/json", `{}`)(w, r)
	})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header.Get("Authorization")
		http.Redirect(w, r, strings.Replace(other.URL, "//", "//user:pass@", 1), http.StatusFound)
	})
	host := strings.TrimPrefix(s.URL, "http://")
	c := New(Options{Source: "npm", Authorize: func(u *url.URL) string {
		if u.Host == host {
			return "Bearer t0ken"
		}
		return ""
	}})
	if err := c.JSON(t.Context(), s.URL, "application/json", limit, new(any)); err != nil {
		t.Fatal(err)
	}
	if first, second := <-headers, <-headers; first != "Bearer t0ken" || second != "" {
		t.Errorf("got %q and %q", first, second)
	}
}

func TestARedirectFromHTTPSMustStayEncrypted(t *testing.T) {
	plain := serve(t, text(200, "application/json", `{}`))
	s := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	if err := New(Options{Source: "npm", CAs: pool}).JSON(t.Context(), s.URL, "application/json", limit,
		new(any)); fault.KindOf(err) != fault.Failed {
		t.Errorf("got %v", err)
	}
	// After a redirect to HTTPS, a redirect back to HTTP is refused too.
	first := httptest.NewServer(http.RedirectHandler(s.URL, http.StatusFound))
	defer first.Close()
	if err := New(Options{Source: "npm", CAs: pool}).JSON(t.Context(), first.URL, "application/json", limit,
		new(any)); fault.KindOf(err) != fault.Failed {
		t.Errorf("http, https, http: got %v", err)
	}
}

func TestAddressesMustBeHTTP(t *testing.T) {
	for _, address := range []string{"", "file:///etc/passwd", "https://", "://", "npm.example/x", "http://a b/"} {
		if err := New(Options{Source: "npm"}).JSON(t.Context(), address, "application/json", limit,
			new(any)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v", address, err)
		}
	}
}
