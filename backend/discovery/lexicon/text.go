package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a query in lower case, as written and folded. The folded form
// of an identifier such as deleteFile is empty, so that the lexicon ignores the word.
type token struct{ written, folded string }

// tokensOf returns the words of a query, at most maxTokens.
func tokensOf(query string) []token {
	all := tokensIn(query)
	return all[:min(len(all), maxTokens)]
}

// tokensIn returns the words of a text.
func tokensIn(text string) []token {
	var out []token
	for _, w := range strings.FieldsFunc(text,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
		t := token{written: strings.ToLower(w)}
		if !isIdentifier(w) {
			t.folded = fold(t.written)
		}
		out = append(out, t)
	}
	return out
}

// isIdentifier reports whether an upper-case letter follows a lower-case one in a word.
func isIdentifier(word string) bool {
	var last rune
	for _, r := range word {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			return true
		}
		last = r
	}
	return false
}

// folds maps letters with accents to letters without.
var folds = func() map[rune]string {
	out := make(map[rune]string)
	for _, row := range []string{
		"a àáâãäåāą", "c çćč", "e èéêëēęě", "i ìíîïī", "l ł", "n ñńň", "o òóôõöøō", "s śš", "u ùúûüū", "y ýÿ", "z źżž",
		"ae æ", "oe œ", "ss ß", "е ё",
	} {
		plain, accented, _ := strings.Cut(row, " ")
		for _, r := range accented {
			out[r] = plain
		}
	}
	return out
}()

// fold returns a lower-case word without accents.
func fold(word string) string {
	if isASCII(word) {
		return word
	}
	var out strings.Builder
	for _, r := range word {
		switch plain, ok := folds[r]; {
		case ok:
			out.WriteString(plain)
		case unicode.IsMark(r) && r >= 0x0300 && r < 0x0370: // accents of decomposed letters
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isLatin(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.Is(unicode.Latin, r)
}

// closing maps an opening quotation mark to the marks that may close it.
var closing = map[rune]string{
	'"': `"`, '`': "`", '\'': "'", '“': "”", '„': "“”", '«': "»", '‘': "’", '「': "」", '『': "』", '《': "》",
}

// unquoted returns a text without the parts in quotation marks, which are data
// rather than the request. If no letters remain, it returns the whole text.
func unquoted(text string) string {
	var out strings.Builder
	var last rune
	letters := false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if marks, ok := closing[r]; ok && !unicode.IsLetter(last) || ok && r > utf8.RuneSelf {
			if end := endOfQuote(text[at+size:], marks); end > 0 {
				at += size + end
				last = ' '
				out.WriteByte(' ')
				continue
			}
		}
		letters = letters || unicode.IsLetter(r)
		out.WriteString(text[at : at+size])
		last = r
		at += size
	}
	if !letters {
		return text
	}
	return out.String()
}

// endOfQuote returns the position after the mark that closes a quotation, or 0 if
// the text has none. An apostrophe inside a word does not close a quotation.
func endOfQuote(text, marks string) int {
	for i, r := range text {
		if !strings.ContainsRune(marks, r) {
			continue
		}
		end := i + utf8.RuneLen(r)
		if next, _ := utf8.DecodeRuneInString(text[end:]); (r != '\'' && r != '’') || !unicode.IsLetter(next) {
			return end
		}
	}
	return 0
}
