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

// deprecation matches descriptions of tools that should no longer be called: the
// word in capitals, or as the first word. In the middle of a sentence, it may be
// about what the tool finds.
var deprecation = regexp.MustCompile(`^\W*(?i:deprecated)\b|\bDEPRECATED\b`)

// isDeprecated reports whether a tool says in its name or description that it is
// deprecated.
func isDeprecated(t *catalog.Tool) bool {
	return deprecation.MatchString(t.Description) || slices.Contains(words(t.Name), "deprecated")
}

// demotes reports whether a tool ranks lower because it is deprecated. A query about
// deprecated tools, or with the tool's name as an identifier, asks for it.
func (r *ranking) demotes(tool int32) bool {
	if !r.index.documents[tool].deprecated || strings.Contains(strings.ToLower(r.query), "deprecated") {
		return false
	}
	switch r.named[tool] {
	case notNamed, namedByWords:
		return true
	case namedExactly:
		return len(strings.Fields(r.query)) > 1 // as words, such as "read file"
	}
	return false
}
