package backend_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// packageRow matches a row of the diagram of packages. A row has the name of a package and its purpose. The first row
// of a wing (a group of packages) begins with the name of the wing.
var packageRow = regexp.MustCompile(`^([a-z]+)? +([a-z/-]+)  +\S`)

func TestTheDiagramOfTheGuideShowsEveryPackage(t *testing.T) {
	const page = "../frontend/guide/developing.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, packages, _ := strings.Cut(string(text), "## Packages")
	_, diagram, _ := strings.Cut(packages, "```\n")
	diagram, _, found := strings.Cut(diagram, "```")
	if !found {
		t.Fatalf("%s has no diagram under Packages", page)
	}
	shown, last, wing := make(map[string]bool), len(wings), ""
	for line := range strings.Lines(diagram) {
		row := packageRow.FindStringSubmatch(line)
		if row == nil {
			if strings.TrimSpace(line) != "" {
				t.Errorf("the diagram has a row without a package: %s", line)
			}
			continue
		}
		if row[1] != "" {
			wing = row[1]
			if at := slices.Index(wings, wing); at >= last {
				t.Errorf("the diagram shows %s below %s", wing, wings[last])
			} else {
				last = at
			}
		}
		dir := wing + "/" + row[2]
		if wing == row[2] {
			dir = wing
		}
		shown[dir] = true
		if _, ok := allowed[dir]; !ok {
			t.Errorf("the diagram shows backend/%s, which does not exist", dir)
		}
	}
	for dir := range allowed {
		if !shown[dir] {
			t.Errorf("the diagram in %s does not show backend/%s", page, dir)
		}
	}
}

// documents returns the paths of the checked documents, relative to the root of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	all := []string{
		"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "backend/doors/api/README.md", "build/eval/README.md",
		"build/trust/README.md",
	}
	guide, err := filepath.Glob("../frontend/guide/*.md")
	if err != nil || len(guide) < 10 {
		t.Fatalf("the guide has %d pages: %v", len(guide), err)
	}
	for _, page := range guide {
		all = append(all, "frontend/guide/"+filepath.Base(page))
	}
	return all
}

// repositoryPath matches a path of this repository in a document.
var repositoryPath = regexp.MustCompile("`((?:app|backend|build|frontend)/[\\w./-]+)`")

func TestDocumentsNameOnlyFilesThatExist(t *testing.T) {
	for _, name := range documents(t) {
		for _, match := range repositoryPath.FindAllStringSubmatch(read(t, name), -1) {
			if _, err := os.Stat(filepath.Join("..", match[1])); err != nil {
				t.Errorf("%s names %s, which does not exist", name, match[1])
			}
		}
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"`)
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
	unslugged = regexp.MustCompile(`[^\w\- ]`)
)

func TestLinksOfDocumentsLeadToFilesAndHeadings(t *testing.T) {
	for _, name := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(read(t, name), ""),
			"code"), -1) {
			target := match[1] + match[2]
			if strings.Contains(target, "://") {
				continue
			}
			file, fragment, _ := strings.Cut(target, "#")
			if file = path.Join(path.Dir(name), file); strings.HasPrefix(target, "#") {
				file = name
			}
			if _, err := os.Stat(filepath.Join("..", file)); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, target)
			} else if fragment != "" && !slices.Contains(headings(read(t, file)), fragment) {
				t.Errorf("%s links to %s, which has no such heading", name, target)
			}
		}
	}
}

// headings returns the fragments that GitHub and the Help page generate for the headings of a document.
func headings(text string) (fragments []string) {
	for _, match := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		fragments = append(fragments, strings.ReplaceAll(unslugged.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return fragments
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheFirstDocumentsAreShort(t *testing.T) {
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		if size := len(read(t, name)); size > 12_000 {
			t.Errorf("%s has %d bytes, at most 12,000 are read; move details to frontend/guide", name, size)
		}
	}
}
