package tokens

import "unicode/utf8"

// What parts of a text cost, in hundredths of a token: measured with Count over
// the descriptions of some thousand tools, and rounded up.
const (
	one        = 100
	margin     = 105 // per cent of what the parts add up to
	perLetter  = 50  // of a word too long to be in the vocabulary
	spacedWord = 108 // a word after a space is there whole, nearly always
	longWord   = 12  // letters
	perMark    = 80  // of many different ones in a row
	twoBytes   = 70  // a letter of Greek, Cyrillic, Hebrew, Arabic
	threeBytes = 120 // one of an East Asian script, a dash, an arrow
	fourBytes  = 300 // an emoji
)

// bare is what a word costs that does not follow a space, by its letters.
var bare = [longWord + 1]int{0, 100, 105, 150, 120, 125, 130, 165, 165, 200, 200, 200, 210}

// marks is what so many punctuation marks in a row cost, and quoted what they
// do where they begin with one of JSON's quotes.
var (
	marks  = [...]int{0, 100, 100, 115, 175}
	quoted = [...]int{0, 100, 100, 100, 100, 100, 140}
)

// Estimate returns about how many tokens text has, rather too many than too
// few. Other than Count it needs no vocabulary and no memory, so it may be
// asked with every call.
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
			if i-start > 1 || c != ' ' { // a single space belongs to what follows
				sum += one
			}
		case c < utf8.RuneSelf:
			for i < len(text) && mark(text[i]) {
				i++
			}
			if i-start > 1 || i == len(text) || !letter(text[i]) || start > 0 && text[start-1] == ' ' { // else it belongs to the word
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

// wordEnd returns where the word ends that begins at i: before the next capital
// after a small letter.
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
	switch w { // what the texts have that are mostly estimated: replies in JSON about tools
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
