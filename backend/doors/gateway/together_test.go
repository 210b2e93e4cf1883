package gateway

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// results reads "confidence server.tool=score server.tool=score"; an empty line
// is a miss.
func results(t *testing.T, lines ...string) []search.Result {
	t.Helper()
	out := make([]search.Result, len(lines))
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		out[i] = search.Result{Found: true, Confidence: search.Confidence(words[0])}
		for _, word := range words[1:] {
			var score float64
			name, number, _ := strings.Cut(word, "=")
			if _, err := fmt.Sscan(number, &score); err != nil {
				t.Fatal(err)
			}
			server, tool, _ := strings.Cut(name, ".")
			out[i].Hits = append(out[i].Hits, search.Hit{Tool: &catalog.Tool{Server: server, Name: tool}, Score: score})
		}
		out[i].TopScore = out[i].Hits[0].Score
	}
	return out
}

func TestIntentsOfABatchPreferTheServerThatTheyShare(t *testing.T) {
	const (
		open   = "low gitlab.create_mr=0.40 github.create_pr=0.38 jira.open=0.20"
		branch = "low gitlab.create_branch=0.40 github.create_branch=0.40"
		clear  = "high github.push_files=0.80 gitlab.push=0.30"
	)
	for name, row := range map[string]struct {
		intents []string
		results []string
		want    string // the best of each
	}{
		"alone":                  {[]string{"open a PR"}, []string{open}, "gitlab.create_mr"},
		"one is clear":           {[]string{"open a PR", "new branch", "commit the files"}, []string{open, branch, clear}, "github.create_pr github.create_branch github.push_files"},
		"one names it":           {[]string{"open a PR", "files of GitHub"}, []string{open, "low zed.x=0.30 github.files=0.28"}, "github.create_pr github.files"},
		"it names another":       {[]string{"open a PR on GitLab", "commit the files"}, []string{open, clear}, "gitlab.create_mr github.push_files"},
		"what is clear stays":    {[]string{"open a PR", "commit"}, []string{strings.Replace(open, "low", "high", 1), clear}, "gitlab.create_mr github.push_files"},
		"too far from the best":  {[]string{"open a PR", "commit"}, []string{"low gitlab.create_mr=0.40 github.create_pr=0.31", clear}, "gitlab.create_mr github.push_files"},
		"a lift has an end":      {[]string{"open a PR", "github", "github too", "commit"}, []string{"low gitlab.create_mr=0.40 github.create_pr=0.347", "", "", clear}, "gitlab.create_mr - - github.push_files"},
		"its own name":           {[]string{"call create_mr", "commit"}, []string{open, clear}, "gitlab.create_mr github.push_files"},
		"nothing but its name":   {[]string{"create mr", "commit"}, []string{open, clear}, "gitlab.create_mr github.push_files"},
		"namesakes":              {[]string{"create branch", "commit"}, []string{branch, clear}, "github.create_branch github.push_files"},
		"nobody is sure":         {[]string{"open a PR", "commit"}, []string{open, "low github.push_files=0.2"}, "gitlab.create_mr github.push_files"},
		"the same twice":         {[]string{"Open a PR", "open a  pr"}, []string{strings.Replace(open, "low", "medium", 1), open}, "gitlab.create_mr gitlab.create_mr"},
		"empty and missed":       {[]string{"", "open a PR", "", "commit"}, []string{"", open, "", clear}, "- github.create_pr - github.push_files"},
		"words of every server":  {[]string{"open a PR", "GitHub"}, []string{"low gitlab.create_mr=0.40 github-mcp-server.pr=0.38", ""}, "github-mcp-server.pr -"},
		"all words of its name":  {[]string{"open a PR", "brave new world"}, []string{"low a.x=0.40 brave-search.y=0.39", ""}, "a.x -"},
		"likely is half as sure": {[]string{"open a PR", "commit"}, []string{"low gitlab.create_mr=0.40 github.create_pr=0.37", "medium github.push_files=0.3"}, "gitlab.create_mr github.push_files"},
	} {
		given := results(t, row.results...)
		var got []string
		for i, result := range together(row.intents, given) {
			best := "-"
			if result.Found {
				best = result.Hits[0].Tool.Server + "." + result.Hits[0].Tool.Name
				if result.TopScore != result.Hits[0].Score || result.TopScore > 1 || result.Confidence != given[i].Confidence {
					t.Errorf("%s: %+v", name, result)
				}
			}
			got = append(got, best)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: got %v, want %s", name, got, row.want)
		}
		for i, result := range results(t, row.results...) {
			for j, hit := range result.Hits {
				if given[i].Hits[j].Score != hit.Score || given[i].Hits[j].Tool.Proxied() != hit.Tool.Proxied() {
					t.Errorf("%s: what was given has changed", name)
				}
			}
		}
	}
}

func TestWhatIsFarFromTheBestKeepsItsPlace(t *testing.T) {
	given := results(t, "low gitlab.create_mr=0.40 zed.x=0.31 github.create_pr=0.30", "high github.push=0.9")
	if got := together([]string{"open", "push"}, given); fmt.Sprint(got) != fmt.Sprint(given) {
		t.Errorf("got %v, not %v", got, given)
	}
	twice := results(t, "medium gitlab.create_mr=0.40", "medium gitlab.create_mr=0.40")
	if got := together([]string{"Open a PR", "open  a PR."}, twice); fmt.Sprint(got) != fmt.Sprint(twice) {
		t.Errorf("an intent lifts itself: %v", got)
	}
}

func TestASessionRemembersSoManyToolsAsTheyWere(t *testing.T) {
	var m memory
	at := func(i int) *catalog.Tool { return &catalog.Tool{Server: "s", Name: fmt.Sprint(i), Hash: "a"} }
	for i := range maxTold + 10 {
		m.hear(at(i), findreply.NameShown)
		m.hear(at(i), findreply.NameShown)
	}
	m.hear(at(50), findreply.DescriptionShown)
	m.hear(at(50), findreply.NameShown)
	for i, want := range map[int]findreply.Shown{0: findreply.NotShown, 9: findreply.NotShown, 10: findreply.NameShown, 50: findreply.DescriptionShown, maxTold + 9: findreply.NameShown} {
		if got := m.heard(at(i)); got != want {
			t.Errorf("of tool %d %v was heard, want %v", i, got, want)
		}
	}
	if len(m.tools) != maxTold || len(m.order) != maxTold {
		t.Errorf("%d tools in %d places", len(m.tools), len(m.order))
	}
	changed := at(50)
	changed.Hash = "b"
	if m.heard(changed) != findreply.NotShown {
		t.Error("a tool that changed is thought to be known")
	}
	if m.hear(changed, findreply.NameShown); m.heard(changed) != findreply.NameShown || m.heard(at(50)) != findreply.NotShown {
		t.Error("what was heard of a tool before it changed still counts")
	}
}
