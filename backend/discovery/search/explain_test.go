package search

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// why returns the reasons for a query's best hit without their points.
func why(t *testing.T, s *Searcher, query string) string {
	t.Helper()
	r := s.Find(t.Context(), Query{Text: query, Limit: 1, Explain: true})
	if !r.Found {
		t.Fatalf("%q: nothing found", query)
	}
	var parts []string
	for _, reason := range r.Hits[0].Why {
		parts = append(parts, fmt.Sprint(reason.Field, reason.Terms))
	}
	return strings.Join(parts, " ")
}

func TestReasonsNameFieldsAndWords(t *testing.T) {
	s, _ := tools(t)
	for query, want := range map[string]string{
		"weather of a city":               "description[city weather] server[weather]",
		"create a new issue with a title": "description[create issue new] name[create issue new] parameters[issue title]",
		"load a text file":                "name[file load text] description[file load text] server[file]",
		"createIssue":                     "name[createissue]",
		"create create issue issue bug":   "name[create issue] description[create issue] mention[create issue] parameters[issue]",
	} {
		if got := why(t, s, query); got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}
}

func TestReasonsAddUpToTheScore(t *testing.T) {
	s, _ := tools(t)
	for _, query := range []string{
		"open a new issue about the login bug", "show me all issues", "load a text file", "what will the weather be in Oslo",
		"create_issue", "getPullRequest", "issue issue title repository", "directory",
	} {
		for _, hit := range s.Find(t.Context(), Query{Text: query, Limit: 10, Explain: true}).Hits {
			sum := 0.0
			for i, reason := range hit.Why {
				sum += reason.Points
				if reason.Points <= 0 || len(reason.Terms) == 0 || i > 0 && reason.Points > hit.Why[i-1].Points {
					t.Errorf("%q: the reasons of %s are %+v", query, hit.Tool.Proxied(), hit.Why)
				}
			}
			if math.Abs(sum-hit.Score) > 1e-6 { // scores are computed in single precision
				t.Errorf("%q: the reasons of %s add up to %f, want %f", query, hit.Tool.Proxied(), sum, hit.Score)
			}
		}
	}
}

func TestReasonsAreOmittedUnlessRequested(t *testing.T) {
	s, _ := tools(t)
	if r := s.Find(t.Context(), Query{Text: "create_issue", Limit: 1}); r.Hits[0].Why != nil {
		t.Errorf("got %+v, want none", r.Hits[0].Why)
	}
}
