package minilm

import (
	"strings"
	"unicode/utf8"
)

// lettersMost is how many letters a word may have; a longer one is unknown.
const lettersMost = 100

// special are the tokens that a text may spell out, as the model's own tokenizer has it.
var special = []struct {
	text string
	id   uint16
}{{"[PAD]", 0}, {"[UNK]", unknown}, {"[CLS]", begin}, {"[SEP]", end}, {"[MASK]", 103}}

// tokens returns the ids of a text, most at the most, with the marks of its beginning and end; most is at least 2. It
// reads no more of the text than it needs, and never fails.
func (v vocabulary) tokens(text string, most int) []uint16 {
	s := splitter{words: v, ids: append(make([]uint16, 0, most), begin), room: most - 2}
	for s.room > 0 && text != "" {
		if id, size := specialAt(text); size > 0 {
			s.finish()
			s.token(id)
			text = text[size:]
			continue
		}
		letter, size := utf8.DecodeRuneInString(text)
		s.take(letter)
		text = text[size:]
	}
	s.finish()
	return append(s.ids, end)
}

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

// splitter collects the letters of a word and makes tokens of it once it ends.
type splitter struct {
	words   vocabulary
	ids     []uint16
	room    int // how many tokens there may still be
	word    []byte
	letters int
}

// take adds a letter of the text: a part of a word, a word of its own, the end of a word, or nothing.
func (s *splitter) take(letter rune) {
	if letter < utf8.RuneSelf {
		s.plain(lowerASCII(letter))
		return
	}
	if isDropped(letter) {
		return
	}
	if isSpace(letter) {
		s.finish()
		return
	}
	alone := isIdeograph(letter)
	if alone {
		s.finish()
	}
	s.decompose(letter)
	if alone {
		s.finish()
	}
}

// plain adds a letter that is in its final form.
func (s *splitter) plain(letter rune) {
	switch {
	case isSpace(letter):
		s.finish()
	case isDropped(letter):
	case isPunctuation(letter):
		s.finish()
		s.add(letter)
		s.finish()
	default:
		s.add(letter)
	}
}

func (s *splitter) add(letter rune) {
	s.letters++
	if s.letters <= lettersMost {
		s.word = utf8.AppendRune(s.word, letter)
	}
}

// finish makes tokens of the word, if there is one.
func (s *splitter) finish() {
	if s.letters == 0 {
		return
	}
	if s.letters > lettersMost || !s.split() {
		s.token(unknown)
	}
	s.word, s.letters = s.word[:0], 0
}

// split cuts the word into the longest pieces that the vocabulary has, from left to right, and reports whether that
// covers it.
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

func (s *splitter) token(id uint16) {
	if s.room > 0 {
		s.ids = append(s.ids, id)
		s.room--
	}
}

// longest returns the longest word that is the prefix and then a beginning of the text, and how long that beginning is.
func (v vocabulary) longest(sum hash, prefix string, text []byte) (id uint16, size int) {
	for i, letter := range text {
		sum = sum.add(letter)
		if i+1 < len(text) && !utf8.RuneStart(text[i+1]) {
			continue
		}
		if found, ok := v.find(sum, prefix, text[:i+1]); ok {
			id, size = found, i+1
		}
	}
	return id, size
}
