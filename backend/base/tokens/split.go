package tokens

import (
	"unicode"
	"unicode/utf8"
)

// class is a set of properties of a character.
type class uint8

const (
	upper   class = 1 << iota // may begin a word: \p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}
	lower                     // may continue a word: \p{Ll}\p{Lm}\p{Lo}\p{M}
	alpha                     // \p{L}
	number                    // \p{N}
	space                     // \s
	newline                   // \r or \n
)

var ascii = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		t[c] = classOf(rune(c))
	}
	return t
}()

func classOf(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return space | newline
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.Ll, r):
		return lower | alpha
	case unicode.Is(unicode.Lu, r), unicode.Is(unicode.Lt, r):
		return upper | alpha
	case unicode.IsLetter(r):
		return upper | lower | alpha
	case unicode.IsMark(r):
		return upper | lower
	case unicode.IsNumber(r):
		return number
	}
	return 0
}

// classAt returns the class and the length of the character at a position; 0 and 0 at the end.
func classAt(s string, at int) (class, int) {
	if at >= len(s) {
		return 0, 0
	}
	if c := s[at]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, size := utf8.DecodeRuneInString(s[at:])
	if r == utf8.RuneError && size == 1 {
		return 0, 1
	}
	return classOf(r), size
}

// pieceEnd returns the end of the piece of s that begins at a position. The position must be before the end of s. A
// token never extends over two pieces. pieceEnd matches what the regular expression of o200k_base matches:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
func pieceEnd(s string, at int) int {
	first, size := classAt(s, at)
	starts := []int{at + size, at}
	if first&(alpha|number|newline) != 0 {
		starts = starts[1:]
	}
	for _, match := range []func(string, int) int{wordWithLower, wordWithUpper} {
		for _, start := range starts {
			if end := match(s, start); end > 0 {
				return contracted(s, end)
			}
		}
	}
	switch {
	case first&number != 0:
		return numberEnd(s, at)
	case first&space == 0:
		return marksEnd(s, at)
	case s[at] == ' ':
		if c, size := classAt(s, at+1); size > 0 && c&(space|alpha|number) == 0 {
			return marksEnd(s, at+1)
		}
	}
	return spaceEnd(s, at)
}

// wordWithLower returns the end of the longest word that begins at a position and ends with a character of the class
// lower, or 0 if there is none.
func wordWithLower(s string, at int) int {
	end := 0
	for {
		c, size := classAt(s, at)
		if c&upper == 0 {
			if c&lower != 0 {
				return run(s, at, lower)
			}
			return end
		}
		if at += size; c&lower != 0 {
			end = at
		}
	}
}

// wordWithUpper returns the end of the word that begins at a position with a character of the class upper, or 0 if
// there is none.
func wordWithUpper(s string, at int) int {
	end := run(s, at, upper)
	if end == at {
		return 0
	}
	return run(s, end, lower)
}

// run returns the end of the run of characters of a class that begins at a position.
func run(s string, at int, of class) int {
	for {
		c, size := classAt(s, at)
		if c&of == 0 {
			return at
		}
		at += size
	}
}

// contracted returns the end of the contraction that begins at a position, such as 's in "it's". It returns the
// position unchanged if no contraction begins there.
func contracted(s string, at int) int {
	if at+1 >= len(s) || s[at] != '\'' {
		return at
	}
	rest := s[at+1:]
	switch rest[0] | 0x20 {
	case 's', 't', 'm', 'd':
		if rest[0] >= 'A' {
			return at + 2
		}
	case 'r', 'v':
		if len(rest) > 1 && rest[1]|0x20 == 'e' && rest[0] >= 'A' && rest[1] >= 'A' {
			return at + 3
		}
	case 'l':
		if len(rest) > 1 && rest[1]|0x20 == 'l' && rest[0] >= 'A' && rest[1] >= 'A' {
			return at + 3
		}
	}
	if r, size := utf8.DecodeRuneInString(rest); r == 'ſ' { // the expression ignores case, and S is also the capital of ſ
		return at + 1 + size
	}
	return at
}

func numberEnd(s string, at int) int {
	for range 3 {
		c, size := classAt(s, at)
		if c&number == 0 {
			break
		}
		at += size
	}
	return at
}

// marksEnd returns the end of the punctuation at a position, including the line breaks and slashes that follow it.
func marksEnd(s string, at int) int {
	for {
		c, size := classAt(s, at)
		if size == 0 || c&(space|alpha|number) != 0 {
			break
		}
		at += size
	}
	for at < len(s) && (s[at] == '\r' || s[at] == '\n' || s[at] == '/') {
		at++
	}
	return at
}

// spaceEnd returns the end of the piece that begins with the white space at a position. The piece ends with the last
// line break in the white space. If the white space has no line break, is followed by text and has several characters,
// its last character belongs to the next piece.
func spaceEnd(s string, at int) int {
	start, last, lineEnd := at, at, 0
	for {
		c, size := classAt(s, at)
		if c&space == 0 {
			break
		}
		last = at
		if at += size; c&newline != 0 {
			lineEnd = at
		}
	}
	switch {
	case lineEnd > 0:
		return lineEnd
	case at < len(s) && last > start:
		return last
	}
	return at
}
