package minilm

import (
	"unicode"
	"unicode/utf8"

	unicodeform "golang.org/x/text/unicode/norm"
)

// decompose splits a character into its Unicode parts and processes each, in lower case and without accents.
func (s *splitter) decompose(char rune) {
	var raw [utf8.UTFMax]byte
	var parts [64]byte
	for rest := unicodeform.NFD.Append(parts[:0], raw[:utf8.EncodeRune(raw[:], char)]...); len(rest) > 0; {
		part, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		if !unicode.Is(unicode.Mn, part) {
			s.plain(unicode.ToLower(part))
		}
	}
}

// isDropped reports whether the tokenizer drops a character: control, format and private-use characters, and invalid
// UTF-8.
func isDropped(char rune) bool {
	if char == utf8.RuneError {
		return true
	}
	return !isSpace(char) && unicode.In(char, unicode.Cc, unicode.Cf, unicode.Co)
}

// isSpace reports whether a character separates words.
func isSpace(char rune) bool {
	switch char {
	case '\t', '\n', '\r':
		return true
	case '\v', '\f', 0x85:
		return false // the model's own tokenizer drops these as control characters
	}
	return unicode.IsSpace(char)
}

// isPunctuation reports whether a character is punctuation. Each punctuation character is a word of its own. All ASCII
// symbols count as punctuation.
func isPunctuation(char rune) bool {
	if char < utf8.RuneSelf {
		return '!' <= char && char <= '/' || ':' <= char && char <= '@' || '[' <= char && char <= '`' || '{' <= char && char <= '~'
	}
	return unicode.IsPunct(char)
}

// ideographs are the Unicode blocks of Chinese characters. Each such character is a word. Hangul, Hiragana and Katakana
// are not included.
var ideographs = [][2]rune{
	{0x3400, 0x4dbf},
	{0x4e00, 0x9fff},
	{0xf900, 0xfaff},
	{0x20000, 0x2a6df},
	{0x2a700, 0x2b73f},
	{0x2b740, 0x2b81f},
	{0x2b820, 0x2ceaf},
	{0x2f800, 0x2fa1f},
}

func isIdeograph(char rune) bool {
	for _, block := range ideographs {
		if block[0] <= char && char <= block[1] {
			return true
		}
	}
	return false
}
