package safetext

import (
	"strings"
	"unicode"
)

// ShellWord returns a word as a person can paste it into a POSIX shell: in quotes if the shell would change it, and with
// hidden characters made visible.
func ShellWord(word string) string {
	word = Visible(word)
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+@:,=", r)
	}
	rest := strings.TrimPrefix(word, "~/")
	if word != "" && !strings.ContainsFunc(rest, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
