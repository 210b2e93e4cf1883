package injection

import (
	"slices"
	"strconv"
	"strings"
)

// A pattern describes sentences. It is written in this grammar, in the notation of the Go specification:
//
//	pattern = part { " & " part } .
//	part    = element { " " element } .
//	element = { gap " " | mark " " } [ "?" ] [ "^" ] choice .
//	gap     = "~" number .
//	mark    = "," | ":" .
//	choice  = one { "|" one } .
//	one     = "*" | "@" class [ "!" | "+" ] | word .
//
// A sentence matches a pattern if it matches every part, anywhere in the sentence and in any order. The match has the
// place of the first part. A sentence matches a part if its tokens match the elements one after another:
//
//	word      this word or phrase, in any letter case; an underscore stands for a space
//	@class    a word of this class of words.txt, or a token that the reader assigns to it, such as @url (tokenClasses)
//	@class!   the same, in its base form only: send, not sends or sending
//	@class+   the same, in any form but the base form
//	*         any token
//	a|@b      a or @b; ! or + after one class applies to all classes of the choice
//	?a        a may be missing
//	^a        a begins a clause
//	~3 a      up to three tokens may precede a
//	, a       a comma precedes a
//	: a       a colon or dash precedes a
//
// The first element of a part matches wherever it occurs, so a gap before it has no effect. A part must have at least
// one element that is neither optional nor *.
type pattern struct{ parts []part }

// part is a sequence of elements that match one after another.
type part struct {
	elements []element
	needs    []need // a sentence must have all of them
}

// need is a condition that a sentence must meet for an element to match: it has a word of one of the classes, or one of
// the words in list.
type need struct {
	classes mask
	words   bloom
	list    []int32 // the words in the Bloom filter
	size    int     // how many words satisfy the need
}

// bloom is a Bloom filter of words: has may also return true for words that were not added.
type bloom [4]uint64

func (b *bloom) add(word int32) { b[word>>6&3] |= 1 << (word & 63) }

func (b *bloom) has(o *bloom) bool { return b[0]&o[0]|b[1]&o[1]|b[2]&o[2]|b[3]&o[3] != 0 }

type element struct {
	classes  mask
	words    []int32
	forms    form // the forms that match; 0 for all
	gap      int  // how many tokens may precede it
	any      bool // matches any token
	optional bool
	clause   bool // begins a clause
	comma    bool // follows a comma
	colon    bool // follows a colon
}

// literals returns the words and phrases that a pattern contains literally.
func literals(text string) []string {
	var list []string
	for field := range strings.FieldsSeq(text) {
		for alternative := range strings.SplitSeq(strings.TrimLeft(field, "?^"), "|") {
			if alternative != "" && !strings.ContainsAny(alternative[:1], "@~&,:*") {
				list = append(list, alternative)
			}
		}
	}
	return list
}

func compilePart(l *lexicon, text string) part {
	var p part
	var next element
	for field := range strings.FieldsSeq(text) {
		switch {
		case field[0] == '~':
			next.gap, _ = strconv.Atoi(field[1:])
			continue
		case field == ",":
			next.comma = true
			continue
		case field == ":":
			next.colon = true
			continue
		}
		rest := strings.TrimLeft(field, "?^")
		next.optional = strings.Contains(field[:len(field)-len(rest)], "?")
		next.clause = strings.Contains(field[:len(field)-len(rest)], "^")
		for alternative := range strings.SplitSeq(rest, "|") {
			switch {
			case alternative == "*":
				next.any = true
			case strings.HasPrefix(alternative, "@"):
				name := strings.TrimRight(alternative[1:], "!+")
				switch alternative[1+len(name):] {
				case "!":
					next.forms = base
				case "+":
					next.forms = third | past | gerund
				}
				next.classes.add(l.mustClass(name))
			default:
				next.words = append(next.words, l.index[strings.ReplaceAll(alternative, "_", " ")])
			}
		}
		if !next.optional && !next.any {
			n := need{classes: next.classes, list: next.words, size: len(next.words)}
			for i := range l.words {
				if l.words[i].mask.has(next.classes) {
					n.size++
				}
			}
			for _, word := range next.words {
				n.words.add(word)
			}
			p.needs = append(p.needs, n)
		}
		p.elements = append(p.elements, next)
		next = element{}
	}
	// Check the rarest words first.
	slices.SortStableFunc(p.needs, func(a, b need) int { return a.size - b.size })
	return p
}

// matches reports whether a token is what the element describes.
func (e *element) matches(t *token) bool {
	if e.clause && !t.clause || e.comma && !t.comma || e.colon && !t.colon {
		return false
	}
	if e.any || t.mask.has(e.classes) && (e.forms == 0 || t.form == 0 || t.form&e.forms != 0) {
		return true
	}
	return slices.Contains(e.words, t.word)
}

// find returns the first place in a sentence where the part matches, as indexes of
// its first token and of the token after its last.
func (p *part) find(tokens []token, from int) (first, end int, ok bool) {
	for i := from; i < len(tokens); i++ {
		if !p.elements[0].matches(&tokens[i]) {
			continue
		}
		if end, ok := match(p.elements[1:], tokens, i+1); ok {
			return i, end, true
		}
	}
	return 0, 0, false
}

func match(elements []element, tokens []token, at int) (end int, ok bool) {
	if len(elements) == 0 {
		return at, true
	}
	e := &elements[0]
	for skip := 0; skip <= e.gap && at+skip < len(tokens); skip++ {
		if e.matches(&tokens[at+skip]) {
			if end, ok := match(elements[1:], tokens, at+skip+1); ok {
				return end, true
			}
		}
	}
	if e.optional {
		return match(elements[1:], tokens, at)
	}
	return 0, false
}

// possible reports whether a sentence with these classes and words may match.
func (p *part) possible(classes mask, words *bloom) bool {
	for i := range p.needs {
		if n := &p.needs[i]; !classes.has(n.classes) && !words.has(&n.words) {
			return false
		}
	}
	return true
}
