package embedding

import (
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// textVersion is part of a model's id: another recipe for Text needs another
// number, and all vectors are made anew.
const textVersion = "2"

// maxText is how much of a text is embedded, in bytes. What a tool is for
// stands at its beginning, and models cut what is longer.
const maxText = 2000

// Text is what stands for a tool: its server's name and its own in words, and
// its description.
func Text(t *catalog.Tool) string {
	return safetext.Prefix(words(t.Server)+" "+words(t.Name)+". "+strings.Join(strings.Fields(safetext.Prefix(t.Description, 2*maxText)), " "), maxText)
}

// words takes a name apart at signs and where small letters end.
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
