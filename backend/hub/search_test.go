package hub_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
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

// seaModel is an embedding model that distinguishes texts about the sea from others.
func seaModel(w http.ResponseWriter, r *http.Request) {
	var request struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != "/api/embed" {
		http.Error(w, "?", http.StatusNotFound)
		return
	}
	out := make([][]float32, len(request.Input))
	for i, text := range request.Input {
		if text = strings.ToLower(text); strings.Contains(text, "tide") || strings.Contains(text, "ocean") {
			out[i] = []float32{1, 0, 0.1}
		} else {
			out[i] = []float32{0, 1, 0.1}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": out})
}

// startModel serves seaModel at an address until end is called.
func startModel(t *testing.T, address string) (end func()) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(seaModel)}
	go func() { _ = server.Serve(listener) }()
	end = func() { _ = server.Close() }
	t.Cleanup(end)
	return end
}

// newSearchHub returns a hub with the given search settings and a server with two
// tools, and an agent connected to it.
func newSearchHub(t *testing.T, search string) (*scenario, *agent) {
	t.Helper()
	folder := paths.Folder(filepath.Join(t.TempDir(), "data"))
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(folder), "config.yaml"), []byte("search:\n"+search), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-tool", "tide=Height of the water at a harbour", "-tool", "mend_net=Mend a net"), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	return s, join(t, s.hub, "one")
}

// byWords is a query that matches the words of the tide tool. The agent must find it
// without an embedding model.
func byWords(query string) question {
	return question{name: "by words", arguments: `{"action":"find_tool","query":"` + query + `"}`, want: []string{`"found":true`, "mcp__sea__tide"}, never: []string{"problem", "127.0.0.1"}}
}

func TestWithoutAnEmbeddingProviderToolsAreFoundByWords(t *testing.T) {
	s, agent := newSearchHub(t, "  provider: none\n")
	agent.checkReplies(
		byWords("height of the water at the harbour"),
		question{name: "query by meaning", arguments: `{"action":"find_tool","query":"when does the ocean rise"}`, want: []string{`"found":false`, `"hint":"no tools matched`}, never: []string{"mcp__sea"}},
		question{name: "find_tools", arguments: `{"action":"find_tools","intents":["height of the water","when does the ocean rise"]}`, want: []string{`"intent":"height of the water","found":true`, `"intent":"when does the ocean rise","found":false`}},
	)
	s.play(step{name: "search status", method: "GET", path: "/api/search/status", status: 200, want: []string{`{"provider":"none","model":"","tools":2,"ready":0,"working":false,"problem":""}`}})
}

func TestSearchWorksWhileTheEmbeddingProviderIsUnavailable(t *testing.T) {
	reserved, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := reserved.Addr().String()
	_ = reserved.Close()
	s, agent := newSearchHub(t, "  provider: local\n  model: of-the-sea\n  url: http://"+address+"\n")

	awaitSearch(t, s, func(now searchStatus) bool { return strings.Contains(now.Problem, "cannot be reached") })
	agent.checkReplies(byWords("height of the water"))

	end := startModel(t, address)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Ready == now.Tools && now.Problem == "" })
	byMeaning := func(query string) question {
		return question{name: query, arguments: `{"action":"find_tool","query":"` + query + `"}`, want: []string{`"found":true`, `"call_as":"mcp__sea__tide"`}}
	}
	agent.checkReplies(byMeaning("when does the ocean rise"), byWords("height of the water"))

	end()
	agent.checkReplies(byWords("what is the height of the water"), byWords("the height of the water today"))
	awaitSearch(t, s, func(now searchStatus) bool { return now.Problem != "" && now.Ready == now.Tools })
	s.play(step{name: "search over REST without the model", method: "POST", path: "/api/find", body: `{"query":"the water at a harbour"}`, status: 200, want: []string{`"found":true`}, never: []string{`"field":"meaning"`}})

	startModel(t, address)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Problem == "" })
	agent.checkReplies(byMeaning("when is the ocean at its lowest"))
	s.play(step{name: "search over REST with the model", method: "POST", path: "/api/find", body: `{"query":"the ocean at a harbour"}`, status: 200, want: []string{`"field":"meaning"`}})
}

// startSlowModel serves seaModel, but answers the first request about the ocean only when it gets the second one.
func startSlowModel(t *testing.T) (url string) {
	t.Helper()
	again, first := make(chan struct{}), make(chan struct{}, 1)
	first <- struct{}{}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if strings.Contains(string(body), "ocean") {
			select {
			case <-first:
				select {
				case <-again:
				case <-r.Context().Done():
				}
			default:
				close(again)
			}
		}
		seaModel(w, r)
	}))
	t.Cleanup(model.Close)
	return model.URL
}

func TestASearchThatFindsNothingByWordsWaitsForItsMeaning(t *testing.T) {
	for name, ask := range map[string]func(*scenario, *agent){
		"find_tool": func(_ *scenario, a *agent) {
			a.checkReplies(question{name: "find_tool", arguments: `{"action":"find_tool","query":"when does the ocean rise"}`, want: []string{`"found":true`, "mcp__sea__tide"}})
		},
		"find_tools": func(_ *scenario, a *agent) {
			a.checkReplies(question{name: "find_tools", arguments: `{"action":"find_tools","intents":["when does the ocean rise"]}`, want: []string{`"found":true`, "mcp__sea__tide"}})
		},
		"over REST": func(s *scenario, _ *agent) {
			s.play(step{name: "find", method: "POST", path: "/api/find", body: `{"query":"when does the ocean rise"}`, status: 200, want: []string{`"found":true`, `"field":"meaning"`}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, agent := newSearchHub(t, "  provider: local\n  model: of-the-sea\n  url: "+startSlowModel(t)+"\n")
			awaitSearch(t, s, func(now searchStatus) bool { return now.Ready == now.Tools })
			ask(s, agent)
		})
	}
}

func TestNoMatchIsReportedAlikeToAgentsAndOverREST(t *testing.T) {
	s, agent := newSearchHub(t, "  provider: none\n")
	const unrelated = "knit a jumper for a giraffe"
	agent.checkReplies(
		question{name: "find_tool", arguments: `{"action":"find_tool","query":"` + unrelated + `"}`, want: []string{`{"found":false,"matches":[],"top_score":`, "no tools matched with sufficient confidence"}, never: []string{"call_as", "confidence\":"}},
		question{name: "one letter", arguments: `{"action":"find_tool","query":"a"}`, want: []string{`{"found":false,"matches":[],"top_score":0,`}},
		question{name: "symbols", arguments: `{"action":"find_tool","query":"🙂 *** \"; DROP TABLE tools"}`, want: []string{`"found":false`}},
		question{name: "empty query", arguments: `{"action":"find_tool","query":"  "}`, want: []string{"query is required"}},
		question{name: "negative limit", arguments: `{"action":"find_tool","query":"` + unrelated + `","limit":-3}`, want: []string{`"found":false`}},
		question{name: "large limit", arguments: `{"action":"find_tool","query":"height of the water","limit":100000}`, want: []string{`"found":true`}},
		question{name: "10 kB", arguments: `{"action":"find_tool","query":"` + strings.Repeat("giraffe ", 1280) + `"}`, want: []string{`"found":false`}},
	)
	s.play(
		step{name: "unrelated query", method: "POST", path: "/api/find", body: `{"query":"` + unrelated + `","limit":5}`, status: 200, want: []string{`"found":false,"confidence":"none","score":`, `"hits":[]`, `"hint":"no tools matched`, `"reply":{"found":false,"matches":[]`}},
		step{name: "one letter", method: "POST", path: "/api/find", body: `{"query":"a"}`, status: 200, want: []string{`"found":false,"confidence":"none","score":0,`, `"hits":[]`}},
		step{name: "empty query", method: "POST", path: "/api/find", body: `{"query":""}`, status: 422, want: []string{"query is required"}},
		step{name: "limit 0", method: "POST", path: "/api/find", body: `{"query":"` + unrelated + `","limit":0}`, status: 200, want: []string{`"hits":[]`}},
	)
}

func TestSearchStatusReportsIndexingProgress(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{
			name: "empty hub", method: "GET", path: "/api/search/status", status: 200,
			want: []string{`"provider":"builtin"`, `"tools":0`, `"ready":0`, `"working":false`, `"problem":""`},
		},
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("fake"), status: 201, keep: "id"},
		step{name: "activate server", method: "POST", path: "/api/servers/{id}/activate", status: 200},
	)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Tools > 0 && now.Ready == now.Tools && !now.Working })
}

func TestRejectedEmbeddingKeyIsReportedAndNotStored(t *testing.T) {
	const key = "sk-of-the-user-0123456789"
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer "+key || !strings.Contains(string(body), "text-embedding-3-small") {
			t.Errorf("the model received %s with the key %q", body, r.Header.Get("Authorization"))
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
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("fake"), status: 201, keep: "id"},
		step{name: "activate server", method: "POST", path: "/api/servers/{id}/activate", status: 200},
	)
	awaitSearch(t, s, func(now searchStatus) bool { return now.Problem != "" })
	s.play(
		step{
			name: "problem in the status", method: "GET", path: "/api/search/status", status: 200,
			want: []string{`"provider":"openai"`, `"ready":0`, "set AGENT_DISCOVER_OPENAI_API_KEY"}, never: []string{key},
		},
		step{name: "search by words", method: "POST", path: "/api/find", body: `{"query":"echo"}`, status: 200, want: []string{`"found":true`}},
	)
	err := filepath.WalkDir(string(folder), func(file string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(file)
		if strings.Contains(string(data), key) {
			t.Errorf("%s contains the key", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// searchStatus is the answer to GET /api/search/status.
type searchStatus struct {
	Tools, Ready int
	Working      bool
	Problem      string
}

// awaitSearch waits until the search status meets a condition.
func awaitSearch(t *testing.T, s *scenario, meets func(searchStatus) bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(deadline)
	for {
		var now searchStatus
		_, body := s.send("GET", "/api/search/status", "")
		if json.Unmarshal([]byte(body), &now) == nil && meets(now) {
			return
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("the search status stays %s", body)
		}
	}
}
