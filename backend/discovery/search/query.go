package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// part is a word of a query and the terms to search for.
type part struct {
	word  string
	terms []weightedTerm
	// guesses reports whether no tool contains word, and terms are therefore words
	// that tools contain and that are similar to word. A tool then scores only for
	// the best of the terms that it contains, and not for all of them.
	guesses bool
	meant   string // the most similar word, if the query's word is a misspelling
	// perfect is the upper limit of a tool's score for the word, which a tool would
	// approach by containing the word more and more often.
	perfect float32
}

type weightedTerm struct {
	term   int32
	weight float32
}

const (
	// unknownShare is the weight of a word that no tool contains, in the score
	// of a perfect match. Such a word may express a need that no tool meets, or may
	// be superfluous.
	unknownShare      = 0.3
	abbreviationShare = 0.7
	maxParts          = 64 // words of a query that are used
	maxGuesses        = 4  // similar words for an unknown one
	// A query of at most maxCorrected words is parsed with the tolerance lenient,
	// and its misspelled words are replaced for the embedding model. In longer
	// queries, an unknown word is more often a name than a typing error.
	maxCorrected = 6
)

// parse returns the parts of a query: its words without stop words, or all
// words if there are only stop words.
func (x *index) parse(query string) []part {
	var parts []part
	content := contentWords(query)
	if all := words(query); len(content) == 0 {
		content = distinct(all[:min(len(all), maxParts)])
	}
	limits := lenient
	if len(words(query)) > maxCorrected {
		limits = strict
	}
	for _, word := range content {
		parts = append(parts, x.part(word, limits))
	}
	return parts
}

// corrected returns a query with its misspelled words replaced, for the
// embedding model, which cannot handle misspellings.
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

// contentWords returns the words of a query without stop words, each once, at
// most maxParts.
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

// part returns the part for a word of a query. s is the tolerance for misspellings.
func (x *index) part(word string, s tolerance) part {
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
		p.terms = append(p.terms, weightedTerm{g.term, (stemShare + surfaceShare) * g.likeness})
	}
	x.measure(&p)
	return p
}

// addForms adds the terms of a word to p and reports whether any tool contains
// the word.
func (x *index) addForms(p *part, f forms, weight float32) bool {
	known := x.toolCount(f.stem) > 0 || x.toolCount(f.surface) > 0
	p.terms = append(p.terms, weightedTerm{f.stem, stemShare * weight}, weightedTerm{f.surface, surfaceShare * weight})
	if f.kind >= 0 {
		p.terms = append(p.terms, weightedTerm{f.kind, kindShare * weight})
	}
	return known
}

// measure sets p.perfect and then drops terms that no tool contains.
func (x *index) measure(p *part) {
	unknown := x.idfOf(0) * unknownShare
	if p.guesses && len(p.terms) == 0 {
		p.perfect = unknown * (stemShare + surfaceShare)
	}
	for _, t := range p.terms {
		worth := unknown
		if x.toolCount(t.term) > 0 {
			worth = x.idf(t.term)
		}
		if p.guesses {
			p.perfect = max(p.perfect, t.weight*worth)
		} else {
			p.perfect += t.weight * worth
		}
	}
	p.terms = slices.DeleteFunc(p.terms, func(t weightedTerm) bool { return x.toolCount(t.term) == 0 })
}

// score adds the score of each tool to scores and returns the score of a
// perfect match.
func (x *index) score(parts []part, scores []float32) float32 {
	perfect := float32(0)
	for _, p := range parts {
		perfect += p.perfect
		if p.guesses && len(p.terms) > 1 {
			x.addBest(p, scores)
			continue
		}
		for _, t := range p.terms {
			x.add(scores, t.term, t.weight)
		}
	}
	return perfect
}

// addBest adds to each tool's score the score of its best term of p.
func (x *index) addBest(p part, scores []float32) {
	best := make(map[int32]float32)
	for _, t := range p.terms {
		for at := x.starts[t.term]; at < x.starts[t.term+1]; at++ {
			best[x.tools[at]] = max(best[x.tools[at]], t.weight*x.weights[at])
		}
	}
	for tool, worth := range best {
		scores[tool] += worth
	}
}

// guess is a known word that the user may have meant by an unknown one.
type guess struct {
	word     string
	term     int32
	likeness float32
}

// guesses returns the known words that the user may have meant by word, which no tool
// contains. They are the words of which word is a misspelling or a prefix, the most
// similar first. A correctly spelled word is never taken for a misspelling.
func (x *index) guesses(word string, s tolerance) []guess {
	if len(word) < 3 {
		return nil
	}
	v := x.vocabulary
	v.mu.RLock()
	known, sets := v.byTerm, v.letters
	v.mu.RUnlock()
	mask, spelled := letters(word), v.wellSpelled(word)
	var out []guess
	for term, set := range sets[:min(len(known), len(x.starts)-1)] {
		if bits.OnesCount64(mask^set) > 2*maxEdits && mask&^set != 0 || x.starts[term] == x.starts[term+1] {
			continue // the words differ in too many letters and word is no prefix, or no tool contains the known word
		}
		w := known[term]
		if w == "" {
			continue
		}
		if likeness := likeness(word, w, mask, s); likeness > 0 && (!spelled || likeness == prefixLikeness) {
			out = append(out, guess{w, int32(term), likeness})
		}
	}
	slices.SortFunc(out, func(a, b guess) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(x.toolCount(b.term), x.toolCount(a.term)),
			cmp.Compare(a.word, b.word))
	})
	return out[:min(len(out), maxGuesses)]
}
