// Package normalize reveals what a model reads in a text and people do not see: it
// normalises texts for comparison, finds hidden characters and words of mixed scripts,
// and decodes the texts that hidden characters, base64, hexadecimal and percent
// encodings contain. Package injection interprets the texts.
package normalize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text is a normalised text that remembers where its bytes come from.
type Text struct {
	S  string  // the normalised text
	at []int32 // for each byte of S, its offset in the original; nil if S is the original
	n  int     // length of the original
}

// Raw returns the offset in the original text that corresponds to the offset i in S.
func (t Text) Raw(i int) int {
	switch {
	case t.at == nil:
		return i
	case i >= len(t.at):
		return t.n
	}
	return int(t.at[i])
}

// Of normalises a text for matching: NFKC, without characters that have no shape,
// with look-alikes of Latin letters in words of mixed scripts replaced by these
// letters, with straight quotes and plain spaces. It does not change letter case,
// because names of tools depend on it.
func Of(s string) Text {
	first := firstSpecial(s)
	if first < 0 {
		return Text{S: s, n: len(s)}
	}
	b := builder{out: make([]byte, 0, len(s)), at: make([]int32, 0, len(s))}
	b.copy(s, 0, first)
	for i := first; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
			b.copy(s, i, i+1)
			i++
			continue
		}
		i = b.segment(s, i)
	}
	unmix(&b)
	return Text{S: string(b.out), at: b.at, n: len(s)}
}

// firstSpecial returns the offset of the first byte that Of may change, or -1.
func firstSpecial(s string) int {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return max(0, i-1) // the character before may combine with this one
		}
	}
	return -1
}

// builder collects a normalised text.
type builder struct {
	out []byte
	at  []int32
}

func (b *builder) copy(s string, from, to int) {
	for i := from; i < to; i++ {
		if c := s[i]; c >= ' ' || c == '\n' || c == '\t' || c == '\r' {
			b.out = append(b.out, c)
			b.at = append(b.at, int32(i))
		}
	}
}

func (b *builder) add(text string, from int) {
	for i := range len(text) {
		b.out = append(b.out, text[i])
		b.at = append(b.at, int32(from))
	}
}

// segment normalises the characters at i that must be normalised together, adds
// the result, and returns the offset after them.
func (b *builder) segment(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && size <= 1 {
		b.add("\uFFFD", i)
		return i + 1
	}
	if invisible(r) {
		return i + size
	}
	if plain, ok := punctuation[r]; ok {
		b.add(plain, i)
		return i + size
	}
	end := norm.NFKC.NextBoundaryInString(s[i:], true)
	if end <= 0 || end > maxSegment {
		end = size
	}
	for _, r := range norm.NFKC.String(s[i : i+end]) {
		switch plain, ok := punctuation[r]; {
		case invisible(r):
		case ok:
			b.add(plain, i)
		case unicode.Is(unicode.Zs, r):
			b.add(" ", i)
		default:
			b.add(string(r), i)
		}
	}
	return i + end
}

// maxSegment limits how many bytes of combining characters are normalised at once.
const maxSegment = 256

// invisible reports whether a character has no shape and separates nothing.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f
}

// punctuation maps typographic punctuation to ASCII.
var punctuation = map[rune]string{
	'‘': "'", '’': "'", '‛': "'", '′': "'", '`': "`", '´': "'", '“': `"`, '”': `"`, '„': `"`, '‟': `"`, '″': `"`, '«': `"`, '»': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': " - ", '−': "-", '…': "...", '•': "\n-", '‣': "\n-", '▪': "\n-", '●': "\n-", '◦': "\n-",
	'\u2028': "\n", '\u2029': "\n", '\u0085': "\n", '。': ". ", '！': "! ", '？': "? ", '；': "; ", '，': ", ", '：': ": ", '→': " -> ",
}

// unmix replaces look-alikes of Latin letters in words that also have Latin
// letters.
func unmix(b *builder) {
	mixed := false
	words(b.out, func(from, to int) {
		mixed = mixed || mixedWord(b.out[from:to])
	})
	if !mixed {
		return
	}
	in, at := string(b.out), b.at
	out := builder{out: make([]byte, 0, len(in)), at: make([]int32, 0, len(in))}
	last := 0
	keep := func(from, to int) {
		out.out = append(out.out, in[from:to]...)
		out.at = append(out.at, at[from:to]...)
	}
	words([]byte(in), func(from, to int) {
		if !mixedWord([]byte(in[from:to])) {
			return
		}
		keep(last, from)
		for i, r := range in[from:to] {
			plain, ok := lookalikes[r]
			if !ok {
				plain = r
			}
			out.add(string(plain), int(at[from+i]))
		}
		last = to
	})
	keep(last, len(in))
	*b = out
}

// Mixed returns the ranges of the words of a normalised or raw text that have Latin
// letters and look-alikes of Latin letters from other scripts. To people such a word
// looks like another one.
func Mixed(s string) [][2]int {
	if firstSpecial(s) < 0 {
		return nil
	}
	var found [][2]int
	words([]byte(s), func(from, to int) {
		if mixedWord([]byte(s[from:to])) {
			found = append(found, [2]int{from, to})
		}
	})
	return found
}

// words calls do with the range of each run of letters, digits and underscores.
func words(s []byte, do func(from, to int)) {
	start := -1
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s[i:])
		}
		switch in := r == '_' || r < utf8.RuneSelf && isAlnum(byte(r)) ||
			r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r)); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			do(start, i)
			start = -1
		}
		i += size
	}
	if start >= 0 {
		do(start, len(s))
	}
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// mixedWord reports whether a word has Latin letters and look-alikes of them. Words
// whose foreign letters mostly resemble no Latin letter, such as formulas with π, do
// not count.
func mixedWord(w []byte) bool {
	latin, alike, other := 0, 0, 0
	for i := 0; i < len(w); {
		if w[i] < utf8.RuneSelf {
			if w[i]|0x20 >= 'a' && w[i]|0x20 <= 'z' {
				latin++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(w[i:])
		i += size
		switch _, ok := lookalikes[r]; {
		case ok:
			alike++
		case unicode.Is(unicode.Latin, r):
			latin++
		default:
			other++
		}
	}
	return latin > 0 && alike > 0 && other <= alike
}

// Skeleton returns a name without differences that people overlook or that serve to
// pass a name off as another: letter case, look-alikes such as 1 and l, separators, and
// endings such as _v2, _new and _secure.
func Skeleton(name string) string {
	s := strings.ToLower(FoldLookalikes(name))
	for cut := true; cut; {
		cut = false
		for _, end := range copyEndings {
			if base, ok := strings.CutSuffix(s, end); ok && len(base) > 2 && strings.ContainsRune("_-. ", rune(end[0])) {
				s, cut = base, true
			}
		}
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ':
			return -1
		case '1', 'i', '|':
			return 'l'
		case '0':
			return 'o'
		}
		return r
	}, s)
}

// copyEndings are endings of names that make a copy of a tool look like a newer or
// better one.
var copyEndings = []string{
	"_v1", "_v2", "_v3", "_v4", "-v1", "-v2", "-v3", "-v4", "_new", "-new", "_secure", "-secure", "_safe", "-safe", "_pro", "-pro",
	"_plus", "-plus", "_fast", "-fast", "_enhanced", "-enhanced", "_improved", "-improved", "_official", "-official", "_fixed", "-fixed",
	"_latest", "-latest", "_2", "-2", "_updated", "-updated", "_verified", "-verified", "_trusted", "-trusted", "_better", "-better",
}

// FoldLookalikes returns s in NFKC without invisible characters, with every
// look-alike of a Latin letter replaced by that letter, also in words of one script.
func FoldLookalikes(s string) string {
	if firstSpecial(s) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if plain, ok := lookalikes[r]; ok {
			return plain
		}
		if invisible(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}
