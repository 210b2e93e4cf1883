package frontend

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPlaceholderIsShownUntilTheDashboardIsBuilt(t *testing.T) {
	page := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	fallback := fstest.MapFS{"index.html": page("placeholder")}

	for name, row := range map[string]struct {
		built fs.FS
		want  string
	}{
		"nothing was built":       {fstest.MapFS{".gitkeep": page("")}, "placeholder"},
		"the build was aborted":   {fstest.MapFS{"assets/app.js": page("")}, "placeholder"},
		"index.html is a folder":  {fstest.MapFS{"index.html/x": page("")}, "placeholder"},
		"the dashboard was built": {fstest.MapFS{"index.html": page("dashboard")}, "dashboard"},
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

func TestFilesHaveAnIndexPage(t *testing.T) {
	if _, err := fs.Stat(Files(), "index.html"); err != nil {
		t.Error(err)
	}
}

func TestPlaceholderSaysHowToBuildTheDashboard(t *testing.T) {
	page := placeholderPage(t)
	for _, want := range []string{"The dashboard is not built", "<code>make build</code>", `href="/docs"`, "<head>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the placeholder page lacks %q", want)
		}
	}
}

func TestPlaceholderObeysTheContentSecurityPolicy(t *testing.T) {
	page := placeholderPage(t)
	inline := regexp.MustCompile(`(?i)<script|<style|\sstyle=|\son\w+=|javascript:`)
	if found := inline.FindString(page); found != "" {
		t.Errorf("the page has a script or an inline style: %q", found)
	}
	files := sub(placeholder, "placeholder")
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		// The hub also serves the page at /tester/1, where a relative link would break.
		name, absolute := strings.CutPrefix(link[1], "/")
		if !absolute {
			t.Errorf("the link %q is relative", link[1])
		}
		if _, err := fs.Stat(files, name); err != nil && name != "docs" {
			t.Errorf("the link %q leads to no file of the page and not to /docs", link[1])
		}
	}
}

func placeholderPage(t *testing.T) string {
	t.Helper()
	page, err := fs.ReadFile(placeholder, "placeholder/index.html")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
