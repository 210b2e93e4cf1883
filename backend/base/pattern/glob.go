package pattern

import (
	"strings"
	"unicode/utf8"
)

// glob is a parsed glob: a sequence of parts that match a name from its start to its
// end.
type glob []part

// part matches any sequence of characters, one character, or a literal text.
type part struct {
	kind partKind
	text string // the text of a literal
	set  []span // the characters of oneOf and noneOf
}

type partKind byte

const (
	literal partKind = iota
	anything
	one
	oneOf
	noneOf
)

type span struct{ from, to rune }

func parseGlob(text string) (matcher, *Error) {
	var g glob
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			g = append(g, part{kind: literal, text: plain.String()})
			plain.Reset()
		}
	}
	for at := 0; at < len(text); at++ {
		switch c := text[at]; c {
		case '*':
			if flush(); len(g) == 0 || g[len(g)-1].kind != anything {
				g = append(g, part{kind: anything})
			}
		case '?':
			flush()
			g = append(g, part{kind: one})
		case '[':
			flush()
			p, end, err := parseSet(text, at)
			if err != nil {
				return nil, err
			}
			g, at = append(g, p), end
		case '{', '}':
			return nil, errorAt(at, `globs have no "{a,b}"; write a pattern for each, or a regular expression between slashes`)
		case '\\':
			if at++; at == len(text) {
				return nil, errorAt(at-1, `a character must follow "\"`)
			}
			plain.WriteByte(text[at])
		default:
			plain.WriteByte(c)
		}
	}
	flush()
	return g.quick(), nil
}

// parseSet parses the set that begins at a "[" and returns the position of its "]".
func parseSet(text string, start int) (p part, end int, err *Error) {
	p.kind = oneOf
	at := start + 1
	if at < len(text) && (text[at] == '!' || text[at] == '^') {
		p.kind = noneOf
		at++
	}
	for first := true; at < len(text) && (text[at] != ']' || first); first = false {
		from, next, ok := setCharacter(text, at)
		if !ok {
			break
		}
		to := from
		if strings.HasPrefix(text[next:], "-") && next+1 < len(text) && text[next+1] != ']' {
			if to, next, ok = setCharacter(text, next+1); !ok {
				break
			}
		}
		if to < from {
			return p, 0, errorAt(at, "the range %c-%c is empty", from, to)
		}
		p.set, at = append(p.set, span{from, to}), next
	}
	if at >= len(text) || text[at] != ']' {
		return p, 0, errorAt(start, `"[" has no closing "]"`)
	}
	return p, at, nil
}

func setCharacter(text string, at int) (r rune, next int, ok bool) {
	if text[at] == '\\' {
		at++
	}
	if at >= len(text) {
		return 0, at, false
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	return r, at + size, true
}

// quick returns a faster matcher for the commonest kinds of globs, and g for all others.
func (g glob) quick() matcher {
	kinds := ""
	text := ""
	for _, p := range g {
		kinds += string("l*???"[p.kind])
		text += p.text
	}
	switch kinds {
	case "l":
		return whole(text)
	case "l*":
		return prefix(text)
	case "*l":
		return suffix(text)
	case "*l*":
		return inside(text)
	}
	return g
}

type (
	whole  string
	prefix string
	suffix string
	inside string
)

func (w whole) matches(n Name) bool  { return n.text == string(w) }
func (p prefix) matches(n Name) bool { return strings.HasPrefix(n.text, string(p)) }
func (s suffix) matches(n Name) bool { return strings.HasSuffix(n.text, string(s)) }
func (i inside) matches(n Name) bool { return strings.Contains(n.text, string(i)) }

// matches tries the parts in turn. After a mismatch it only goes back to the last *,
// which then matches one more character. Going back to an earlier * would find no
// further match.
func (g glob) matches(n Name) bool {
	name := n.text
	star, resume := -1, ""
	at := 0
	for {
		if at == len(g) && name == "" {
			return true
		}
		if at < len(g) {
			if g[at].kind == anything {
				star, resume = at, name
				at++
				continue
			}
			if rest, ok := g[at].take(name); ok {
				name = rest
				at++
				continue
			}
		}
		if star < 0 || resume == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(resume)
		resume = resume[size:]
		name, at = resume, star+1
	}
}

// take removes what a part matches from the start of a name.
func (p *part) take(name string) (rest string, ok bool) {
	if p.kind == literal {
		return strings.CutPrefix(name, p.text)
	}
	if name == "" {
		return "", false
	}
	r, size := utf8.DecodeRuneInString(name)
	if p.kind != one {
		in := false
		for _, s := range p.set {
			in = in || s.from <= r && r <= s.to
		}
		if in != (p.kind == oneOf) {
			return "", false
		}
	}
	return name[size:], true
}
