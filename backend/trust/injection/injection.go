// Package injection finds prompt injection: sentences that order a model to do something that the user did not ask for. It
// splits normalised text into sentences, notes which sentences contain words of obligation, imperatives and names of tools,
// and compares each sentence with rules. A rule describes an order: who must do what, before or after which other tool.
//
// A rule is written with classes of words (words.txt), so that it covers variations of a wording. There are no regular
// expressions: each word is looked up once, and a rule is tried only in sentences that have a word of every class that
// it needs. The time grows in proportion to the length of the text.
package injection

import (
	"strings"
	"sync"
)

// Relation says what a name in a text refers to, seen from the tool that the text describes.
type Relation uint8

const (
	Unknown  Relation = iota
	Own               // the tool that the text describes
	Sibling           // a tool of the same server
	Foreign           // a tool of another server
	Property          // a parameter of the tool itself
)

// Names says which names in a text are those of tools and parameters. With the zero
// Names, all names are Unknown.
type Names struct {
	Own      string
	Siblings map[string]bool
	Foreign  map[string]bool
	// Property reports whether a name occurs in the definition of the tool itself, for
	// example as the name of a parameter.
	Property func(name string) bool
	// Subject has the words of the server's own name, in lower case.
	Subject map[string]bool
}

func (n Names) of(name string) Relation {
	switch {
	case name == n.Own && name != "":
		return Own
	case n.Siblings[name]:
		return Sibling
	case n.Foreign[name]:
		return Foreign
	case n.Property != nil && n.Property(name):
		return Property
	}
	return Unknown
}

// Sentence is a sentence with its properties and the rules that it matches.
type Sentence struct {
	Start, End int    // bytes of the normalised text
	Obligation bool   // has a word such as must or required
	Imperative bool   // has a verb in its base form at the beginning of a clause
	This       bool   // mentions the tool that it describes
	Sibling    bool   // mentions a tool of the same server
	Foreign    bool   // mentions a tool of another server, or one that no server lists
	Combines   bool   // says to put values together
	Words      int    // number of words
	Hits       []Hit  // the rules that it matches, each once
	Plain      string // the sentence with names, paths, addresses and numbers replaced by words
}

// Hit is a match of a rule.
type Hit struct {
	Rule       string
	Points     float64 // those of the rule, or fewer if Lowered is set
	Lowered    bool
	Start, End int // bytes of the normalised text
}

// Rules is a subset of the rules.
type Rules struct{ patterns set }

// Only returns the rules with these names.
func Only(names ...string) *Rules {
	var r Rules
	for _, name := range names {
		all := compiled().rules[name]
		r.patterns.addAll(&all)
	}
	return &r
}

// Reader reads texts. It is not safe for concurrent use; use one per goroutine.
type Reader struct {
	r     reader
	rules *program
	out   []Sentence
	plain bool
}

// NewReader returns a Reader. plain requests the field Plain of sentences, which costs
// time and which the rules do not need.
func NewReader(plain bool) *Reader {
	return &Reader{r: reader{lex: words(), classes: classesOf()}, rules: compiled(), plain: plain}
}

var classesOf = sync.OnceValue(func() classSet { return newClassSet(words()) })

// Read returns the sentences of a normalised text, which are valid until the next call.
// It applies the rules in only, or all rules if only is nil.
func (d *Reader) Read(text string, names Names, only *Rules) []Sentence {
	d.r.names = names
	var limit *set
	if only != nil {
		limit = &only.patterns
	}
	d.r.read(text)
	d.out = d.out[:0]
	for i := 1; i < len(d.r.breaks); i++ {
		d.sentence(d.r.tokens[d.r.breaks[i-1]:d.r.breaks[i]], limit)
	}
	return d.out
}

func (d *Reader) sentence(tokens []token, only *set) {
	tokens = d.r.phrases(tokens)
	d.r.mentions(tokens)
	var all mask
	var seen bloom
	s := Sentence{Start: int(tokens[0].start), End: int(tokens[len(tokens)-1].end), Words: len(tokens)}
	l := d.r.lex
	for i := range tokens {
		t := &tokens[i]
		all.add(t.mask)
		seen.add(t.word)
		if t.clause && t.form&base != 0 && t.mask.has(l.verbs) {
			s.Imperative = true
		}
	}
	c := &d.r.classes
	s.Obligation = all.has(l.oblig)
	s.Combines = all.has(l.combine)
	s.This, s.Sibling, s.Foreign = all.has(c.own) || all.has(c.this), all.has(c.sibling), all.has(c.foreign)
	s.Hits = d.apply(tokens, all, &seen, only)
	if d.plain {
		s.Plain = d.plainText(tokens)
	}
	d.out = append(d.out, s)
}

// plainText returns a sentence in which words such as "a file" replace names, paths,
// addresses and numbers, so that it depends less on the subject of the tool than on
// what the sentence does.
func (d *Reader) plainText(tokens []token) string {
	var b strings.Builder
	c := &d.r.classes
	last := int(tokens[0].start)
	for i := range tokens {
		t := &tokens[i]
		b.WriteString(d.r.text[last:t.start])
		last = int(t.end)
		switch {
		case t.mask.has(c.own):
			b.WriteString("this tool")
		case t.mask.has(c.sibling), t.mask.has(c.foreign):
			b.WriteString("another tool")
		case t.mask.has(c.secretPath):
			b.WriteString("a secret file")
		case t.mask.has(c.path):
			b.WriteString("a file")
		case t.mask.has(c.url), t.mask.has(c.host), t.mask.has(c.ip):
			b.WriteString("a web address")
		case t.mask.has(c.mail):
			b.WriteString("an email address")
		case t.mask.has(c.ident), t.mask.has(c.property):
			b.WriteString("a parameter")
		case t.mask.has(c.number):
			b.WriteString("a number")
		default:
			b.WriteString(d.r.text[t.start:t.end])
		}
	}
	return b.String()
}

// phrases joins the tokens of each phrase into one, in place, and returns the shorter
// list. It also marks tokens that begin a clause because a word such as "please"
// precedes them.
func (r *reader) phrases(tokens []token) []token {
	n := 0
	for i := 0; i < len(tokens); {
		t := tokens[i]
		size := 1
		if t.word != 0 {
			for _, p := range r.lex.words[t.word].phrases {
				if k := len(p.rest); i+k < len(tokens) && same(p.rest, tokens[i+1:i+1+k]) {
					e := &r.lex.words[p.word]
					t.word, t.mask, t.form, t.end = p.word, e.mask, e.form, tokens[i+k].end
					if t.mask == (mask{}) {
						t.mask = r.classes.word
					}
					size += k
					break
				}
			}
		}
		if n > 0 && tokens[n-1].mask.has(r.classes.lead) {
			t.clause = true
		}
		tokens[n] = t
		n++
		i += size
	}
	return tokens[:n]
}

func same(words []int32, tokens []token) bool {
	for i, word := range words {
		if tokens[i].word != word {
			return false
		}
	}
	return true
}

// mentions adds the class foreign to names that are probably names of tools.
func (r *reader) mentions(tokens []token) {
	c := &r.classes
	for i := range tokens {
		t := &tokens[i]
		if !t.mask.has(c.ident) && !t.code && !t.quoted || t.mask.has(c.sibling) || t.mask.has(c.foreign) || t.mask.has(c.own) ||
			t.mask.has(c.property) {
			continue
		}
		next := i+1 < len(tokens) && tokens[i+1].mask.has(c.tool) && !tokens[i+1].quoted
		called := i > 0 && tokens[i-1].mask.has(r.lex.strict) ||
			i > 1 && tokens[i-2].mask.has(r.lex.strict) && !tokens[i-1].mask.has(c.ident)
		switch text := r.text[t.start:t.end]; {
		case t.mask.has(c.ident):
			if letter(text[0]) && (toolName(text) || next || called && !t.mask.has(c.assigned)) {
				t.mask.add(c.foreign)
				if looksUp(text) {
					t.mask.add(c.lookup)
				}
			}
		case next && t.mask != c.path && (i == 0 || tokens[i-1].end+1 < t.start) && t.end+1 < tokens[i+1].start:
			t.mask.add(c.foreign) // the name is alone in its quotes or backticks
		}
	}
}
