package search

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
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

func TestHitsKnowTheirPlaceByWordsAlone(t *testing.T) {
	c := catalogtest.Open(t, &events.Bus{}, map[string][]json.RawMessage{"office": catalogtest.Definitions(
		`{"name":"send_letter","description":"Write to a person"}`,
		`{"name":"tell_channel","description":"Send a file to a channel"}`,
		`{"name":"make_coffee","description":"Brew a cup"}`,
	)})
	s := New(Options{Catalog: c, Meaning: meaningOf(vectorsOf(t, c, measuredModel, senseEncoder{}))})
	places := make(map[string]int)
	for _, hit := range s.Find(t.Context(), Query{Text: "send an email to Anna", Limit: 10, Always: true, Explain: true}).Hits {
		places[hit.Tool.Name] = hit.ByWords
	}
	if places["send_letter"] != 1 || places["tell_channel"] != 2 || places["make_coffee"] != 0 {
		t.Errorf("got %v", places)
	}
	allow := func(t *catalog.Tool) bool { return t.Name != "send_letter" }
	for _, hit := range s.Find(t.Context(), Query{
		Text: "send an email to Anna", Limit: 10, Allow: allow, Always: true, Explain: true,
	}).Hits {
		if hit.Tool.Name == "tell_channel" && hit.ByWords != 1 {
			t.Errorf("a tool that is not allowed takes a place: got place %d, want 1", hit.ByWords)
		}
	}
}
