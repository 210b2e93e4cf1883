package normalize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind names a way to hide text.
type Kind string

const (
	Tags       Kind = "tag characters"
	Selectors  Kind = "variation selectors"
	Directions Kind = "bidirectional controls"
	ZeroWidth  Kind = "zero-width characters"
	Controls   Kind = "control characters"
	PrivateUse Kind = "private-use characters"
	FarText    Kind = "text far out of sight"
)

// Mark is a part of a text that a model reads, but that people do not see or see
// differently.
type Mark struct {
	Kind       Kind
	Start, End int    // bytes of the text
	Certain    bool   // ordinary text does not contain such a part
	Decoded    string // the text that the hidden characters encode or reverse; empty if it is not readable
}

const (
	zeroWidthRun  = 8 // the number of zero-width characters in a row from which a text is not ordinary
	selectorRun   = 3
	emptyLines    = 12 // line ends in a row after which text is out of sight
	farSpaces     = 120
	flagTags      = 8 // tag characters in the longest emoji of a flag, including the one that ends it
	decodedAtMost = 4 << 10
)

// Hidden returns the parts of a text that are hidden from people. A part that white space pushes out of sight comes
// first, and the others follow in the order of their positions.
func Hidden(s string) []Mark {
	special, far := mayHide(s)
	if !special && !far {
		return nil
	}
	var marks []Mark
	if far {
		marks = farText(s)
	}
	if !special {
		return marks
	}
	for i := 0; i < len(s); {
		if s[i] >= ' ' && s[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		class := classOf(r)
		if class == "" {
			i += size
			continue
		}
		end := runEnd(s, i, class)
		if class == Controls {
			end = i + size
		}
		if m, ok := judgeRun(s, i, end, class); ok {
			marks = append(marks, m)
			end = max(end, m.End)
		}
		i = end
	}
	return marks
}

// mayHide reports quickly whether a text has special characters, and whether it
// has white space that may push text out of sight.
func mayHide(s string) (special, far bool) {
	blank, lines := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c > ' ' && c < 0x7f:
			blank, lines = 0, 0
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			if c == '\n' {
				lines++
			}
			blank++
			far = far || blank >= farSpaces || lines > emptyLines
		default:
			special = true
			blank, lines = 0, 0
		}
	}
	return special, far
}

// classOf returns the kind of hiding for which a character can be used, or "" for an
// ordinary character.
func classOf(r rune) Kind {
	switch {
	case r >= 0xE0000 && r <= 0xE007F:
		return Tags
	case r >= 0xE0100 && r <= 0xE01EF, r >= 0xFE00 && r <= 0xFE0F:
		return Selectors
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return Directions
	case r == 0xFEFF, r == 0x00AD, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x2800, r == 0x180E:
		return ZeroWidth
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return ""
	case r < ' ', r >= 0x7f && r < 0xA0:
		return Controls
	case unicode.Is(unicode.Co, r):
		return PrivateUse
	case unicode.Is(unicode.Cf, r):
		return ZeroWidth
	}
	return ""
}

// runEnd returns the end of the run of characters of a kind that begins at i.
func runEnd(s string, i int, kind Kind) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if classOf(r) != kind {
			break
		}
		i += size
	}
	return i
}

// judgeRun returns the mark for a run of characters of one kind, and false if the run is
// ordinary where it occurs.
func judgeRun(s string, from, to int, kind Kind) (Mark, bool) {
	m := Mark{Kind: kind, Start: from, End: to}
	count := utf8.RuneCountInString(s[from:to])
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	switch kind {
	case Tags:
		if before == '\U0001F3F4' && count <= flagTags && strings.HasSuffix(s[from:to], "\U000E007F") {
			return m, false
		}
		m.Certain, m.Decoded = true, tagText(s[from:to])
	case Selectors:
		m.Certain = count >= selectorRun ||
			strings.ContainsFunc(s[from:to], func(r rune) bool { return r >= 0xE0100 }) && !unicode.Is(unicode.Han, before)
		m.Decoded = selectorText(s[from:to])
		return m, m.Certain
	case Directions:
		m.Certain, m.Decoded = true, reversed(s, to)
	case ZeroWidth:
		if from == 0 && s[from:to] == "\uFEFF" {
			return m, false // byte order mark
		}
		m.Certain = count >= zeroWidthRun || latinLetter(before) && latinLetter(after) && !softHyphen(s[from:to])
		m.Decoded = bitText(s[from:to])
		return m, m.Certain || !needsJoiner(before) && !softHyphen(s[from:to])
	case Controls:
		m.Certain = true
		m.End = escapeEnd(s, from, to)
	case PrivateUse:
		m.Decoded = privateText(s[from:to])
	}
	return m, true
}

func latinLetter(r rune) bool { return unicode.Is(unicode.Latin, r) }

// softHyphen reports whether a run is one soft hyphen, which texts copied from
// documents have between letters.
func softHyphen(run string) bool { return run == "\u00AD" }

// needsJoiner reports whether joiners and marks of direction are ordinary after r.
func needsJoiner(r rune) bool {
	switch {
	case r <= unicode.MaxLatin1:
		return false
	case r == '\uFE0F', unicode.In(r, unicode.So, unicode.Sk):
		return true
	}
	return !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common, unicode.Inherited)
}

// escapeEnd returns the end of the terminal sequence that begins with the control
// character at from.
func escapeEnd(s string, from, to int) int {
	if s[from] != 0x1b || to >= len(s) || s[to] != '[' {
		return to
	}
	for i := to + 1; i < len(s) && i < to+24; i++ {
		if c := s[i]; c >= 0x40 && c <= 0x7e {
			return i + 1
		}
	}
	return to
}

// Conceals reports whether a mark is a terminal sequence that makes text invisible.
func Conceals(s string, m Mark) bool {
	seq := s[m.Start:m.End]
	if m.Kind != Controls || !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
		return false
	}
	for code := range strings.SplitSeq(seq[2:len(seq)-1], ";") {
		if code == "8" || code == "08" {
			return true
		}
	}
	return false
}

// farText returns a mark for the rest of a text after the first white space that pushes
// it out of sight, if there is such white space.
func farText(s string) []Mark {
	var marks []Mark
	for i := 0; i < len(s); {
		if s[i] > ' ' {
			i++
			continue
		}
		end, lines := i, 0
		for end < len(s) && (s[end] == ' ' || s[end] == '\t' || s[end] == '\r' || s[end] == '\n') {
			if s[end] == '\n' {
				lines++
			}
			end++
		}
		if end < len(s) && i > 0 && (lines > emptyLines || lines == 0 && end-i >= farSpaces) {
			marks = append(marks, Mark{Kind: FarText, Start: end, End: len(s)})
			return marks
		}
		i = max(end, i+1)
	}
	return marks
}
