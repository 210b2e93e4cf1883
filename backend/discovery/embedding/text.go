package embedding

import (
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// textVersion is part of a model's ID. A change to the recipe in Text needs a
// new version, so that all vectors are computed again.
const textVersion = "2"

// maxText limits the text of a tool, in bytes. Descriptions state a tool's
// purpose first, and models cut longer texts.
const maxText = 2000

// Text returns the text that is embedded for a tool: the names of its server
// and of itself as words, and its description.
func Text(t *catalog.Tool) string {
	return safetext.Prefix(words(t.Server)+" "+words(t.Name)+". "+strings.Join(strings.Fields(safetext.Prefix(t.Description, 2*maxText)),
		" "), maxText)
}

// words splits a name into lower-case words at punctuation and at changes from
// lower to upper case.
func words(name string) string {
	var out strings.Builder
	var last rune
	for _, r := range name {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		begins := word && (unicode.IsUpper(r) && unicode.IsLower(last) || !unicode.IsLetter(last) && !unicode.IsDigit(last))
		if begins && out.Len() > 0 {
			out.WriteByte(' ')
		}
		if word {
			out.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return out.String()
}
