package surfaces_test

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

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// seaModel serves the API of an embedding model with two vectors: one for texts about the sea, one for all other texts.
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
func newSearchHub(t *testing.T, search string) (*hubtest.Scenario, *hubtest.Agent) {
	t.Helper()
	folder := paths.Folder(filepath.Join(t.TempDir(), "data"))
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(folder), "config.yaml"), []byte("search:\n"+search), 0o600); err != nil {
		t.Fatal(err)
	}
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body:   s.Server("sea", "-only", "-tool", "tide=Height of the water at a harbour", "-tool", "mend_net=Mend a net"),
			Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200},
	)
	return s, hubtest.Join(t, s.Hub, "one")
}

// byWords returns a question with a search for the tide tool that must succeed without an embedding model, because
// the query has words of the tool's description.
func byWords(query string) hubtest.Question {
	return hubtest.Question{
		Name: "by words", Arguments: `{"action":"find_tool","query":"` + query + `"}`, Want: []string{`"found":true`, "mcp__sea__tide"},
		Never: []string{"problem", "127.0.0.1"},
	}
}

func TestWithoutAnEmbeddingProviderToolsAreFoundByWords(t *testing.T) {
	s, agent := newSearchHub(t, "  provider: none\n")
	agent.CheckReplies(
		byWords("height of the water at the harbour"),
		hubtest.Question{
			Name: "query by meaning", Arguments: `{"action":"find_tool","query":"when does the ocean rise"}`,
			Want: []string{`"found":false`, `"hint":"no tools matched`}, Never: []string{"mcp__sea"},
		},
		hubtest.Question{
			Name: "find_tools", Arguments: `{"action":"find_tools","intents":["height of the water","when does the ocean rise"]}`,
			Want: []string{`"intent":"height of the water","found":true`, `"intent":"when does the ocean rise","found":false`},
		},
	)
	s.Play(hubtest.Step{
		Name: "search status", Method: "GET", Path: "/api/search/status", Status: 200,
		Want: []string{`{"provider":"none","model":"","tools":2,"ready":0,"working":false,"problem":""}`},
	})
}

func TestSearchWorksWhileTheEmbeddingProviderIsUnavailable(t *testing.T) {
	reserved, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := reserved.Addr().String()
	_ = reserved.Close()
	s, agent := newSearchHub(t, "  provider: local\n  model: of-the-sea\n  url: http://"+address+"\n")

	hubtest.AwaitSearch(t, s, func(now hubtest.SearchStatus) bool { return strings.Contains(now.Problem, "cannot be reached") })
	agent.CheckReplies(byWords("height of the water"))

	end := startModel(t, address)
	hubtest.AwaitSearch(t, s, func(now hubtest.SearchStatus) bool { return now.Ready == now.Tools && now.Problem == "" })
	byMeaning := func(query string) hubtest.Question {
		return hubtest.Question{
			Name: query, Arguments: `{"action":"find_tool","query":"` + query + `"}`,
			Want: []string{`"found":true`, `"call_as":"mcp__sea__tide"`},
		}
	}
	agent.CheckReplies(byMeaning("when does the ocean rise"), byWords("height of the water"))

	end()
	agent.CheckReplies(byWords("what is the height of the water"), byWords("the height of the water today"))
	hubtest.AwaitSearch(t, s, func(now hubtest.SearchStatus) bool { return now.Problem != "" && now.Ready == now.Tools })
	s.Play(hubtest.Step{
		Name: "search over REST without the model", Method: "POST", Path: "/api/find", Body: `{"query":"the water at a harbour"}`,
		Status: 200, Want: []string{`"found":true`}, Never: []string{`"field":"meaning"`},
	})

	startModel(t, address)
	hubtest.AwaitSearch(t, s, func(now hubtest.SearchStatus) bool { return now.Problem == "" })
	agent.CheckReplies(byMeaning("when is the ocean at its lowest"))
	s.Play(hubtest.Step{
		Name: "search over REST with the model", Method: "POST", Path: "/api/find", Body: `{"query":"the ocean at a harbour"}`,
		Status: 200, Want: []string{`"field":"meaning"`},
	})
}

// startSlowModel serves seaModel, but answers the first request about the ocean only when a second one arrives.
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
	for name, ask := range map[string]func(*hubtest.Scenario, *hubtest.Agent){
		"find_tool": func(_ *hubtest.Scenario, a *hubtest.Agent) {
			a.CheckReplies(hubtest.Question{
				Name: "find_tool", Arguments: `{"action":"find_tool","query":"when does the ocean rise"}`,
				Want: []string{`"found":true`, "mcp__sea__tide"},
			})
		},
		"find_tools": func(_ *hubtest.Scenario, a *hubtest.Agent) {
			a.CheckReplies(hubtest.Question{
				Name: "find_tools", Arguments: `{"action":"find_tools","intents":["when does the ocean rise"]}`,
				Want: []string{`"found":true`, "mcp__sea__tide"},
			})
		},
		"over REST": func(s *hubtest.Scenario, _ *hubtest.Agent) {
			s.Play(hubtest.Step{
				Name: "find", Method: "POST", Path: "/api/find", Body: `{"query":"when does the ocean rise"}`, Status: 200,
				Want: []string{`"found":true`, `"field":"meaning"`},
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, agent := newSearchHub(t, "  provider: local\n  model: of-the-sea\n  url: "+startSlowModel(t)+"\n")
			hubtest.AwaitSearch(t, s, func(now hubtest.SearchStatus) bool { return now.Ready == now.Tools })
			ask(s, agent)
		})
	}
}

func TestNoMatchIsReportedAlikeToAgentsAndOverREST(t *testing.T) {
	s, agent := newSearchHub(t, "  provider: none\n")
	const unrelated = "knit a jumper for a giraffe"
	agent.CheckReplies(
		hubtest.Question{
			Name: "find_tool", Arguments: `{"action":"find_tool","query":"` + unrelated + `"}`,
			Want:  []string{`{"found":false,"matches":[],"top_score":`, "no tools matched with sufficient confidence"},
			Never: []string{"call_as", "confidence\":"},
		},
		hubtest.Question{
			Name: "one letter", Arguments: `{"action":"find_tool","query":"a"}`,
			Want: []string{`{"found":false,"matches":[],"top_score":0,`},
		},
		hubtest.Question{
			Name: "symbols", Arguments: `{"action":"find_tool","query":"🙂 *** \"; DROP TABLE tools"}`, Want: []string{`"found":false`},
		},
		hubtest.Question{Name: "empty query", Arguments: `{"action":"find_tool","query":"  "}`, Want: []string{"query is required"}},
		hubtest.Question{
			Name: "negative limit", Arguments: `{"action":"find_tool","query":"` + unrelated + `","limit":-3}`,
			Want: []string{`"found":false`},
		},
		hubtest.Question{
			Name: "large limit", Arguments: `{"action":"find_tool","query":"height of the water","limit":100000}`,
			Want: []string{`"found":true`},
		},
		hubtest.Question{
			Name: "10 kB", Arguments: `{"action":"find_tool","query":"` + strings.Repeat("giraffe ", 1280) + `"}`,
			Want: []string{`"found":false`},
		},
	)
	s.Play(
		hubtest.Step{
			Name: "unrelated query", Method: "POST", Path: "/api/find", Body: `{"query":"` + unrelated + `","limit":5}`, Status: 200,
			Want: []string{
				`"found":false,"confidence":"none","score":`,
				`"hits":[]`, `"hint":"no tools matched`, `"reply":{"found":false,"matches":[]`,
			},
		},
		hubtest.Step{
			Name: "one letter", Method: "POST", Path: "/api/find", Body: `{"query":"a"}`, Status: 200,
			Want: []string{`"found":false,"confidence":"none","score":0,`, `"hits":[]`},
		},
		hubtest.Step{
			Name: "empty query", Method: "POST", Path: "/api/find", Body: `{"query":""}`, Status: 422, Want: []string{"query is required"},
		},
		hubtest.Step{
			Name: "limit 0", Method: "POST", Path: "/api/find", Body: `{"query":"` + unrelated + `","limit":0}`,
			Status: 200, Want: []string{`"hits":[]`},
		},
	)
}

func TestSearchStatusReportsIndexingProgress(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "empty hub", Method: "GET", Path: "/api/search/status", Status: 200,
			Want: []string{`"provider":"builtin"`, `"tools":0`, `"ready":0`, `"working":false`, `"problem":""`},
		},
		hubtest.Step{Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("fake"), Status: 201, Keep: "id"},
		hubtest.Step{Name: "activate server", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200},
	)
	hubtest.AwaitSearch(t, s, func(now hubtest.SearchStatus) bool { return now.Tools > 0 && now.Ready == now.Tools && !now.Working })
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
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("fake"), Status: 201, Keep: "id"},
		hubtest.Step{Name: "activate server", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200},
	)
	hubtest.AwaitSearch(t, s, func(now hubtest.SearchStatus) bool { return now.Problem != "" })
	s.Play(
		hubtest.Step{
			Name: "problem in the status", Method: "GET", Path: "/api/search/status", Status: 200,
			Want: []string{`"provider":"openai"`, `"ready":0`, "set AGENT_DISCOVER_OPENAI_API_KEY"}, Never: []string{key},
		},
		hubtest.Step{
			Name: "search by words", Method: "POST", Path: "/api/find", Body: `{"query":"echo"}`, Status: 200,
			Want: []string{`"found":true`},
		},
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
