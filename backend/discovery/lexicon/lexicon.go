// Package lexicon reads queries in languages other than English: it finds the words for
// the operations of tools and for their objects, and returns these words in English. It
// does not translate sentences. Package search adds the English words to the query,
// because the definitions of tools and the built-in embedding model are English.
//
// The words are in concepts.txt. A query is read only if it looks foreign as a
// whole: if it is in another script, or contains function words and words of the
// lexicon that do not occur in English. The languages are German, French, Spanish,
// Italian, Portuguese, Dutch, Polish, Russian, Chinese, Japanese and Korean.
package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxQuery  = 1000 // runes of a query that are read
	maxTokens = 64   // words of a query that are read
	maxWords  = 24   // English words in a reading
)

// Reading is the meaning of a foreign query in English words.
type Reading struct {
	// Words are the English words: those of verbs first, then the others in the
	// order of the query.
	Words []string
	// Names are the words of the query in Latin script that the lexicon does not
	// know, such as names, in the order of the query.
	Names []string
}

// English returns the reading as text.
func (r Reading) English() string {
	return strings.Join(slices.Concat(r.Words, r.Names), " ")
}

// Read returns the English reading of a foreign query. It returns false if the
// query is English, or if none of its words is known.
func Read(query string) (Reading, bool) {
	query = unquoted(first(query, maxQuery))
	f := findings{}
	switch code := scriptOf(query); code {
	case "zh", "ja", "ko":
		f.readUnspaced(query, code)
	case "ru":
		f.readSpaced(tokensOf(query), code)
	default:
		tokens := tokensOf(query)
		for _, code := range latinLanguages(tokens) {
			f.readSpaced(tokens, code)
		}
	}
	return f.reading()
}

// first returns the first n runes of a text.
func first(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// findings collects the meanings of the words in a query.
type findings struct {
	found []finding
	names []finding
}

// finding is a known or unknown word and its position in the query.
type finding struct {
	at   int
	word string // English words of a known concept, or the unknown word
	verb bool
}

func (f *findings) add(at int, meanings []*concept) {
	for _, c := range meanings {
		f.found = append(f.found, finding{at, c.english, c.verb})
	}
}

func (f *findings) reading() (Reading, bool) {
	if len(f.found) == 0 {
		return Reading{}, false
	}
	slices.SortStableFunc(f.found, func(a, b finding) int {
		if a.verb != b.verb {
			if a.verb {
				return -1
			}
			return 1
		}
		return a.at - b.at
	})
	return Reading{Words: wordsOf(f.found), Names: wordsOf(f.names)}, true
}

// wordsOf returns the words of findings, each once, at most maxWords.
func wordsOf(all []finding) []string {
	var out []string
	for _, f := range all {
		for w := range strings.FieldsSeq(f.word) {
			if len(out) < maxWords && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// readSpaced finds the words of a language that separates words by spaces.
func (f *findings) readSpaced(tokens []token, code string) {
	l := languageOf(code)
	used := make([]bool, len(tokens))
	for i := range tokens {
		if used[i] {
			continue
		}
		if m := l.match(tokens, i, used); len(m.meanings) > 0 {
			f.add(i, m.meanings)
			used[i] = true
		}
	}
	for i, t := range tokens {
		if !used[i] && isLatin(t.written) && !l.function(t.folded) && (len(f.names) == 0 || f.names[len(f.names)-1].at < i) {
			f.names = append(f.names, finding{at: i, word: t.written})
		}
	}
}

// readUnspaced finds the words of a language that does not separate words by
// spaces. If code is "zh", it also looks for Japanese words, because a text in Han
// characters alone may be Japanese.
func (f *findings) readUnspaced(query, code string) {
	l := languageOf(code)
	text := strings.ToLower(query)
	var last rune
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r >= utf8.RuneSelf {
			stem, meanings := l.longest(text[at:], !unicode.IsLetter(last))
			if code == "zh" {
				if other, more := languageOf("ja").longest(text[at:], true); len(other) > len(stem) {
					stem, meanings = other, more
				}
			}
			f.add(at, meanings)
			size = max(size, len(stem))
			r, _ = utf8.DecodeLastRuneInString(text[at : at+size])
		}
		last = r
		at += size
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && !unicode.Is(unicode.Latin, r) }) {
		if isLatin(word) {
			f.names = append(f.names, finding{word: word})
		}
	}
}
