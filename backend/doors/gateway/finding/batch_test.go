package finding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// results parses lines of the form "confidence server.tool=score
// server.tool=score". An empty line is a result without hits.
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
		want    string // the best tool of each intent, and - for an intent without hits
	}{
		"alone": {[]string{"open a PR"}, []string{open}, "gitlab.create_mr"},
		"one has high confidence": {
			[]string{"open a PR", "new branch", "commit the files"},
			[]string{open, branch, clear},
			"github.create_pr github.create_branch github.push_files",
		},
		"another names the server": {
			[]string{"open a PR", "files of GitHub"}, []string{open, "low zed.x=0.30 github.files=0.28"}, "github.create_pr github.files",
		},
		"it names a server itself": {
			[]string{"open a PR on GitLab", "commit the files"}, []string{open, clear}, "gitlab.create_mr github.push_files",
		},
		"high confidence stays": {
			[]string{"open a PR", "commit"}, []string{strings.Replace(open, "low", "high", 1), clear}, "gitlab.create_mr github.push_files",
		},
		"too far from the best": {
			[]string{"open a PR", "commit"}, []string{
				"low gitlab.create_mr=0.40 github.create_pr=0.31", clear,
			}, "gitlab.create_mr github.push_files",
		},
		"the lift is limited": {
			[]string{"open a PR", "github", "github too", "commit"}, []string{
				"low gitlab.create_mr=0.40 github.create_pr=0.347", "", "", clear,
			}, "gitlab.create_mr - - github.push_files",
		},
		"the tool's own name": {
			[]string{"call create_mr", "commit"}, []string{open, clear}, "gitlab.create_mr github.push_files",
		},
		"only the tool's name": {[]string{"create mr", "commit"}, []string{open, clear}, "gitlab.create_mr github.push_files"},
		"tools of the same name": {
			[]string{"create branch", "commit"}, []string{branch, clear}, "github.create_branch github.push_files",
		},
		"low confidence does not count": {
			[]string{"open a PR", "commit"}, []string{open, "low github.push_files=0.2"}, "gitlab.create_mr github.push_files",
		},
		"a repeated intent": {
			[]string{"Open a PR", "open a  pr"},
			[]string{strings.Replace(open, "low", "medium", 1), open},
			"gitlab.create_mr gitlab.create_mr",
		},
		"empty intents and misses": {
			[]string{"", "open a PR", "", "commit"}, []string{"", open, "", clear}, "- github.create_pr - github.push_files",
		},
		"common words of server names": {
			[]string{"open a PR", "GitHub"}, []string{"low gitlab.create_mr=0.40 github-mcp-server.pr=0.38", ""}, "github-mcp-server.pr -",
		},
		"a part of a server name": {[]string{"open a PR", "brave new world"}, []string{"low a.x=0.40 brave-search.y=0.39", ""}, "a.x -"},
		"medium counts half": {
			[]string{"open a PR", "commit"},
			[]string{"low gitlab.create_mr=0.40 github.create_pr=0.37", "medium github.push_files=0.3"},
			"gitlab.create_mr github.push_files",
		},
	} {
		given := results(t, row.results...)
		var got []string
		for i, result := range rankBatch(row.intents, given) {
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
					t.Errorf("%s: rankBatch changed its arguments", name)
				}
			}
		}
	}
}

func TestToolsFarFromTheBestAreNotLifted(t *testing.T) {
	given := results(t, "low gitlab.create_mr=0.40 zed.x=0.31 github.create_pr=0.30", "high github.push=0.9")
	if got := rankBatch([]string{"open", "push"}, given); fmt.Sprint(got) != fmt.Sprint(given) {
		t.Errorf("got %v, want %v", got, given)
	}
	twice := results(t, "medium gitlab.create_mr=0.40", "medium gitlab.create_mr=0.40")
	if got := rankBatch([]string{"Open a PR", "open  a PR."}, twice); fmt.Sprint(got) != fmt.Sprint(twice) {
		t.Errorf("a repeated intent was lifted: %v", got)
	}
}
