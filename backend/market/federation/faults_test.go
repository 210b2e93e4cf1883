package federation

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/npm"
)

// faulty starts a registry that answers with handle. It returns an npm source that uses this registry and has a token
// for it.
func faulty(t *testing.T, name string, encrypted bool, handle http.HandlerFunc) Source {
	t.Helper()
	s := httptest.NewUnstartedServer(handle)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	if encrypted {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	_, host, _ := strings.Cut(s.URL, ":")
	env := process.Env{"HOME=" + t.TempDir(), "PATH=", "npm_config_registry=" + s.URL, "npm_config_" + host + "/:_authToken=s3cr3t"}
	return Source{Name: name, Search: npm.New(npm.Options{Environment: func(context.Context) process.Env { return env }}).Search}
}

func TestRegistriesThatFailAreNamedAndHoldUpNothing(t *testing.T) {
	body := func(kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		}
	}
	good := body("application/json", `{"objects":[{"package":{"name":"mcp-server-rainfall","version":"1.0.0","description":"Rainfall"}}]}`)
	gone := httptest.NewServer(good)
	gone.Close()
	closed := faulty(t, "offline", false, http.RedirectHandler(gone.URL, http.StatusFound).ServeHTTP)
	want := map[string]string{
		"500": "status 500", "page": "web page", "broken": "not the expected JSON", "types": "not the expected JSON", "large": "more than",
		"loop": "not safe to follow", "certificate": "certificate", "offline": "could not reach", "refused": "refused access",
	}
	f := New(Options{Sources: []Source{
		faulty(t, "500", false, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusInternalServerError)
		}),
		faulty(t, "page", false, body("text/html", "<html>Sign in")),
		faulty(t, "broken", false, body("application/json", `{"objects":[{`)),
		faulty(t, "types", false, body("application/json", `["objects"]`)),
		faulty(t, "large", false, body("application/json", strings.Repeat("x", 50<<20))),
		faulty(t, "loop", false, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) }),
		faulty(t, "certificate", true, good),
		closed,
		faulty(t, "refused", false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }),
		faulty(t, "good", false, good),
	}})
	began := time.Now()
	a := f.Search(t.Context(), Query{Text: "rainfall"}, nil)
	if time.Since(began) > Patience || ids(a) != "npm:mcp-server-rainfall" {
		t.Errorf("after %s: got %q", time.Since(began), ids(a))
	}
	for _, r := range a.Sources {
		if r.Source == "good" {
			if r.Progress != Answered {
				t.Errorf("got %+v", r)
			}
		} else if r.Progress != Missing || want[r.Source] == "" || !strings.Contains(r.Problem, want[r.Source]) {
			t.Errorf("got %+v", r)
		}
	}
	if data, err := json.Marshal(a); err != nil || strings.Contains(string(data), "s3cr3t") {
		t.Errorf("the answer contains a token, or %v", err)
	}
}
