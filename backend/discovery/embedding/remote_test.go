package embedding_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// key is a user's API key, which must not appear in logs and messages.
const key = "sk-never-shown-0123456789"

// modelServer is an embedding server that can be made to fail.
type modelServer struct {
	*httptest.Server
	served []string // paths that it answers; nil: all

	mu     sync.Mutex
	fault  func(w http.ResponseWriter, r *http.Request, texts []string) bool // replaces the response if it returns true
	texts  []string
	paths  []string
	keys   []string
	models []string
}

func newModelServer(t *testing.T, served ...string) *modelServer {
	m := &modelServer{served: served}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.Method != http.MethodPost ||
		r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "unexpected request", http.StatusTeapot)
		return
	}
	m.mu.Lock()
	m.texts, m.paths = append(m.texts, ask.Input...), append(m.paths, r.URL.Path)
	m.keys, m.models = append(m.keys, r.Header.Get("Authorization")), append(m.models, ask.Model)
	fault, known := m.fault, m.served == nil || slices.Contains(m.served, r.URL.Path)
	m.mu.Unlock()
	switch {
	case !known:
		http.NotFound(w, r)
	case fault != nil && fault(w, r, ask.Input):
	case strings.HasSuffix(r.URL.Path, "/embeddings"):
		_, _ = w.Write([]byte(openAIAnswer(ask.Input)))
	default:
		_, _ = w.Write([]byte(ollamaAnswer(ask.Input)))
	}
}

func ollamaAnswer(texts []string) string {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = meaning(text)
	}
	data, _ := json.Marshal(map[string]any{"model": "m", "embeddings": vectors})
	return string(data)
}

// openAIAnswer returns vectors in reverse order, with their indexes.
func openAIAnswer(texts []string) string {
	var data []map[string]any
	for i, text := range slices.Backward(texts) {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": meaning(text)})
	}
	answer, _ := json.Marshal(map[string]any{"object": "list", "data": data})
	return string(answer)
}

// fail makes fault handle requests; nil restores normal responses.
func (m *modelServer) fail(fault func(http.ResponseWriter, *http.Request, []string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = fault
}

// serveAll makes the server answer at every path.
func (m *modelServer) serveAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.served = nil
}

// asked returns the texts that the server has received, and the path, the
// Authorization header and the model of each request.
func (m *modelServer) asked() (texts, paths, keys, models []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.texts), slices.Clone(m.paths), slices.Clone(m.keys), slices.Clone(m.models)
}

func local(url string) settings.Search {
	return settings.Search{Provider: settings.ProviderLocal, URL: url, Model: "m", Key: key}
}

func openAI(url string) settings.Search {
	return settings.Search{Provider: settings.ProviderOpenAI, BaseURL: url + "/secret-path/v1", Key: key}
}

// with returns a fault that answers every request with a status and a body.
func with(status int, body string) func(http.ResponseWriter, *http.Request, []string) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}

func TestTheInterfaceOfALocalServerIsDetected(t *testing.T) {
	for _, c := range []struct{ given, path string }{
		{"", "/api/embed"},
		{"/", "/api/embed"},
		{"/api", "/api/embed"},
		{"/api/embed", "/api/embed"},
		{"", "/v1/embeddings"},
		{"/v1", "/v1/embeddings"},
		{"/v1/", "/v1/embeddings"},
		{"/v1/embeddings", "/v1/embeddings"},
		{"/engine", "/engine/v1/embeddings"},
		{"/other/embeddings", "/other/embeddings"},
	} {
		t.Run(c.given+" at "+c.path, func(t *testing.T) {
			d, m := newFixture(t), newModelServer(t, c.path)
			d.list("disk", "read: Reads a file", "write: Writes a file")
			x, _ := d.run(d.options(local(m.URL+c.given), nil))
			d.awaitReady(x, 2)
			if _, ok := x.Query(t.Context(), "read"); !ok {
				t.Error("a query has no vector")
			}
			texts, paths, keys, models := m.asked()
			if slices.IndexFunc(keys, func(key string) bool { return key != "" }) >= 0 {
				t.Error("the OpenAI key was sent to a local server")
			}
			if models[0] != "m" || paths[len(paths)-1] != c.path || len(paths) > 3 {
				t.Errorf("requested %q with the texts %q and the models %q", paths, texts, models)
			}
			if id := x.Vectors().Model(); !strings.HasPrefix(id, "local/m/text") {
				t.Errorf("model %q", id)
			}
		})
	}
}

func TestTheInterfaceIsDetectedAgainAfterAServerChanges(t *testing.T) {
	d, m := newFixture(t), newModelServer(t, "/api/embed")
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.awaitReady(x, 1)
	m.fail(func(w http.ResponseWriter, r *http.Request, texts []string) bool { // as if an OpenAI server had replaced it
		if r.URL.Path == "/api/embed" {
			return with(404, "")(w, r, texts)
		}
		_, _ = w.Write([]byte(openAIAnswer(texts)))
		return true
	})
	m.serveAll()
	d.list("mail", "send: Sends a letter")
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	d.clock.pass(t, time.Second)
	d.awaitReady(x, 2)
}

func TestOpenAIReceivesTheKeyAndBatchesOfTexts(t *testing.T) {
	d, m := newFixture(t), newModelServer(t, "/secret-path/v1/embeddings")
	d.list("many", numbered(100)...)
	x, _ := d.run(d.options(openAI(m.URL), nil))
	d.awaitReady(x, 100)
	tool := d.catalog.Snapshot().Tools[7]
	exact := meaning(embedding.Text(tool))
	if v, _ := x.Vectors().Of(tool.Hash); dot(exact, v)*dot(exact, v) < 0.999*length(exact) {
		t.Errorf("%s has the vector of another tool", tool.Name)
	}
	texts, paths, keys, models := m.asked()
	if len(paths) != 2 || len(texts) != 100 || keys[0] != "Bearer "+key || models[0] != "text-embedding-3-small" {
		t.Errorf("%d requests for %d texts, model %q", len(paths), len(texts), models[0])
	}
}

func TestOpenAIIsNotContactedWithoutAKey(t *testing.T) {
	d := newFixture(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(settings.Search{Provider: settings.ProviderOpenAI}, nil))
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	if s := x.Status(); !strings.Contains(s.Problem, "AGENT_DISCOVER_OPENAI_API_KEY") {
		t.Errorf("status %+v", s)
	}
}
