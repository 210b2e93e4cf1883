package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAllPagesHaveTheSecurityPolicy(t *testing.T) {
	shown := 0
	files := fstest.MapFS{"index.html": {Data: []byte("<html><head><title>x</title></head></html>")}, "assets/a.js": {Data: []byte("1")}}
	p := pages{files, start{Page: `/"</script>`, Await: "x"}, func() { shown++ }}
	server := httptest.NewServer(p.wrap(http.FileServerFS(files)))
	defer server.Close()
	get := func(path string) (string, *http.Response) {
		t.Helper()
		answer, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s: got the policy %q", path, got)
		}
		return string(body), answer
	}
	if body, _ := get("/"); body != `<html><head><script src="/window.js"></script><title>x</title></head></html>` {
		t.Errorf("/: got %s", body)
	}
	if body, _ := get("/assets/a.js"); body != "1" {
		t.Errorf("/assets/a.js: got %s", body)
	}
	if _, answer := get("/assets/b.js"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("a missing file: got status %d", answer.StatusCode)
	}
	body, answer := get("/window.js")
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/javascript") ||
		!strings.Contains(body, `"page":"/\"\u003c/script\u003e"`) {
		t.Errorf("/window.js: got the type %s and %.80s", answer.Header.Get("Content-Type"), body)
	}
	if get("/window/shown"); shown != 1 {
		t.Errorf("shown was called %d times, want once", shown)
	}
	for _, open := range []string{"unsafe", "https:", " *", "localhost"} {
		if strings.Contains(policy, open) {
			t.Errorf("the policy contains %q", open)
		}
	}
}
