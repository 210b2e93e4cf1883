package difference

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// Visible returns a text of a server with every character that cannot be seen written as
// U+XXXX between angle brackets. Line feeds and tabs stay.
func Visible(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text { // a byte that is not UTF-8 becomes U+FFFD
		if hidden(r) {
			fmt.Fprintf(&out, "⟨U+%04X⟩", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func hidden(r rune) bool { return r != '\n' && r != '\t' && safetext.Hidden(r) }
