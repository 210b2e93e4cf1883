package search

import (
	"cmp"
	"maps"
	"slices"
)

// Reason is what one part of a tool has to do with its score.
type Reason struct {
	Field string   // name, server, title, description or parameters
	Terms []string // words of the query that are there, or others of their kind; sorted
	// Points are this part's share of the score: all reasons of a hit add up
	// to it.
	Points float64
}

// explainer says why tools have their scores for a query. Its parts are worked
// out once for all tools.
type explainer struct {
	index   *index
	asked   []string            // the query's words
	words   map[string]float64  // those that count, and how much
	sources map[string][]string // the query's words behind each of them
	best    float64             // what a perfect match would get
}

func (x *index) explainer(query string) *explainer {
	words := queryTerms(query)
	return &explainer{x, terms(query), words, wordsOf(query), x.perfect(words)}
}

// explain returns what the parts of a tool have to do with its score, the
// weightiest first.
func (e *explainer) explain(tool int32) []Reason {
	t := e.index.snapshot.Tools[tool]
	if slices.Equal(terms(t.Name), e.asked) {
		return []Reason{{string(fieldName), slices.Compact(slices.Sorted(slices.Values(e.asked))), 1}}
	}
	whole, parts := make(map[string]float64), make(map[field]map[string]float64)
	eachWord(t, func(in field, term string, weight float32) {
		if e.words[term] == 0 {
			return
		}
		if parts[in] == nil {
			parts[in] = make(map[string]float64)
		}
		parts[in][term] += float64(weight)
		whole[term] += float64(weight)
	})
	var out []Reason
	for in, found := range parts {
		reason := Reason{Field: string(in)}
		for term, freq := range found {
			worth := e.words[term] * e.index.rarity(len(e.index.postings[term])) * e.index.saturated(tool, whole[term])
			reason.Points += worth / e.best * freq / whole[term]
			reason.Terms = append(reason.Terms, e.sources[term]...)
		}
		slices.Sort(reason.Terms)
		reason.Terms = slices.Compact(reason.Terms)
		out = append(out, reason)
	}
	slices.SortFunc(out, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Field, b.Field))
	})
	return out
}

// wordsOf returns, for each term that a query is matched by, the words of the
// query that stand behind it: open is matched by create, too.
func wordsOf(query string) map[string][]string {
	sources := make(map[string][]string)
	for term := range maps.Keys(queryTerms(query)) {
		sources[term] = nil
	}
	for _, word := range terms(query) {
		for _, term := range []string{word, canonical[word]} {
			if _, counts := sources[term]; counts && !slices.Contains(sources[term], word) {
				sources[term] = append(sources[term], word)
			}
		}
	}
	return sources
}
