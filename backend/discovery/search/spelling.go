package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/spelling"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// minSimilarity is the least similarity of two names for one to count as a
// misspelling of the other. The similarity is 1 minus the edit distance divided
// by the length of the longer name.
const minSimilarity = 0.6

// similarNames returns the allowed tools whose names are spelled almost like
// name, the most similar first.
func (x *index) similarNames(name string, allow func(*catalog.Tool) bool) []Hit {
	name = strings.ToLower(name)
	var hits []Hit
	for i, t := range x.snapshot.Tools {
		longest := max(len(name), len(t.Name))
		// The edit distance is at least the difference of the lengths.
		if min(len(name), len(t.Name)) < int(minSimilarity*float64(longest)) || !allow(t) {
			continue
		}
		score := 1 - float64(spelling.Distance(name, strings.ToLower(t.Name)))/float64(longest)
		if score >= minSimilarity {
			hits = append(hits, Hit{Tool: t, Score: score, at: int32(i)})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tool.Proxied(), b.Tool.Proxied()))
	})
	return hits
}

// The likeness of a known word to the word of a query that it replaces, by the
// kind of difference, and limits on the lengths of words.
const (
	oneEditLikeness  = 0.8
	twoEditsLikeness = 0.6
	prefixLikeness   = 0.5
	minPrefix        = 3
	maxTypoLength    = 24 // bytes; longer words are not corrected
)

// tolerance holds the minimum lengths of misspelled words, in bytes: one for
// words with one edit, and two for words with two edits. Short queries are often
// typed in haste; in a sentence, an unknown word is more often a name.
type tolerance struct{ one, two int }

// maxEdits is the largest number of edits in a misspelled word.
const maxEdits = 2

var (
	lenient = tolerance{4, 7}
	strict  = tolerance{6, 9}
)

// likeness returns how well a known word may replace an unknown word of a query.
// It returns 0 if the words are not similar. mask is letters(word).
func likeness(word, known string, mask uint64, s tolerance) float32 {
	if len(word) >= minPrefix && len(known) > len(word) && strings.HasPrefix(known, word) {
		return prefixLikeness
	}
	edits := 0
	switch {
	case len(word) > maxTypoLength:
		return 0
	case len(word) >= s.two:
		edits = 2
	case len(word) >= s.one:
		edits = 1
	default:
		return 0
	}
	switch {
	case !withinEdits(word, known, mask, edits):
		return 0
	case spelling.Distance(word, known) == 1:
		return oneEditLikeness
	case word[0] == known[0]:
		return twoEditsLikeness
	}
	return 0
}

// inflections are the regular endings of English words. A word that ends in ending is derived from a word that ends in
// replaced instead, as "queries" is derived from "query".
var inflections = []struct{ ending, replaced string }{
	{"s", ""},
	{"es", ""},
	{"ies", "y"},
	{"ied", "y"},
	{"ly", ""},
	{"ed", ""},
	{"ed", "e"},
	{"ing", ""},
	{"ing", "e"},
	{"er", ""},
	{"er", "e"},
	{"ers", ""},
	{"ers", "e"},
}

// wellSpelled reports whether a word is spelled right, or is a regular inflection of such a word.
func (v *vocabulary) wellSpelled(word string) bool {
	if v.spelled == nil {
		return false
	}
	if v.spelled(word) {
		return true
	}
	for _, i := range inflections {
		if stem, ok := strings.CutSuffix(word, i.ending); ok && v.inflects(stem, i.ending, i.replaced) {
			return true
		}
	}
	return false
}

// inflects reports whether stem+ending is a regular inflection of a word that is spelled right. That word is
// stem+replaced or, if the last letter of stem is doubled, stem without its last letter.
func (v *vocabulary) inflects(stem, ending, replaced string) bool {
	base := stem + replaced
	last := len(stem) - 1
	if last < 1 {
		return false
	}
	hisses := strings.HasSuffix(base, "ch") || strings.HasSuffix(base, "sh") || strings.ContainsRune("sxz", rune(base[len(base)-1]))
	regular := true
	switch ending {
	case "s":
		regular = !hisses
	case "es":
		regular = hisses || stem[last] == 'o'
	case "ed", "ing", "er", "ers":
		if last == minPrefix && stem[last] == stem[last-1] && v.spelled(stem[:last]) { // "zipping"
			return true
		}
		regular = replaced == "e" || stem[last] != 'e'
	}
	return regular && len(base) > minPrefix && v.spelled(base)
}

// withinEdits reports whether the edit distance of a and b is at most edits.
// mask is letters(a).
func withinEdits(a, b string, mask uint64, edits int) bool {
	differ := len(a) - len(b)
	return differ <= edits && -differ <= edits && bits.OnesCount64(mask^letters(b)) <= 2*edits && spelling.Distance(a, b) <= edits
}

// letters returns a set of a word's bytes, as a bit mask. If the masks of two
// words differ in more than 2n bits, their edit distance exceeds n.
func letters(word string) uint64 {
	mask := uint64(0)
	for i := range len(word) {
		mask |= 1 << (word[i] & 63)
	}
	return mask
}
