package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Reason is what one part of a tool has to do with its score.
type Reason struct {
	Field string   // name, server, title, description or parameters
	Terms []string // words of the query that are there, or others of their kind; sorted
	// Points are this part's share of the score: all reasons of a hit add up
	// to it.
	Points float64
}

// explain says why a tool has its score for a query, the weightiest part first.
func (x *index) explain(query string, tool int32) []Reason {
	t, asked := x.snapshot.Tools[tool], strings.Join(terms(query), " ")
	if strings.Join(terms(t.Name), " ") == asked {
		return []Reason{{string(fieldName), slices.Compact(slices.Sorted(slices.Values(terms(query)))), 1}}
	}
	words := queryTerms(query)
	sources := wordsOf(query)
	whole, parts := make(map[string]float64), make(map[field]map[string]float64)
	eachWord(t, func(in field, term string, weight float32) {
		if words[term] == 0 {
			return
		}
		if parts[in] == nil {
			parts[in] = make(map[string]float64)
		}
		parts[in][term] += float64(weight)
		whole[term] += float64(weight)
	})
	best := x.perfect(words)
	var out []Reason
	for in, found := range parts {
		reason := Reason{Field: string(in)}
		for term, freq := range found {
			worth := words[term] * x.rarity(len(x.postings[term])) * x.saturated(tool, whole[term])
			reason.Points += worth / best * freq / whole[term]
			reason.Terms = append(reason.Terms, sources[term]...)
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
