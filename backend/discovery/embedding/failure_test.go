package embedding_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// failures are ways in which a provider fails, each with a part of the problem that
// Status reports.
var failures = map[string]struct {
	fault   func(http.ResponseWriter, *http.Request, []string) bool
	problem string
}{
	"bad key":       {with(401, `{"error":"wrong key `+key+`"}`), "status 401: set AGENT_DISCOVER_OPENAI_API_KEY"},
	"no access":     {with(403, key), "status 403"},
	"no model":      {with(404, `{"error":"model not found"}`), "does not have the model"},
	"used up":       {with(429, ""), "too many requests"},
	"refused":       {with(400, key), "rejects texts with status 400"},
	"too long":      {with(413, ""), "rejects texts with status 413"},
	"unprocessable": {with(422, ""), "rejects texts with status 422"},
	"broken":        {with(500, key), "status 500"},
	"unavailable":   {with(503, ""), "status 503"},
	"no JSON":       {with(200, "<html>"+key), "contains no vectors"},
	"NaN":           {with(200, `{"data":[{"index":0,"embedding":[NaN]}]}`), "contains no vectors"},
	"infinite":      {with(200, `{"data":[{"index":0,"embedding":[1e99]}]}`), "contains no vectors"},
	"empty":         {with(200, ""), "contains no vectors"},
	"an empty list": {with(200, `{"data":[]}`), "0 vectors for 1 texts"},
	"no numbers":    {with(200, `{"data":[{"index":0,"embedding":[]}]}`), "a vector of 0 numbers"},
	"zeros":         {with(200, `{"data":[{"index":0,"embedding":[`+strings.Repeat("0,", dimensions-1)+`0]}]}`), "a vector of zeros"},
	"another size":  {with(200, `{"data":[{"index":0,"embedding":[1,2,3]}]}`), "vectors of 3 numbers, earlier ones had 32"},
	"a wrong place": {with(200, `{"data":[{"index":7,"embedding":[1,2,3]}]}`), "contains no vectors"},
	"too much":      {with(200, `{"data":"`+strings.Repeat(" ", 33<<20)), "exceeds 32 MB"},
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

func TestAFailingProviderIsRetriedAndRecovers(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			d, m := newFixture(t), newModelServer(t)
			d.list("disk", "read: Reads a file", "write: Writes a file")
			x, _ := d.run(d.options(openAI(m.URL), nil))
			d.awaitReady(x, 2)
			m.fail(f.fault)
			d.list("mail", "send: Sends a letter")
			d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
			if s := x.Status(); !strings.Contains(s.Problem, f.problem) || s.Ready != 2 || s.Tools != 3 {
				t.Errorf("status %+v", s)
			}
			before, _, _, _ := m.asked()
			for range 3 {
				if _, ok := x.Query(t.Context(), "read a file"); ok {
					t.Error("a query has a vector while the provider fails")
				}
			}
			if after, _, _, _ := m.asked(); len(after) != len(before) {
				t.Errorf("queries were sent to a failing provider: %q", after[len(before):])
			}
			d.clock.pass(t, time.Second)
			if err := d.catalog.Forget(t.Context(), "disk"); err != nil { // the index must follow the catalog while the provider fails
				t.Fatal(err)
			}
			d.await("the removal of vectors", func() bool { return x.Vectors().Len() == 0 })
			d.list("disk", "read: Reads a file", "write: Writes a file")
			d.await("the stored vectors", func() bool { return x.Vectors().Len() == 2 })
			m.fail(nil)
			d.clock.pass(t, 2*time.Second)
			d.awaitReady(x, 3)
			if _, ok := x.Query(t.Context(), "read a file"); !ok {
				t.Error("a query has no vector")
			}
			if warnings, news := d.log.count("WARN"), d.log.count("INFO"); warnings != 1 || news != 1 || x.Status().Problem != "" {
				t.Errorf("got %d warnings and %d recovery lines, want one of each; problem %q", warnings, news, x.Status().Problem)
			}
			if _, paths, _, _ := m.asked(); slices.Contains(paths, "/elsewhere/embeddings") {
				t.Error("texts were sent to the target of a redirect")
			}
			if text := d.log.text(); strings.Contains(text, key) || strings.Contains(text, "letter") || strings.Contains(text, "secret") {
				t.Errorf("the log contains a secret or a text: %s", text)
			}
		})
	}
}

func TestAServerThatIsNotRunningIsReported(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	m.Close()
	d.list("disk", "read: Reads a file")
	x, _ := d.run(d.options(local(m.URL), nil))
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	if s := x.Status(); !strings.Contains(s.Problem, m.URL+" cannot be reached; is it running") {
		t.Errorf("status %+v", s)
	}
}

func TestARequestThatTakesTooLongIsAFailure(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	m.fail(func(_ http.ResponseWriter, r *http.Request, _ []string) bool { <-r.Context().Done(); return true })
	d.list("disk", "read: Reads a file")
	o := d.options(openAI(m.URL), nil)
	o.RequestTimeout = 50 * time.Millisecond
	x, _ := d.run(o)
	d.await("a warning", func() bool { return d.log.count("WARN") == 1 })
	if s := x.Status(); !strings.Contains(s.Problem, "takes too long") {
		t.Errorf("status %+v", s)
	}
}

func TestShutdownCancelsRequests(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	reached := make(chan struct{})
	m.fail(func(_ http.ResponseWriter, r *http.Request, _ []string) bool {
		close(reached)
		<-r.Context().Done()
		return true
	})
	d.list("disk", "read: Reads a file")
	_, stop := d.run(d.options(openAI(m.URL), nil))
	<-reached
	stop()
	if n := d.log.count("WARN"); n != 0 {
		t.Errorf("shutdown is logged as a failure: %s", d.log.text())
	}
}

func TestARejectedTextDoesNotAffectOthers(t *testing.T) {
	d, m := newFixture(t), newModelServer(t)
	m.fail(func(w http.ResponseWriter, r *http.Request, texts []string) bool {
		for _, text := range texts {
			if len(text) > 1000 || strings.Contains(text, "poison") {
				return with(400, "")(w, r, texts)
			}
		}
		return false
	})
	d.list("disk", "read: Reads a file", "essay: "+strings.Repeat("long ", 300), "poison: Is refused", "write: Writes a file")
	x, stop := d.run(d.options(local(m.URL+"/api"), nil))
	d.await("the vectors of accepted texts", func() bool { s := x.Status(); return s.Ready == 3 && !s.Working })
	d.list("mail", "send: Sends a letter")
	d.await("the vector of a later tool", func() bool { return x.Status().Ready == 4 })
	if s := x.Status(); s.Problem != "" || d.log.count("WARN") != 0 || d.log.count("INFO") != 1 {
		t.Errorf("status %+v, log %s", s, d.log.text())
	}
	stop()
	texts, _, _, _ := m.asked()
	if n := strings.Count(strings.Join(texts, "|"), "poison"); n != 3 {
		t.Errorf("a rejected text was sent %d times, want 3: in a batch, alone and shortened", n)
	}
}
