package static

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/fstest"
)

func TestAnAddressWithoutTheNumberSignOpensThePageInABrowserOnly(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	d := NewDashboard(fstest.MapFS{"index.html": {Data: []byte("<html>")}, "assets/a.js": {Data: []byte("1")}})
	for _, row := range []struct {
		method, path, accept string
		want                 bool
	}{
		{"GET", "/servers", browser, true},
		{"HEAD", "/servers", browser, true},
		{"GET", "/servers/memory", browser, true},
		{"GET", "/tools/memory/read_graph", browser, true},
		{"GET", "/servers", "application/json", false},
		{"GET", "/servers", "*/*", false},
		{"GET", "/servers", "", false},
		{"POST", "/servers", browser, false},
		{"GET", "/api/servers", browser, false},
		{"GET", "/mcp", browser, false},
		{"GET", "/companion", browser, false},
		{"GET", "/serversx", browser, false},
		{"GET", "/assets/missing.js", browser, false},
		{"GET", "/assets/a.js", "", true},
		{"GET", "/", "", true},
	} {
		r := httptest.NewRequest(row.method, row.path, nil)
		r.Header.Set("Accept", row.accept)
		if got := d.Has(r); got != row.want {
			t.Errorf("%s %s for %q: got %v, want %v", row.method, row.path, row.accept, got, row.want)
		}
	}
}

func TestEveryPageOfTheDashboardHasAnAddress(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "frontend", "src", "pages", "index.ts"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`\bid: "(\w+)"`).FindAllSubmatch(source, -1)
	if len(found) != len(pages) {
		t.Errorf("the dashboard has %d pages, and %d have an address", len(found), len(pages))
	}
	for _, id := range found {
		if !pages[string(id[1])] {
			t.Errorf("the page %s has no address", id[1])
		}
	}
}
