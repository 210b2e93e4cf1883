package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// part is one word of a query and the terms by which tools are looked for.
type part struct {
	word  string
	terms []share
	// guesses says that the word itself is unknown and the terms are words
	// that may have been meant: a tool gets the best of them, not all.
	guesses bool
	meant   string // the likeliest of them, where the word is only misspelt
	// perfect is what a tool would get in which the word stood without end.
	perfect float32
}

type share struct {
	term int32
	of   float32
}

const (
	// unknownShare is what a word that no tool holds counts for: it tells that
	// something was asked for which is not here, or only that people say more
	// than they need to.
	unknownShare      = 0.3
	abbreviationShare = 0.7
	maxParts          = 64 // words of a query that are looked at
	maxGuesses        = 4
	// maxCorrected is the words of a query that is corrected: in a sentence an
	// unknown word is more often a name than a slip.
	maxCorrected = 6
)

// parse takes a query apart into the words that count; all of them when none
// carries intent.
func (x *index) parse(query string) []part {
	var parts []part
	counts := contentWords(query)
	if all := words(query); len(counts) == 0 {
		counts = distinct(all[:min(len(all), maxParts)])
	}
	spelt := sloppy
	if len(words(query)) > maxCorrected {
		spelt = careful
	}
	for _, word := range counts {
		parts = append(parts, x.part(word, spelt))
	}
	return parts
}

// corrected is a query without its misspellings, for who knows no words that
// are spelt wrong.
func corrected(query string, parts []part) string {
	meant := make(map[string]string)
	for _, p := range parts {
		if p.meant != "" {
			meant[p.word] = p.meant
		}
	}
	all := words(query)
	if len(meant) == 0 || len(all) > maxCorrected {
		return query
	}
	for i, w := range all {
		all[i] = cmp.Or(meant[w], w)
	}
	return strings.Join(all, " ")
}

// contentWords returns the words of a query that carry intent, each once.
func contentWords(query string) []string {
	all := words(query)
	var out []string
	for _, w := range all {
		if len(out) < maxParts && !stopWords[w] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func (x *index) part(word string, s spelling) part {
	p := part{word: word}
	known := x.addForms(&p, x.vocabulary.lookup(word), 1)
	for _, long := range words(abbreviations[word]) {
		known = x.addForms(&p, x.vocabulary.lookup(long), abbreviationShare) || known
	}
	if known {
		x.measure(&p)
		return p
	}
	p.guesses = true
	for i, g := range x.guesses(word, s) {
		if i == 0 && g.likeness != prefixLikeness {
			p.meant = g.word
		}
		p.terms = append(p.terms, share{g.term, (stemShare + surfaceShare) * g.likeness})
	}
	x.measure(&p)
	return p
}

// addForms adds the terms of a word and reports whether a tool holds it.
func (x *index) addForms(p *part, f forms, weight float32) bool {
	known := x.holders(f.stem) > 0 || x.holders(f.surface) > 0
	p.terms = append(p.terms, share{f.stem, stemShare * weight}, share{f.surface, surfaceShare * weight})
	if f.kind >= 0 {
		p.terms = append(p.terms, share{f.kind, kindShare * weight})
	}
	return known
}

// measure works out what a perfect match would get, and drops terms that no
// tool holds.
func (x *index) measure(p *part) {
	unknown := x.rarityOf(0) * unknownShare
	if p.guesses && len(p.terms) == 0 {
		p.perfect = unknown * (stemShare + surfaceShare)
	}
	for _, t := range p.terms {
		worth := unknown
		if x.holders(t.term) > 0 {
			worth = x.rarity(t.term)
		}
		if p.guesses {
			p.perfect = max(p.perfect, t.of*worth)
		} else {
			p.perfect += t.of * worth
		}
	}
	p.terms = slices.DeleteFunc(p.terms, func(t share) bool { return x.holders(t.term) == 0 })
}

// score adds what the words of a query are worth to each tool and returns what
// a perfect match would get.
func (x *index) score(parts []part, scores []float32) float32 {
	perfect := float32(0)
	for _, p := range parts {
		perfect += p.perfect
		if p.guesses && len(p.terms) > 1 {
			x.addBest(p, scores)
			continue
		}
		for _, t := range p.terms {
			x.add(scores, t.term, t.of)
		}
	}
	return perfect
}

// addBest adds the best of a part's terms to each tool.
func (x *index) addBest(p part, scores []float32) {
	best := make(map[int32]float32)
	for _, t := range p.terms {
		for at := x.starts[t.term]; at < x.starts[t.term+1]; at++ {
			best[x.tools[at]] = max(best[x.tools[at]], t.of*x.worths[at])
		}
	}
	for tool, worth := range best {
		scores[tool] += worth
	}
}

// guess is a known word that may have been meant by an unknown one.
type guess struct {
	word     string
	term     int32
	likeness float32
}

// guesses returns the known words that are spelt almost like an unknown one or
// begin with it, the likeliest first.
func (x *index) guesses(word string, s spelling) []guess {
	if len(word) < 3 {
		return nil
	}
	v := x.vocabulary
	v.mu.RLock()
	known, sets := v.byTerm, v.letters
	v.mu.RUnlock()
	mask := letters(word)
	var out []guess
	for term, set := range sets[:min(len(known), len(x.starts)-1)] {
		if bits.OnesCount64(mask^set) > 2*maxEdits && mask&^set != 0 || x.starts[term] == x.starts[term+1] {
			continue // too many other letters, and not its beginning
		}
		w := known[term]
		if w == "" {
			continue
		}
		if likeness := likeness(word, w, mask, s); likeness > 0 {
			out = append(out, guess{w, int32(term), likeness})
		}
	}
	slices.SortFunc(out, func(a, b guess) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(x.holders(b.term), x.holders(a.term)), cmp.Compare(a.word, b.word))
	})
	return out[:min(len(out), maxGuesses)]
}
