package lexicon

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed function_words.txt
var functionLines string

//go:embed english.txt
var englishLines string

// functionWords returns the function words of English and of each other language
// in Latin script, by language code. The value of a word is true if the word is a sign
// of its language, and false if the word is also common in English or in names.
var functionWords = sync.OnceValue(func() map[string]map[string]bool {
	out := make(map[string]map[string]bool)
	for line := range strings.Lines(functionLines) {
		code, words, ok := strings.Cut(line, " ")
		if !ok || code == "#" {
			continue
		}
		signs, others, _ := strings.Cut(words, "|")
		out[code] = make(map[string]bool)
		for _, t := range tokensIn(others) {
			out[code][t.folded] = false
		}
		for _, t := range tokensIn(signs) {
			out[code][t.folded] = true
		}
	}
	return out
})

// english returns the words in english.txt.
var english = sync.OnceValue(func() map[string]bool {
	out := make(map[string]bool)
	for line := range strings.Lines(englishLines) {
		if !strings.HasPrefix(line, "#") {
			for word := range strings.FieldsSeq(line) {
				out[word] = true
			}
		}
	}
	return out
})

// endings are endings of English words.
var endings = []string{"", "s", "es", "ed", "d", "ing", "er", "ers", "r", "rs", "ly", "able", "ment", "ments", "ion", "ions"}

// isEnglish reports whether english.txt contains a word, or contains a word
// from which it is formed with one of the endings.
func isEnglish(word string) bool {
	known := english()
	for _, ending := range endings {
		if stem, ok := strings.CutSuffix(word, ending); ok && (known[stem] || known[stem+"e"] && len(ending) > 1) {
			return true
		}
	}
	return false
}

// lettersPerSign is how many letters of another script outweigh a function word of English.
const lettersPerSign = 8

// scriptOf returns the language of a text in a script other than Latin. It returns "" if
// the text has fewer than two such letters, or too few to outweigh its English function
// words. A Cyrillic letter counts half. Texts in Han characters alone count as Chinese.
func scriptOf(text string) string {
	if isASCII(text) {
		return ""
	}
	var han, kana, hangul, cyrillic int
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		}
	}
	code, letters := "", 0
	switch {
	case hangul > 0 && hangul >= kana:
		code, letters = "ko", hangul
	case kana > 0:
		code, letters = "ja", han+kana
	case han > 0:
		code, letters = "zh", han
	case cyrillic > 0:
		code, letters = "ru", cyrillic/2
	}
	if letters < 2 || letters <= lettersPerSign*countOf(tokensOf(text), "en") {
		return ""
	}
	return code
}

// countOf returns the number of words that are signs of a language.
func countOf(tokens []token, code string) int {
	words, n := functionWords()[code], 0
	for _, t := range tokens {
		if words[t.folded] {
			n++
		}
	}
	return n
}

// latin are the languages in Latin script.
var latin = []string{"de", "fr", "es", "it", "pt", "nl", "pl"}

const (
	minEvidence = 2 // minimum number of function words and clear words (see match.clear) in a query of a language
	fewTokens   = 2 // largest number of words in a query for which one clear word is enough
	leastShare  = 4 // at least one in this many words must be a function word or a clear word
)

// latinLanguages returns the one or two languages that a query is most likely
// in, or none if the query is English.
func latinLanguages(tokens []token) []string {
	english := countOf(tokens, "en")
	var out []string
	best := evidence{}
	for _, code := range latin {
		functions := countOf(tokens, code)
		if english > 1 && functions <= english {
			continue // before the slower look-up of clear words, which most English queries do not need
		}
		e := languageOf(code).clear(tokens)
		clear := e.words
		e.words += functions
		if clear == 0 || e.words < minEvidence && len(tokens) > fewTokens || e.words <= english || e.words*leastShare < len(tokens) {
			continue
		}
		if e.words > best.words || e.words == best.words && e.letters > best.letters {
			best, out = e, out[:0]
		}
		if e == best {
			out = append(out, code)
		}
	}
	return out[:min(len(out), 2)]
}

// evidence is how strongly a query points to a language: the number of its function
// words and clear words, and the total length of the stems of the clear words. A
// word is clear if match.clear is true.
type evidence struct{ words, letters int }

// clear returns the evidence of the words that clearly belong to the language.
func (l *language) clear(tokens []token) evidence {
	var e evidence
	used := make([]bool, len(tokens))
	for i := range tokens {
		if used[i] {
			continue
		}
		if m := l.match(tokens, i, used); m.clear {
			e.words++
			e.letters += m.letters
		}
	}
	return e
}
