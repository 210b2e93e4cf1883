package embedding_test

import (
	"encoding/json"
	"fmt"
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

// key is a user's key, which nothing may show.
const key = "sk-never-shown-0123456789"

// model is a server of vectors on this machine that misbehaves on request.
type modelServer struct {
	*httptest.Server
	ways []string // paths that it answers; nil: all

	mu     sync.Mutex
	misdo  func(w http.ResponseWriter, r *http.Request, texts []string) bool // true: that was all
	texts  []string
	paths  []string
	keys   []string
	models []string
}

func newModelServer(t *testing.T, ways ...string) *modelServer {
	m := &modelServer{ways: ways}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "not like that", http.StatusTeapot)
		return
	}
	m.mu.Lock()
	m.texts, m.paths = append(m.texts, ask.Input...), append(m.paths, r.URL.Path)
	m.keys, m.models = append(m.keys, r.Header.Get("Authorization")), append(m.models, ask.Model)
	misdo, known := m.misdo, m.ways == nil || slices.Contains(m.ways, r.URL.Path)
	m.mu.Unlock()
	switch {
	case !known:
		http.NotFound(w, r)
	case misdo != nil && misdo(w, r, ask.Input):
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

// openAIAnswer comes in another order than it was asked for.
func openAIAnswer(texts []string) string {
	var data []map[string]any
	for i, text := range slices.Backward(texts) {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": meaning(text)})
	}
	answer, _ := json.Marshal(map[string]any{"object": "list", "data": data})
	return string(answer)
}

func (m *modelServer) be(misdo func(http.ResponseWriter, *http.Request, []string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.misdo = misdo
}

// openAll lets it answer at every path.
func (m *modelServer) openAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ways = nil
}

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

// with answers every request with the same.
func with(status int, body string) func(http.ResponseWriter, *http.Request, []string) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}

func TestALocalServerIsAskedInTheInterfaceThatItSpeaks(t *testing.T) {
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
			d, m := newDesk(t), newModelServer(t, c.path)
			d.list("disk", "read: Reads a file", "write: Writes a file")
			x, _ := d.run(d.options(local(m.URL+c.given), nil))
			d.awaitReady(x, 2)
			if _, ok := x.Query(t.Context(), "read"); !ok {
				t.Error("no vector of a query")
			}
			texts, paths, keys, models := m.asked()
			if slices.IndexFunc(keys, func(key string) bool { return key != "" }) >= 0 {
				t.Error("a local server was sent OpenAI's key")
			}
			if models[0] != "m" || paths[len(paths)-1] != c.path || len(paths) > 3 {
				t.Errorf("asked %q for %q of %q", paths, texts, models)
			}
			if id := x.Vectors().Model(); !strings.HasPrefix(id, "local/m/text") {
				t.Errorf("model %q", id)
			}
		})
	}
}

func TestAnotherServerInThePlaceOfOneIsFound(t *testing.T) {
	d, m := newDesk(t), newModelServer(t, "/api/embed")
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.awaitReady(x, 1)
	m.be(func(w http.ResponseWriter, r *http.Request, texts []string) bool { // as if its ways were others
		if r.URL.Path == "/api/embed" {
			return with(404, "")(w, r, texts)
		}
		_, _ = w.Write([]byte(openAIAnswer(texts)))
		return true
	})
	m.openAll()
	d.list("mail", "send: Sends a letter")
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	d.clock.pass(t, time.Second)
	d.awaitReady(x, 2)
}

func TestOpenAIIsAskedWithTheKeyForManyAtOnce(t *testing.T) {
	d, m := newDesk(t), newModelServer(t, "/secret-path/v1/embeddings")
	d.list("many", numbered(100)...)
	x, _ := d.run(d.options(openAI(m.URL), nil))
	d.awaitReady(x, 100)
	tool := d.catalog.Snapshot().Tools[7]
	exact := meaning(embedding.Text(tool))
	if v, _ := x.Vectors().Of(tool.Hash); dot(exact, v)*dot(exact, v) < 0.999*length(exact) {
		t.Errorf("%s has another's vector", tool.Name)
	}
	texts, paths, keys, models := m.asked()
	if len(paths) != 2 || len(texts) != 100 || keys[0] != "Bearer "+key || models[0] != "text-embedding-3-small" {
		t.Errorf("%d requests for %d texts, model %q", len(paths), len(texts), models[0])
	}
}

func TestWithoutAKeyOpenAIGetsNothing(t *testing.T) {
	d := newDesk(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(settings.Search{Provider: settings.ProviderOpenAI}, nil))
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	if s := x.Status(); !strings.Contains(s.Problem, "AGENT_DISCOVER_OPENAI_API_KEY") {
		t.Errorf("status %+v", s)
	}
}

// failures are what can go wrong with a provider, and what a person is told.
var failures = map[string]struct {
	misdo   func(http.ResponseWriter, *http.Request, []string) bool
	problem string
}{
	"bad key":       {with(401, `{"error":"wrong key `+key+`"}`), "status 401: set AGENT_DISCOVER_OPENAI_API_KEY"},
	"no access":     {with(403, key), "status 403"},
	"no model":      {with(404, `{"error":"model not found"}`), "does not know the model"},
	"used up":       {with(429, ""), "too many requests"},
	"refused":       {with(400, key), "refuses texts with status 400"},
	"too long":      {with(413, ""), "refuses texts with status 413"},
	"unprocessable": {with(422, ""), "refuses texts with status 422"},
	"broken":        {with(500, key), "status 500"},
	"unavailable":   {with(503, ""), "status 503"},
	"no JSON":       {with(200, "<html>"+key), "not with vectors"},
	"NaN":           {with(200, `{"data":[{"index":0,"embedding":[NaN]}]}`), "not with vectors"},
	"infinite":      {with(200, `{"data":[{"index":0,"embedding":[1e99]}]}`), "not with vectors"},
	"empty":         {with(200, ""), "not with vectors"},
	"an empty list": {with(200, `{"data":[]}`), "0 vectors for 1 texts"},
	"no numbers":    {with(200, `{"data":[{"index":0,"embedding":[]}]}`), "a vector of 0 numbers"},
	"zeros":         {with(200, `{"data":[{"index":0,"embedding":[`+strings.Repeat("0,", dimensions-1)+`0]}]}`), "without a direction"},
	"another size":  {with(200, `{"data":[{"index":0,"embedding":[1,2,3]}]}`), "vectors of 3 numbers, those before had 32"},
	"a wrong place": {with(200, `{"data":[{"index":7,"embedding":[1,2,3]}]}`), "not with vectors"},
	"too much":      {with(200, `{"data":"`+strings.Repeat(" ", 33<<20)), "more than 32 MB"},
	"moved": {func(w http.ResponseWriter, r *http.Request, _ []string) bool {
		http.Redirect(w, r, "/elsewhere/embeddings", http.StatusTemporaryRedirect)
		return true
	}, "status 307"},
	"dropped": {func(http.ResponseWriter, *http.Request, []string) bool { panic(http.ErrAbortHandler) }, "cannot be reached"},
	"cut off": {func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write([]byte(openAIAnswer(texts)))
		return true
	}, "cannot be reached"},
}

func TestAProviderThatFailsLeavesTheWordsAndComesBack(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			d, m := newDesk(t), newModelServer(t)
			d.list("disk", "read: Reads a file", "write: Writes a file")
			x, _ := d.run(d.options(openAI(m.URL), nil))
			d.awaitReady(x, 2)
			m.be(f.misdo)
			d.list("mail", "send: Sends a letter")
			d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
			if s := x.Status(); !strings.Contains(s.Problem, f.problem) || s.Ready != 2 || s.Tools != 3 {
				t.Errorf("status %+v", s)
			}
			before, _, _, _ := m.asked()
			for range 3 {
				if _, ok := x.Query(t.Context(), "read a file"); ok {
					t.Error("a query has a vector")
				}
			}
			if after, _, _, _ := m.asked(); len(after) != len(before) {
				t.Errorf("queries ask a provider that fails: %q", after[len(before):])
			}
			d.clock.pass(t, time.Second)
			if err := d.catalog.Forget(t.Context(), "disk"); err != nil { // is seen meanwhile
				t.Fatal(err)
			}
			d.await("no vectors of tools that are gone", func() bool { return x.Vectors().Len() == 0 })
			d.list("disk", "read: Reads a file", "write: Writes a file")
			d.await("what was kept of them", func() bool { return x.Vectors().Len() == 2 })
			m.be(nil)
			d.clock.pass(t, 2*time.Second)
			d.awaitReady(x, 3)
			if _, ok := x.Query(t.Context(), "read a file"); !ok {
				t.Error("a query has no vector")
			}
			if warnings, news := d.log.count("WARN"), d.log.count("INFO"); warnings != 1 || news != 1 || x.Status().Problem != "" {
				t.Errorf("%d warnings, %d lines that it is back; problem %q", warnings, news, x.Status().Problem)
			}
			if _, paths, _, _ := m.asked(); slices.Contains(paths, "/elsewhere/embeddings") {
				t.Error("texts were sent where nobody said")
			}
			if text := d.log.text(); strings.Contains(text, key) || strings.Contains(text, "letter") || strings.Contains(text, "secret") {
				t.Errorf("the log tells too much: %s", text)
			}
		})
	}
}

func TestAServerThatIsNotRunningIsSaidToBe(t *testing.T) {
	d, m := newDesk(t), newModelServer(t)
	m.Close()
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	if s := x.Status(); !strings.Contains(s.Problem, m.URL+" cannot be reached; is it running") {
		t.Errorf("status %+v", s)
	}
}

func TestAServerThatHangsIsLeftAlone(t *testing.T) {
	d, m := newDesk(t), newModelServer(t)
	m.be(func(_ http.ResponseWriter, r *http.Request, _ []string) bool { <-r.Context().Done(); return true })
	d.list("disk", "read: Reads a file")
	o := d.options(openAI(m.URL), nil)
	o.Timeout = 50 * time.Millisecond
	x, _ := d.run(o)
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	if s := x.Status(); !strings.Contains(s.Problem, "takes too long") {
		t.Errorf("status %+v", s)
	}
}

func TestAHubThatStopsWaitsForNoServer(t *testing.T) {
	d, m := newDesk(t), newModelServer(t)
	reached := make(chan struct{})
	m.be(func(_ http.ResponseWriter, r *http.Request, _ []string) bool {
		close(reached)
		<-r.Context().Done()
		return true
	})
	d.list("disk", "read: Reads a file")
	_, stop := d.run(d.options(openAI(m.URL), nil))
	<-reached
	stop()
	if n := d.log.count("WARN"); n != 0 {
		t.Errorf("the end of the hub is a failure: %s", d.log.text())
	}
}

func TestAQueryThatTakesTooLongIsAnsweredTheNextTime(t *testing.T) {
	d, m := newDesk(t), newModelServer(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.awaitReady(x, 1)
	reached, goOn, done := make(chan struct{}), make(chan struct{}), make(chan bool)
	m.be(func(http.ResponseWriter, *http.Request, []string) bool {
		close(reached)
		<-goOn
		return false
	})
	ask := func(text string) bool { _, ok := x.Query(t.Context(), text); return ok }
	go func() { done <- ask("slow question") }()
	<-reached
	d.clock.pass(t, 700*time.Millisecond)
	if <-done {
		t.Error("an answer before there is one")
	}
	if ask("another question") {
		t.Error("another has an answer")
	}
	m.be(nil)
	close(goOn)
	d.awaitQuery("the answer that came late", func() bool { return ask("slow question") })
	d.awaitQuery("answers to others", func() bool { return ask("another question") })
	texts, _, _, _ := m.asked()
	if n := slices.Index(texts, "slow question"); slices.Contains(texts[n+1:], "slow question") || d.log.count("WARN") != 0 {
		t.Errorf("asked for %q; log %s", texts, d.log.text())
	}
}

func TestAFailingQueryIsAFailingProvider(t *testing.T) {
	d, m := newDesk(t), newModelServer(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(openAI(m.URL), nil))
	d.awaitReady(x, 1)
	m.be(with(503, ""))
	if _, ok := x.Query(t.Context(), "read"); ok {
		t.Error("an answer")
	}
	if x.Status().Problem == "" || d.log.count("WARN") != 1 {
		t.Errorf("problem %q, log %s", x.Status().Problem, d.log.text())
	}
	m.be(nil)
	d.clock.pass(t, time.Second)
	d.await("it is back", func() bool { return d.log.count("INFO") == 1 })
	if _, ok := x.Query(t.Context(), "read"); !ok {
		t.Error("no answer")
	}
}

func TestATextThatIsRefusedDoesNotHoldUpOthers(t *testing.T) {
	d, m := newDesk(t), newModelServer(t)
	m.be(func(w http.ResponseWriter, r *http.Request, texts []string) bool {
		for _, text := range texts {
			if len(text) > 1000 || strings.Contains(text, "poison") {
				return with(400, "")(w, r, texts)
			}
		}
		return false
	})
	d.list("disk", "read: Reads a file", "essay: "+strings.Repeat("long ", 300), "poison: Is refused", "write: Writes a file")
	x, stop := d.run(d.options(local(m.URL+"/api"), nil))
	d.await("the others", func() bool { s := x.Status(); return s.Ready == 3 && !s.Working })
	d.list("mail", "send: Sends a letter")
	d.await("later ones", func() bool { return x.Status().Ready == 4 })
	if s := x.Status(); s.Problem != "" || d.log.count("WARN") != 0 || d.log.count("INFO") != 1 {
		t.Errorf("status %+v, log %s", s, d.log.text())
	}
	stop()
	texts, _, _, _ := m.asked()
	if n := strings.Count(strings.Join(texts, "|"), "poison"); n != 3 {
		t.Errorf("a text that is refused was sent %d times", n)
	}
}

func TestRecentQueriesAreRememberedAndOldOnesForgotten(t *testing.T) {
	d, m := newDesk(t), newModelServer(t)
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.awaitReady(x, 1)
	count := func(text string) (n int) {
		texts, _, _, _ := m.asked()
		for _, asked := range texts {
			if asked == text {
				n++
			}
		}
		return n
	}
	for i := range 200 {
		for _, text := range []string{"again", fmt.Sprint("question ", i)} {
			if _, ok := x.Query(t.Context(), text); !ok {
				t.Fatalf("%q has no vector", text)
			}
		}
	}
	_, _ = x.Query(t.Context(), "question 0")
	_, _ = x.Query(t.Context(), "question 199")
	if again, old, last := count("again"), count("question 0"), count("question 199"); again != 1 || old != 2 || last != 1 {
		t.Errorf("asked for %d, %d and %d times", again, old, last)
	}
}

// awaitQuery asks until the answer is there: nothing tells that it came.
func (d *desk) awaitQuery(what string, ask func() bool) {
	d.t.Helper()
	late := time.After(tooLong)
	for !ask() {
		select {
		case <-late:
			d.t.Fatalf("never: %s", what)
		default:
		}
	}
}
