package minilm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCharacters is the largest number of characters in a word. Longer words become the unknown token.
const maxCharacters = 100

// special are the tokens that a text may contain literally, as in the model's own tokenizer.
var special = []struct {
	text string
	id   uint16
}{{"[PAD]", 0}, {"[UNK]", unknown}, {"[CLS]", begin}, {"[SEP]", end}, {"[MASK]", 103}}

// tokens returns the token IDs of a text, including the marks of the beginning and the end. The parameter most, at
// least 2, limits their number. tokens reads no more of the text than needed.
func (v vocabulary) tokens(text string, most int) []uint16 {
	s := splitter{words: v, ids: append(make([]uint16, 0, most), begin), room: most - 2}
	for s.room > 0 && text != "" {
		if id, size := specialAt(text); size > 0 {
			s.finish()
			s.token(id)
			text = text[size:]
			continue
		}
		char, size := utf8.DecodeRuneInString(text)
		s.take(char)
		text = text[size:]
	}
	s.finish()
	return append(s.ids, end)
}

// specialAt returns the ID of the special token that a text begins with and the length of its text. Without such a
// token, both are 0.
func specialAt(text string) (id uint16, size int) {
	if text[0] != '[' {
		return 0, 0
	}
	for _, token := range special {
		if strings.HasPrefix(text, token.text) {
			return token.id, len(token.text)
		}
	}
	return 0, 0
}

// splitter collects the characters of a word and converts the word to tokens when it ends.
type splitter struct {
	words  vocabulary
	ids    []uint16
	room   int // number of tokens that may still be added
	word   []byte
	length int
}

// take processes the next character of the text: a part of a word, a word of its own, a separator, or a character that
// is dropped.
func (s *splitter) take(char rune) {
	if char < utf8.RuneSelf {
		s.plain(unicode.ToLower(char))
		return
	}
	if isDropped(char) {
		return
	}
	if isSpace(char) {
		s.finish()
		return
	}
	alone := isIdeograph(char)
	if alone {
		s.finish()
	}
	s.decompose(char)
	if alone {
		s.finish()
	}
}

// plain processes a character that is in lower case and has no accents.
func (s *splitter) plain(char rune) {
	switch {
	case isSpace(char):
		s.finish()
	case isDropped(char):
	case isPunctuation(char):
		s.finish()
		s.add(char)
		s.finish()
	default:
		s.add(char)
	}
}

// add appends a character to the word.
func (s *splitter) add(char rune) {
	s.length++
	if s.length <= maxCharacters {
		s.word = utf8.AppendRune(s.word, char)
	}
}

// finish ends the current word, if any, and adds its tokens.
func (s *splitter) finish() {
	if s.length == 0 {
		return
	}
	if s.length > maxCharacters || !s.split() {
		s.token(unknown)
	}
	s.word, s.length = s.word[:0], 0
}

// split adds the tokens of the word, each the longest piece in the vocabulary from left to right. It returns false and
// adds nothing if the vocabulary does not cover the word.
func (s *splitter) split() bool {
	before, room := len(s.ids), s.room
	prefix, start := "", noHash
	for rest := s.word; len(rest) > 0; {
		id, size := s.words.longest(start, prefix, rest)
		if size == 0 {
			s.ids, s.room = s.ids[:before], room
			return false
		}
		s.token(id)
		rest = rest[size:]
		prefix, start = "##", noHash.add('#').add('#')
	}
	return true
}

// token adds a token if there is room.
func (s *splitter) token(id uint16) {
	if s.room > 0 {
		s.ids = append(s.ids, id)
		s.room--
	}
}

// longest returns the ID of the longest word that consists of the prefix and a beginning of the text, and the length of
// that beginning; 0 if there is none. sum is the hash of the prefix.
func (v vocabulary) longest(sum hash, prefix string, text []byte) (id uint16, size int) {
	for i, next := range text {
		sum = sum.add(next)
		if i+1 < len(text) && !utf8.RuneStart(text[i+1]) {
			continue
		}
		if found, ok := v.find(sum, prefix, text[:i+1]); ok {
			id, size = found, i+1
		}
	}
	return id, size
}
