package search

import (
	"math"
	"testing"
)

func TestMoreEvidenceNeverLowersTheConfidence(t *testing.T) {
	rank := map[Confidence]int{"": 0, Low: 1, Medium: 2, High: 3}
	for _, meaning := range []bool{false, true} {
		e := Evidence{words: 5, tools: 3000, meaning: meaning, top: 0.5, lead: 0.05, covered: 0.3, missing: 0.4}
		if meaning {
			e.similarity = 0.3
		}
		_, was := e.verdict()
		for name, change := range map[string]func(*Evidence){
			"named":           func(e *Evidence) { e.named = namedByWords },
			"exact name":      func(e *Evidence) { e.named = namedExactly },
			"agreement":       func(e *Evidence) { e.agree = true },
			"no missing word": func(e *Evidence) { e.missing = 0 },
			"large lead":      func(e *Evidence) { e.lead, e.agree = 0.25, true },
		} {
			more := e
			change(&more)
			if _, now := more.verdict(); rank[now] < rank[was] {
				t.Errorf("meaning %v: adding %s changes the confidence from %q to %q", meaning, name, was, now)
			}
		}
	}
}

func TestVerdictsOfClearCases(t *testing.T) {
	clear := Evidence{words: 5, tools: 3000, top: 0.85, lead: 0.3, covered: 0.8, agree: true}
	clearly := clear
	clearly.meaning, clearly.similarity = true, 0.6
	for name, row := range map[string]struct {
		Evidence
		found      bool
		confidence Confidence
	}{
		"clear by words":       {clear, true, High},
		"clear by meaning":     {clearly, true, High},
		"no words":             {Evidence{tools: 3000, top: 0.4}, false, ""},
		"a negligible match":   {Evidence{words: 12, tools: 3000, top: 0.2, lead: 0.2, missing: 0.97, agree: true}, false, ""},
		"a name":               {Evidence{named: namedExactly, words: 2, top: 1, lead: 0.5}, true, High},
		"a name of one tool":   {Evidence{named: namedExactly, words: 2, top: 1, lead: 1}, true, High},
		"a name of two":        {Evidence{named: namedExactly, words: 2, top: 1, tied: true}, true, Medium},
		"a name without words": {Evidence{named: namedExactly, top: 1, lead: 0.5}, true, High},
		"a misspelled name":    {Evidence{named: misspelled, words: 1, tools: 3000, top: 0.9, lead: 0.2, missing: 1}, true, ""},
	} {
		found, confidence := row.verdict()
		if found != row.found || row.confidence != "" && confidence != row.confidence || found != (confidence != "") {
			t.Errorf("%s: got %v, %q, want %v, %q", name, found, confidence, row.found, row.confidence)
		}
	}
}

func TestFeaturesAreBoundedAndThoseOfVectorsAreZeroWithoutVectors(t *testing.T) {
	c := newCatalog(t, office)
	for name, meaning := range map[string]Meaning{"words": nil, "meaning": meaningOf(vectorsOf(t, c, measuredModel, senseEncoder{}))} {
		s := New(Options{Catalog: c, Meaning: meaning})
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

func TestNamesThatNoToolContainsAreCounted(t *testing.T) {
	s := New(Options{Catalog: newCatalog(t, office)})
	for query, want := range map[string]float64{
		"list the channels of Slack": 0, "list the channels of Zendesk": 1, "in Slack and Zendesk list the channels": 0.5,
		"List the channels": 0, "Done. List the channels": 0, "post a message": 0, "": 0,
	} {
		if got := s.Find(t.Context(), Query{Text: query, Limit: 1, Always: true}).Evidence.missingNames; got != want {
			t.Errorf("%q: %f, want %f", query, got, want)
		}
	}
}
