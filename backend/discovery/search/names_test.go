package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// spellings are queries that consist of one tool's name.
var spellings = []string{
	"create_issue", "createIssue", "CreateIssue", "create-issue", "CREATE_ISSUE", "  create_issue\n", "create issue",
	"github create issue", "create issue github", "create an issue in github", "github.create_issue", "github__create_issue",
	"mcp__github__create_issue", "github/create_issue", "github:create_issue", "github.createIssue",
}

// Queries that misspell the tool's name.
var (
	oneTypo = []string{"creat_issue", "create_isue", "craete_issue", "create_issuee", "kreate_issue", "createisue"}
	// Two edits in a short name give no high confidence.
	twoTypos = []string{"creat_isue", "ccreate_isseu"}
)

// mentions are sentences that contain the tool's name.
var mentions = []string{
	"please call create_issue with the title of my bug", "what does mcp__github__create_issue need?",
	"use `github.create_issue` for the broken page", "(create_issue)", "I want createIssue, not the list of channels",
}

func TestNamedToolsRankFirst(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, office)})
	for _, query := range spellings {
		r := s.Find(t.Context(), Query{Text: query, Limit: 5})
		if !r.Found || r.Confidence != High || r.Hits[0].Tool.Proxied() != "github__create_issue" {
			t.Errorf("%q: %s, %s", query, r.Confidence, names(r.Hits))
		}
		if !strings.Contains(strings.TrimSpace(query), " ") && r.Evidence.named != namedExactly {
			t.Errorf("%q is not recognized as an exact name: %+v", query, r.Evidence)
		}
	}
	for _, query := range slices.Concat(oneTypo, twoTypos, mentions) {
		r := s.Find(t.Context(), Query{Text: query, Limit: 5})
		if !r.Found || r.Hits[0].Tool.Proxied() != "github__create_issue" {
			t.Errorf("%q: %s, %s", query, r.Confidence, names(r.Hits))
		}
	}
}

// The words, the vectors and earlier calls all favour another tool.
func TestANamedToolRanksAboveBetterScores(t *testing.T) {
	c := newCatalog(t, officeWith(map[string]string{
		"noise": "rival: please call tell with the title of my bug not the list of channels what does it need create an issue in github " +
			"for the broken page",
	}))
	vectors := vectorsOf(t, c, measuredModel, senseEncoder{})
	lifts := fakeLearned{"": {{Server: "noise", Tool: "rival", Strength: 1}, {Server: "slack", Tool: "list_channels", Strength: 1}}}
	for _, tool := range []string{"rival", "list_channels"} {
		at, _ := c.Snapshot().Lookup(map[string]string{"rival": "noise", "list_channels": "slack"}[tool], tool)
		vector, _ := vectors.Of(at.Hash)
		exactly := make([]float32, dimensions)
		for i, n := range vector.Values {
			exactly[i] = float32(n) * vector.Scale
		}
		meaning := meaningOf(vectors)
		meaning.query = func(string) ([]float32, bool) { return exactly, true }
		s := New(Options{Catalog: c, Meaning: meaning, Learned: lifts})
		for _, query := range slices.Concat(spellings, oneTypo, mentions) {
			r := s.Find(t.Context(), Query{Text: query, Limit: 5, Always: true})
			if !r.Found || r.Hits[0].Tool.Proxied() != "github__create_issue" {
				t.Errorf("%q against %s: %s", query, tool, names(r.Hits))
			}
			for i := range r.Hits[1:] {
				if r.Hits[i+1].Score > r.Hits[i].Score {
					t.Errorf("%q: %f after %f", query, r.Hits[i+1].Score, r.Hits[i].Score)
				}
			}
		}
	}
}

func TestALongNameMayHaveTwoTypos(t *testing.T) {
	c := newCatalog(t, office)
	s := New(Options{Catalog: c, Learned: fakeLearned{"": {{Server: "github", Tool: "getPullRequest", Strength: 1}}}})
	for _, query := range []string{"creat_pull_reqest", "craete_pull_requets", "createPulRequets"} {
		if r := s.Find(t.Context(), Query{Text: query, Limit: 3}); !r.Found || r.Hits[0].Tool.Name != "create_pull_request" ||
			r.Evidence.named != misspelled {
			t.Errorf("%q: %+v, %s", query, r.Evidence, names(r.Hits))
		}
	}
}

func TestANameOnTwoServersIsAmbiguous(t *testing.T) {
	c := newCatalog(t, officeWith(map[string]string{"gitlab": "create_issue: Create a new issue in a project"}))
	for name, meaning := range map[string]Meaning{"words": nil, "meaning": meaningOf(vectorsOf(t, c, measuredModel, senseEncoder{}))} {
		s := New(Options{Catalog: c, Meaning: meaning})
		for _, query := range []string{"create_issue", "createIssue", "create issue"} {
			r := s.Find(t.Context(), Query{Text: query, Limit: 5})
			first := names(r.Hits[:2])
			if r.Confidence == High || !strings.Contains(first, "github__create_issue") ||
				!strings.Contains(first, "gitlab__create_issue") {
				t.Errorf("%s, %q: %s, %s", name, query, r.Confidence, first)
			}
		}
		for _, query := range []string{"gitlab create issue", "gitlab.create_issue", "mcp__gitlab__create_issue"} {
			if r := s.Find(t.Context(), Query{Text: query, Limit: 5}); r.Confidence != High || r.Hits[0].Tool.Server != "gitlab" {
				t.Errorf("%s, %q: %s, %s", name, query, r.Confidence, names(r.Hits))
			}
		}
	}
}

func TestNamedToolsThatAreNotAllowedAreNotFound(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, office)})
	allow := func(tool string) bool { return tool != "create_issue" }
	for _, query := range slices.Concat(spellings, mentions) {
		r := s.Find(t.Context(), Query{
			Text: query, Limit: 50, Always: true, Allow: func(tool *catalog.Tool) bool { return allow(tool.Name) },
		})
		if strings.Contains(names(r.Hits), "create_issue") || r.Evidence.named == namedExactly {
			t.Errorf("%q: %+v, %s", query, r.Evidence, names(r.Hits))
		}
	}
}

func TestALiftAppliesToTheToolOfItsServerOnly(t *testing.T) {
	c := newCatalog(t, officeWith(map[string]string{"gitlab": "create_issue: Create a new issue in a repository | title body"}))
	for _, server := range []string{"github", "gitlab"} {
		s := New(Options{Catalog: c, Learned: fakeLearned{"": {{Server: server, Tool: "create_issue", Strength: 0.5}}}})
		if r := s.Find(t.Context(), Query{Text: "make a new issue", Limit: 2}); r.Hits[0].Tool.Server != server ||
			r.Hits[1].Tool.Name != "create_issue" {
			t.Errorf("%s: %s", server, names(r.Hits))
		}
	}
}
