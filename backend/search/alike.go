package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/catalog"
)

// minAlike is the share of letters that two names must have in common, in
// order, for one to be a misspelling of the other.
const minAlike = 0.6

// alike returns the tools that allow admits whose names are spelt almost like
// name, the nearest first.
func (x *index) alike(name string, allow func(*catalog.Tool) bool) []Hit {
	name = strings.ToLower(name)
	var hits []Hit
	for _, t := range x.snapshot.Tools {
		longest := max(len(name), len(t.Name))
		// A distance is at least the difference of the lengths.
		if min(len(name), len(t.Name)) < int(minAlike*float64(longest)) || !allow(t) {
			continue
		}
		score := 1 - float64(distance(name, strings.ToLower(t.Name)))/float64(longest)
		if score >= minAlike {
			hits = append(hits, Hit{Tool: t, Score: score})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tool.Proxied(), b.Tool.Proxied()))
	})
	return hits
}

// distance is how many letters must be put in, taken out or replaced to make b
// of a: Wagner and Fischer, "The String-to-String Correction Problem" (1974).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
