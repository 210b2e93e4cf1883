package search

import (
	"math"
	"testing"
)

func TestMoreEvidenceIsNeverLessSure(t *testing.T) {
	rank := map[Confidence]int{"": 0, Low: 1, Medium: 2, High: 3}
	for _, meaning := range []bool{false, true} {
		e := Evidence{Words: 5, Tools: 3000, Meaning: meaning, Top: 0.5, Lead: 0.05, Covered: 0.3, Lacking: 0.4}
		if meaning {
			e.Nearness = 0.3
		}
		_, was := e.verdict()
		for name, change := range map[string]func(*Evidence){
			"named":     func(e *Evidence) { e.Named = worded },
			"exactly":   func(e *Evidence) { e.Named = exact },
			"agreed":    func(e *Evidence) { e.Agree = true },
			"no lack":   func(e *Evidence) { e.Lacking = 0 },
			"far ahead": func(e *Evidence) { e.Lead, e.Agree = 0.25, true },
		} {
			more := e
			change(&more)
			if _, now := more.verdict(); rank[now] < rank[was] {
				t.Errorf("meaning %v, %s: %q after %q", meaning, name, now, was)
			}
		}
	}
}

func TestVerdictsOfWhatStandsOut(t *testing.T) {
	clear := Evidence{Words: 5, Tools: 3000, Top: 0.85, Lead: 0.3, Covered: 0.8, Agree: true}
	clearly := clear
	clearly.Meaning, clearly.Nearness = true, 0.6
	for name, row := range map[string]struct {
		Evidence
		found bool
		sure  Confidence
	}{
		"clear by words":         {clear, true, High},
		"clear by meaning":       {clearly, true, High},
		"no words":               {Evidence{Tools: 3000, Top: 0.4}, false, ""},
		"next to nothing":        {Evidence{Words: 12, Tools: 3000, Top: 0.2, Lead: 0.2, Lacking: 0.97, Agree: true}, false, ""},
		"a name":                 {Evidence{Named: exact, Words: 2, Top: 1, Lead: 0.5}, true, High},
		"a name of one tool":     {Evidence{Named: exact, Words: 2, Top: 1, Lead: 1}, true, High},
		"a name of two":          {Evidence{Named: exact, Words: 2, Top: 1, Tied: true}, true, Medium},
		"a name without words":   {Evidence{Named: exact, Top: 1, Lead: 0.5}, true, High},
		"misspelt, no such word": {Evidence{Named: spelt, Words: 1, Tools: 3000, Top: 0.9, Lead: 0.2, Lacking: 1}, true, ""},
	} {
		found, sure := row.verdict()
		if found != row.found || row.sure != "" && sure != row.sure || found != (sure != "") {
			t.Errorf("%s: %v, %q", name, found, sure)
		}
	}
}

func TestFeaturesAreNumbersAndWordsHaveNoMeaning(t *testing.T) {
	c := listed(t, office)
	for name, means := range map[string]Meaning{"words": nil, "meaning": thinks(vectorsOf(t, c, measuredModel, thinker{}))} {
		s := New(Options{Catalog: c, Meaning: means})
		for _, text := range append(append([]string{}, needs...), hostile...) {
			all := s.Find(t.Context(), Query{Text: text, Limit: 1, Always: true}).Evidence.Features()
			for i, n := range all {
				if math.IsNaN(n) || n < -3 || n > 3 || name == "words" && i >= features-2 && n != 0 {
					t.Errorf("%s, %.40q: feature %d is %f", name, text, i, n)
				}
			}
		}
	}
}

func TestANameThatNoToolHasIsMissed(t *testing.T) {
	s := New(Options{Catalog: listed(t, office)})
	for query, want := range map[string]float64{
		"list the channels of Slack": 0, "list the channels of Zendesk": 1, "in Slack and Zendesk list the channels": 0.5,
		"List the channels": 0, "Done. List the channels": 0, "post a message": 0, "": 0,
	} {
		if got := s.Find(t.Context(), Query{Text: query, Limit: 1, Always: true}).Evidence.Proper; got != want {
			t.Errorf("%q: %f, want %f", query, got, want)
		}
	}
}
