package minilm

import (
	"unicode"
	"unicode/utf8"

	unicodeform "golang.org/x/text/unicode/norm"
)

func lowerASCII(letter rune) rune {
	if 'A' <= letter && letter <= 'Z' {
		return letter + 'a' - 'A'
	}
	return letter
}

// decompose adds the base letters of a letter, in lower case and without accents.
func (s *splitter) decompose(letter rune) {
	var raw [utf8.UTFMax]byte
	var parts [64]byte
	for rest := unicodeform.NFD.Append(parts[:0], raw[:utf8.EncodeRune(raw[:], letter)]...); len(rest) > 0; {
		part, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		if !unicode.Is(unicode.Mn, part) {
			s.plain(unicode.ToLower(part))
		}
	}
}

// isDropped reports whether the tokenizer removes a letter: control and format characters, private use, and invalid
// UTF-8.
func isDropped(letter rune) bool {
	if letter == utf8.RuneError {
		return true
	}
	return !isSpace(letter) && unicode.In(letter, unicode.Cc, unicode.Cf, unicode.Co)
}

// isSpace reports whether a letter separates words.
func isSpace(letter rune) bool {
	switch letter {
	case '\t', '\n', '\r':
		return true
	case '\v', '\f', 0x85:
		return false // control characters in the model's own tokenizer
	}
	return unicode.IsSpace(letter)
}

// isPunctuation reports whether a letter is a word of its own: all ASCII symbols
// and Unicode punctuation.
func isPunctuation(letter rune) bool {
	if letter < utf8.RuneSelf {
		return '!' <= letter && letter <= '/' || ':' <= letter && letter <= '@' || '[' <= letter && letter <= '`' || '{' <= letter && letter <= '~'
	}
	return unicode.IsPunct(letter)
}

// ideographs are the blocks of Chinese characters, each of which is a word. Hangul, Hiragana and Katakana are not
// included.
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

func isIdeograph(letter rune) bool {
	for _, block := range ideographs {
		if block[0] <= letter && letter <= block[1] {
			return true
		}
	}
	return false
}
