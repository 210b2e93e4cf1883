package tokens

import "unicode/utf8"

// The costs of the parts of a text in hundredths of a token, measured with Count
// over the descriptions of several thousand tools and rounded up.
const (
	one        = 100
	margin     = 105 // percentage by which Estimate scales the sum of all costs
	perLetter  = 50  // each letter of a word beyond longWord
	spacedWord = 108 // a word after a space, which is nearly always one token
	longWord   = 12  // letters
	perMark    = 80  // each mark in a run that is longer than the tables below cover
	twoBytes   = 70  // a character of two bytes in UTF-8: Greek, Cyrillic, Hebrew, Arabic
	threeBytes = 120 // a character of three bytes: East Asian scripts, dashes, arrows
	fourBytes  = 300 // a character of four bytes: emoji
)

// bare is the cost of a word that does not follow a space, by its number of
// letters.
var bare = [longWord + 1]int{0, 100, 105, 150, 120, 125, 130, 165, 165, 200, 200, 200, 210}

// marks is the cost of a run of punctuation marks by its length. quoted is the cost
// of a run that begins with a double quote, as in JSON.
var (
	marks  = [...]int{0, 100, 100, 115, 175}
	quoted = [...]int{0, 100, 100, 100, 100, 100, 140}
)

// Estimate returns about how many tokens text has; it errs on the high side.
// Unlike Count it needs no vocabulary and allocates nothing, so that it can be
// used in every call.
func Estimate(text string) int {
	sum := 0
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case letter(c):
			i = wordEnd(text, i)
			sum += word(text[start:i], start > 0 && text[start-1] == ' ')
		case c >= '0' && c <= '9':
			for i < len(text) && i < start+3 && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			sum += one
		case c <= ' ':
			for i < len(text) && text[i] <= ' ' {
				i++
			}
			if i-start > 1 || c != ' ' { // a single space is part of the next token
				sum += one
			}
		case c < utf8.RuneSelf:
			for i < len(text) && mark(text[i]) {
				i++
			}
			// a single mark is part of the word after it
			if i-start > 1 || i == len(text) || !letter(text[i]) || start > 0 && text[start-1] == ' ' {
				sum += punctuation(text[start:i])
			}
		default:
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			sum += [...]int{0, one, twoBytes, threeBytes, fourBytes}[size]
		}
	}
	return (sum*margin/100 + one - 1) / one
}

// wordEnd returns the end of the word that begins at i: the next character that is
// not a letter, or a capital after a small letter.
func wordEnd(text string, i int) int {
	for i < len(text) && text[i] >= 'A' && text[i] <= 'Z' {
		i++
	}
	for i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
		i++
	}
	return i
}

func word(w string, spaced bool) int {
	switch w { // frequent words of find_tool replies, which are estimated most often
	case "description", "confidence", "required", "optional", "matches", "string", "score", "found":
		return one
	case "mcp":
		return 2 * one
	}
	extra := max(len(w)-longWord, 0) * perLetter
	if spaced {
		return spacedWord + extra
	}
	return bare[min(len(w), longWord)] + extra
}

func punctuation(run string) int {
	switch n := len(run); {
	case run[0] == '"' && n < len(quoted):
		return quoted[n]
	case n < len(marks):
		return marks[n]
	default:
		return n * perMark
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func mark(c byte) bool { return c > ' ' && c < utf8.RuneSelf && !letter(c) && (c < '0' || c > '9') }
