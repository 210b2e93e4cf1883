package registry

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxProposed is the maximum length of a proposed name in bytes. Clients limit the
// length of a tool's name, which starts with the name of its server.
const maxProposed = 48

// latin writes those letters in ASCII that are not an ASCII letter with accents.
var latin = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O", "ł", "l", "Ł", "L",
	"đ", "d", "Đ", "D", "ı", "i", "þ", "th", "Þ", "Th")

// NameFrom makes a name for a server from a text. It writes letters with accents without them, replaces other characters
// that CheckName rejects with dashes, and cuts the name to 48 bytes. It returns "" if no valid characters are left.
func NameFrom(text string) string {
	if len(text) > 4*maxProposed {
		text = text[:4*maxProposed]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(latin.Replace(text)))
	dashed := false
	text = strings.Map(func(r rune) rune {
		plain := r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
		if plain {
			dashed = r == '-'
			return r
		}
		if dashed {
			return -1
		}
		dashed = true
		return '-'
	}, strings.TrimSpace(text))
	for strings.Contains(text, "__") {
		text = strings.ReplaceAll(text, "__", "_")
	}
	return strings.Trim(text[:min(len(text), maxProposed)], "._-")
}
