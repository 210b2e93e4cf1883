// Package spelling says how much two names differ in their spelling, and which existing names somebody may have meant by
// an unknown one.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// maxNear limits the names that Near returns.
const maxNear = 3

// Near returns the names that somebody may have meant by name, the most similar first, at most three. They differ from it
// in case only, or in one letter of three and at most two letters in all.
func Near(name string, names []string) (near []string) {
	name = strings.ToLower(name)
	most, edits := min(2, len(name)/3), make(map[string]int)
	for _, known := range names {
		if len(known)-len(name) > most || len(name)-len(known) > most {
			continue // the distance is at least the difference of the lengths
		}
		if n := Distance(name, strings.ToLower(known)); n <= most {
			near, edits[known] = append(near, known), n
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(edits[a], edits[b]) })
	return near[:min(len(near), maxNear)]
}

// Distance returns the smallest number of insertions, deletions, replacements
// and swaps of neighbours that turn a into b without editing any part twice:
// Damerau, "A technique for computer detection and correction of spelling
// errors" (1964).
func Distance(a, b string) int {
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
