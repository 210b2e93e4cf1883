package official

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// maxWords is the maximum number of words of a text to search for. Each word needs a request.
const maxWords = 3

// searchable returns the longest words of a text, at most maxWords, that the registry can search for.
func searchable(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("./_-", r)
	})
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < minSearch || len(w) > maxName })
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var out []string
	for _, w := range words {
		if len(out) < maxWords && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// mostWords returns the listings of at most limit entries that are latest versions and not deleted, each server once.
// Those whose names contain the most words come first.
func mostWords(found []Entry, words []string, limit int) []listing.Listing {
	matches := make(map[string]int)
	var out []listing.Listing
	for _, e := range found {
		if _, seen := matches[e.Name]; seen || !e.Latest || e.Status == listing.Deleted {
			continue
		}
		matches[e.Name] = 0
		for _, w := range words {
			if strings.Contains(strings.ToLower(e.Name), w) {
				matches[e.Name]++
			}
		}
		out = append(out, e.Listing)
	}
	slices.SortStableFunc(out, func(a, b listing.Listing) int { return cmp.Compare(matches[b.Name], matches[a.Name]) })
	return out[:min(len(out), limit)]
}
