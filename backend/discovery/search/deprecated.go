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

// isDeprecated reports whether the name or description of a tool marks the tool as
// deprecated. In a description, the word deprecated counts only in capitals or as
// the first word, because elsewhere it may describe the objects that the tool
// finds.
func isDeprecated(t *catalog.Tool) bool {
	// Contains runs first, because it is much faster than the regular expression and false for most
	// tools.
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

// demotes reports whether a tool ranks lower because it is deprecated. It returns false for a
// deprecated tool if the query contains the word deprecated, or contains the tool's name as an
// identifier, even a misspelled one.
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
