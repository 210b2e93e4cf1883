package injection

import (
	"math/bits"
	"strings"
	"sync"
)

// program is the compiled rules. The patterns are numbered. A sentence is compared only
// with those patterns whose rarest element matches one of its words.
type program struct {
	patterns []ranked
	byWord   []*set         // by index of the word in the lexicon; nil for none
	byClass  map[uint]set   // by number of a class that the reader assigns
	reader   mask           // the classes that the reader assigns
	rules    map[string]set // the patterns of each rule
}

// ranked is a pattern with its rule.
type ranked struct {
	pattern
	rule   string
	points float64
}

// set is a set of patterns.
type set [14]uint64

func (s *set) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s *set) addAll(o *set) {
	for i := range s {
		s[i] |= o[i]
	}
}

var compiled = sync.OnceValue(func() *program {
	l := words()
	p := &program{byWord: make([]*set, len(l.words)), byClass: make(map[uint]set), rules: make(map[string]set)}
	for _, class := range tokenClasses {
		p.reader.add(l.classes[class])
	}
	for _, source := range ruleTable {
		for _, text := range source.patterns {
			n := len(p.patterns)
			if n >= 64*len(set{}) {
				panic("injection: more patterns than a set can hold")
			}
			one := ranked{rule: source.name, points: source.points}
			for side := range strings.SplitSeq(text, " & ") {
				one.parts = append(one.parts, compilePart(l, side))
			}
			p.patterns = append(p.patterns, one)
			all := p.rules[source.name]
			all.add(n)
			p.rules[source.name] = all
			p.index(l, n)
		}
	}
	return p
})

// index records which words and classes of a sentence make pattern n a candidate.
func (p *program) index(l *lexicon, n int) {
	var rarest *need
	for i := range p.patterns[n].parts {
		if need := &p.patterns[n].parts[i].needs[0]; rarest == nil || need.size < rarest.size {
			rarest = need
		}
	}
	for i := range l.words {
		if l.words[i].mask.has(rarest.classes) {
			p.note(int32(i), n)
		}
	}
	for _, word := range rarest.list {
		p.note(word, n)
	}
	for class := range uint(128) {
		one := mask{}
		one[class/64] = 1 << (class % 64)
		if p.reader.has(one) && rarest.classes.has(one) {
			all := p.byClass[class]
			all.add(n)
			p.byClass[class] = all
		}
	}
}

func (p *program) note(word int32, n int) {
	if p.byWord[word] == nil {
		p.byWord[word] = new(set)
	}
	p.byWord[word].add(n)
}

// candidates returns the patterns that a sentence may match.
func (p *program) candidates(tokens []token, classes mask) (found set) {
	for i := range tokens {
		if s := p.byWord[tokens[i].word]; s != nil {
			found.addAll(s)
		}
	}
	for i, word := range (mask{classes[0] & p.reader[0], classes[1] & p.reader[1]}) {
		for ; word != 0; word &= word - 1 {
			if s, ok := p.byClass[uint(i*64+bits.TrailingZeros64(word))]; ok {
				found.addAll(&s)
			}
		}
	}
	return found
}

// apply compares a sentence with the rules and returns the strongest match of each
// rule. It tries only the patterns in only, or all patterns if only is nil.
func (d *Reader) apply(tokens []token, classes mask, words *bloom, only *set) (hits []Hit) {
	try := d.rules.candidates(tokens, classes)
	for i := range try {
		rest := try[i]
		if only != nil {
			rest &= only[i]
		}
		for ; rest != 0; rest &= rest - 1 {
			p := &d.rules.patterns[i*64+bits.TrailingZeros64(rest)]
			at, ok := p.hit(tokens, classes, words)
			if !ok {
				continue
			}
			points, lowered := p.points, false
			if most := d.lowering(p.rule, tokens, at.first, at.end); most < points {
				points, lowered = most, true
			}
			if points > 0 {
				hits = strongerHit(hits, Hit{p.rule, points, lowered, int(tokens[at.first].start), int(tokens[at.end-1].end)})
			}
		}
	}
	return hits
}

// strongerHit adds a match to a list that keeps the strongest of each rule.
func strongerHit(hits []Hit, hit Hit) []Hit {
	for i := range hits {
		if hits[i].Rule == hit.Rule {
			if hit.Points > hits[i].Points {
				hits[i] = hit
			}
			return hits
		}
	}
	return append(hits, hit)
}

// place is a range of tokens.
type place struct{ first, end int }

// hit reports whether a sentence matches all parts of a pattern, and returns the place
// of the first part.
func (p *pattern) hit(tokens []token, classes mask, words *bloom) (whole place, ok bool) {
	for i := range p.parts {
		if !p.parts[i].possible(classes, words) {
			return place{}, false
		}
	}
	for i := range p.parts {
		first, end, found := p.parts[i].find(tokens, 0)
		if !found {
			return place{}, false
		}
		if i == 0 {
			whole = place{first, end}
		}
	}
	return whole, true
}
