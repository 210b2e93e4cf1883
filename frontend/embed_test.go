package frontend

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPlainPageStandsInUntilADashboardIsBuilt(t *testing.T) {
	page := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	fallback := fstest.MapFS{"index.html": page("plain")}

	for name, row := range map[string]struct {
		built fs.FS
		want  string
	}{
		"nothing was built":           {fstest.MapFS{".gitkeep": page("")}, "plain"},
		"a build that broke half-way": {fstest.MapFS{"assets/app.js": page("")}, "plain"},
		"index.html is a folder":      {fstest.MapFS{"index.html/x": page("")}, "plain"},
		"a dashboard was built":       {fstest.MapFS{"index.html": page("built")}, "built"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := fs.ReadFile(firstPage(row.built, fallback), "index.html")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != row.want {
				t.Errorf("index.html is %q, want %q", got, row.want)
			}
		})
	}
}

func TestFilesHaveAPageAtTheRoot(t *testing.T) {
	if _, err := fs.Stat(Files(), "index.html"); err != nil {
		t.Error(err)
	}
}

func TestPlainPageWorksUnderAStrictContentSecurityPolicy(t *testing.T) {
	files := sub(plain, "plain")
	raw, err := fs.ReadFile(files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	html := string(raw)

	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|javascript:|<script[^>]*>\s*[^<\s]|<script(?:\s+(?:defer|async|type=\S+))*\s*>`)
	if found := inline.FindString(html); found != "" {
		t.Errorf("inline code on the page: %q", found)
	}
	links := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(html, -1)
	if len(links) == 0 {
		t.Error("the page has neither style nor script")
	}
	for _, link := range links {
		if link[1] == "/docs" { // of the hub
			continue
		}
		// The page is shown at /tester/1, too: relative links would break there.
		if name, absolute := strings.CutPrefix(link[1], "/"); !absolute {
			t.Errorf("%s is relative", link[1])
		} else if _, err := fs.Stat(files, name); err != nil {
			t.Errorf("%s is not among the page's own files: %v", link[1], err)
		}
	}
}

func TestPlainPageFollowsTheSystemsLightAndDark(t *testing.T) {
	css, err := fs.ReadFile(plain, "plain/styles.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, found := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("no dark colours")
	}
	for _, name := range regexp.MustCompile(`--\w+:`).FindAllString(light, -1) {
		if !strings.Contains(dark, name) {
			t.Errorf("%s has no dark value", name)
		}
	}
}
