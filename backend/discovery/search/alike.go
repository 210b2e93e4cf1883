package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// minAlike is the share of letters that two names must have in common, in
// order, for one to be a misspelling of the other.
const minAlike = 0.6

// alike returns the tools that allow admits whose names are spelt almost like
// name, the nearest first.
func (x *index) alike(name string, allow func(*catalog.Tool) bool) []Hit {
	name = strings.ToLower(name)
	var hits []Hit
	for i, t := range x.snapshot.Tools {
		longest := max(len(name), len(t.Name))
		// A distance is at least the difference of the lengths.
		if min(len(name), len(t.Name)) < int(minAlike*float64(longest)) || !allow(t) {
			continue
		}
		score := 1 - float64(distance(name, strings.ToLower(t.Name)))/float64(longest)
		if score >= minAlike {
			hits = append(hits, Hit{Tool: t, Score: score, at: int32(i)})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tool.Proxied(), b.Tool.Proxied()))
	})
	return hits
}

// What a word counts for that stands for another.
const (
	oneEditLikeness  = 0.8
	twoEditsLikeness = 0.6
	prefixLikeness   = 0.5
	minPrefix        = 3
	maxSpelt         = 24 // letters; longer words are no misspellings
)

// spelling says from how many letters on a word may be misspelt in one place,
// and in two. Few words are often typed in haste; in a sentence an unknown word
// is more often a name.
type spelling struct{ one, two int }

// maxEdits is in how many places a word may be misspelt.
const maxEdits = 2

var (
	sloppy  = spelling{4, 7}
	careful = spelling{6, 9}
)

// likeness is how well a known word may stand for an unknown one; 0 for not at
// all. mask are the letters of the unknown one.
func likeness(word, known string, mask uint64, s spelling) float32 {
	if len(word) >= minPrefix && len(known) > len(word) && strings.HasPrefix(known, word) {
		return prefixLikeness
	}
	edits := 0
	switch {
	case len(word) > maxSpelt:
		return 0
	case len(word) >= s.two:
		edits = 2
	case len(word) >= s.one:
		edits = 1
	default:
		return 0
	}
	switch {
	case !near(word, known, mask, edits):
		return 0
	case distance(word, known) == 1:
		return oneEditLikeness
	case word[0] == known[0]:
		return twoEditsLikeness
	}
	return 0
}

// near reports whether so many edits make the one of the other; mask are the
// letters of the first.
func near(a, b string, mask uint64, edits int) bool {
	differ := len(a) - len(b)
	return differ <= edits && -differ <= edits && bits.OnesCount64(mask^letters(b)) <= 2*edits && distance(a, b) <= edits
}

// letters is the set of a word's letters. Two words whose sets differ by more
// than twice a number of edits are farther apart than that.
func letters(word string) uint64 {
	mask := uint64(0)
	for i := range len(word) {
		mask |= 1 << (word[i] & 63)
	}
	return mask
}

// distance is how many letters must be put in, taken out, replaced or swapped
// with their neighbour to make b of a: Damerau, "A technique for computer
// detection and correction of spelling errors" (1964), in the form that edits
// no part twice.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
