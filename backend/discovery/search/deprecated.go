package search

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// deprecatedShare is the share of its score that a deprecated tool keeps, so that its
// successor ranks before it.
const deprecatedShare = 0.75

var capitals = regexp.MustCompile(`\bDEPRECATED\b`)

// isDeprecated reports whether a tool says in its name or description that it is
// deprecated, and should no longer be called. In a description, the word counts in
// capitals, or as the first one: in the middle of a sentence, it may be about what
// the tool finds.
func isDeprecated(t *catalog.Tool) bool {
	// Searching for the letters first takes a tenth of the time.
	return strings.Contains(t.Description, "DEPRECATED") && capitals.MatchString(t.Description) ||
		strings.EqualFold(firstWord(t.Description), "deprecated") || slices.Contains(words(t.Name), "deprecated")
}

// firstWord returns the first run of ASCII letters, digits and underscores.
func firstWord(text string) string {
	other := func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	text = strings.TrimLeftFunc(text, other)
	if end := strings.IndexFunc(text, other); end >= 0 {
		return text[:end]
	}
	return text
}

// demotes reports whether a tool ranks lower because it is deprecated. It does not if
// the query contains the word deprecated, or the tool's name as an identifier.
func (r *ranking) demotes(tool int32) bool {
	if !r.index.documents[tool].deprecated || strings.Contains(strings.ToLower(r.asked.query), "deprecated") {
		return false
	}
	switch r.named[tool] {
	case notNamed, namedByWords:
		return true
	case namedExactly:
		return len(strings.Fields(r.asked.query)) > 1 // the name is written as several words, such as "read file"
	}
	return false
}
