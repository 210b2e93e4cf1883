package hub_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestAPersonSeesHowFarToolsAreFoundByTheirMeaning(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{
			name: "an empty hub", method: "GET", path: "/api/search/status", status: 200,
			want: []string{`"provider":"builtin"`, `"tools":0`, `"ready":0`, `"working":false`, `"problem":""`},
		},
		step{name: "a server", method: "POST", path: "/api/servers", body: s.server("fake"), status: 201, keep: "id"},
		step{name: "which runs", method: "POST", path: "/api/servers/{id}/activate", status: 200},
	)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Tools > 0 && now.Ready == now.Tools && !now.Working })
}

func TestAHubWhoseModelDoesNotAnswerFindsToolsByTheirWords(t *testing.T) {
	const key = "sk-of-the-user-0123456789"
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer "+key || !strings.Contains(string(body), "text-embedding-3-small") {
			t.Errorf("asked %s with %q", body, r.Header.Get("Authorization"))
		}
		http.Error(w, "no, not with "+key, http.StatusUnauthorized)
	}))
	defer model.Close()
	t.Setenv("AGENT_DISCOVER_EMBEDDING_PROVIDER", "openai")
	t.Setenv("AGENT_DISCOVER_OPENAI_BASE_URL", model.URL)
	t.Setenv("OPENAI_API_KEY", key)
	folder := paths.Folder(t.TempDir())
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "a server", method: "POST", path: "/api/servers", body: s.server("fake"), status: 201, keep: "id"},
		step{name: "which runs", method: "POST", path: "/api/servers/{id}/activate", status: 200},
	)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Problem != "" })
	s.play(
		step{
			name: "what is wrong", method: "GET", path: "/api/search/status", status: 200,
			want: []string{`"provider":"openai"`, `"ready":0`, "set AGENT_DISCOVER_OPENAI_API_KEY"}, never: []string{key},
		},
		step{name: "a search", method: "POST", path: "/api/find", body: `{"query":"echo"}`, status: 200, want: []string{`"found":true`}},
	)
	err := filepath.WalkDir(string(folder), func(file string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(file)
		if strings.Contains(string(data), key) {
			t.Errorf("%s holds the key", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

type searchStatus struct {
	Tools, Ready int
	Working      bool
	Problem      string
}

// awaitSearch asks until the status is as it is to be.
func awaitSearch(t *testing.T, s *scenario, is func(searchStatus) bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(20 * time.Second)
	for {
		var now searchStatus
		_, body := s.send("GET", "/api/search/status", "")
		if json.Unmarshal([]byte(body), &now) == nil && is(now) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("the status of search is %s", body)
		}
	}
}
