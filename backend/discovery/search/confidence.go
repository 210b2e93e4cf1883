package search

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Evidence is what a verdict on a ranking is made from.
type Evidence struct {
	Named    int     // how the best tool was named
	Words    int     // of the query that count
	Tools    int     // that there are
	Meaning  bool    // there was a meaning to compare
	Top      float64 // the best score
	Lead     float64 // ahead of the next
	Covered  float64 // what the best tool has of the query's words, of what a perfect match would have
	Lacking  float64 // the same of the words that it has not at all, the rarer the more
	Proper   float64 // share of the names in the query that the best tool has not
	Nearness float64 // of the best tool's meaning, as a share of what is usual for one that fits
	Nearer   float64 // how much nearer than that the nearest is
	Agree    bool    // words and meaning have the same best tool
	Tied     bool    // another tool was named as plainly
}

func (r *ranking) evidence() Evidence {
	top := r.best[0]
	e := Evidence{Named: r.named[top.at], Top: top.Score, Lead: top.Score, Meaning: r.nearness != nil, Words: len(contentWords(r.query)), Tools: len(r.index.documents)}
	if len(r.best) > 1 {
		e.Lead -= r.best[1].Score
		e.Tied = e.Named >= spelt && r.named[r.best[1].at] == e.Named
	}
	if r.perfect > 0 {
		e.Covered = float64(r.lexical[top.at] / r.perfect)
	}
	e.Agree = r.lexical[top.at] == r.most
	e.Lacking = r.lacking(top.at)
	e.Proper = r.proper(top.at)
	if e.Meaning {
		near := max(r.near(top.at), 0)
		nearest := max(slices.Max(r.nearness), near)
		e.Agree = e.Agree && near == nearest
		e.Nearness = float64(r.blend.scale * (near - r.blend.zero))
		e.Nearer = float64(r.blend.scale * (nearest - near))
	}
	return e
}

// lacking is the share of a query that a tool has no word of, by rarity.
func (r *ranking) lacking(tool int32) float64 {
	var lacking, all float32
	for _, p := range r.parts {
		rarity := r.index.rarityOf(0)
		if len(p.terms) > 0 {
			rarity = r.index.rarity(p.terms[0].term)
		}
		all += rarity
		if !r.has(tool, p) {
			lacking += rarity
		}
	}
	if all == 0 {
		return 1
	}
	return float64(lacking / all)
}

func (r *ranking) has(tool int32, p part) bool {
	return slices.ContainsFunc(p.terms, func(t share) bool { return r.index.worth(tool, t.term) > 0 })
}

// proper is the share of the names in a query, words with a capital that begin
// no sentence, that a tool has not.
func (r *ranking) proper(tool int32) float64 {
	var names, missing float64
	begins := true
	for _, word := range splitSpace(r.query) {
		first, _ := utf8.DecodeRuneInString(word)
		if unicode.IsUpper(first) && !begins && len(words(word)) > 0 {
			names++
			if p := r.index.part(words(word)[0], careful); !r.has(tool, p) {
				missing++
			}
		}
		last, _ := utf8.DecodeLastRuneInString(word)
		begins = last == '.' || last == '!' || last == '?' || last == ':'
	}
	return missing / max(names, 1)
}

// What a verdict takes: to be told at all, to be more than a guess, and to be
// trusted. They are chances, of one that there is a right tool, of the others
// that the best is it.
const (
	minFound  = 0.2
	minMedium = 0.45
	minHigh   = 0.76

	// maxLead is where being ahead of the next stops telling more: there may
	// be no next.
	maxLead = 0.25
)

// features are what chances are worked out from, in the order of weights.
const features = 12

func (e Evidence) features() [features]float64 {
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return [features]float64{
		e.Top, min(e.Lead, maxLead), min(e.Lead, 0.1), e.Covered, e.Lacking, e.Proper, is(e.Agree), math.Log1p(float64(min(max(e.Words, 4), 12))),
		is(e.Named >= worded), is(e.Named == mentioned || e.Named == spelt), e.Nearness, e.Nearer,
	}
}

// Features are what chances are worked out from, for whoever fits them: numbers
// from about 0 to 3, in the order of the weights. Those of meaning come last, and
// are 0 without it.
func (e Evidence) Features() []float64 {
	f := e.features()
	return f[:]
}

// chance is a logistic regression: what each feature adds to the odds.
type chance struct {
	weights [features]float64
	bias    float64
}

func (c chance) of(e Evidence) float64 {
	sum := c.bias
	for i, value := range e.features() {
		sum += c.weights[i] * value
	}
	return 1 / (1 + math.Exp(-sum))
}

// chances are that there is a right tool, and that the best is it. They were
// fitted to what the ranking does on labelled sets, each of which counts
// alike; CONTRIBUTING tells how.
type chances struct {
	any, best chance
	// few is minFound among less than minTools: they were chosen, and are more
	// often what is meant.
	few float64
}

var (
	byWords = chances{
		any:  chance{[features]float64{5.476, 9.324, -15.275, 2.454, -5.009, -1.361, 1.295, 6.005, 0.772, 2.974}, -13.36},
		best: chance{[features]float64{5.747, 10.473, -3.302, -0.156, -1.831, -0.555, -1.266, 3.753, 2.52, 4.015}, -9.665},
		few:  0.08,
	}
	byMeaning = chances{
		any:  chance{[features]float64{-6.69, 3.314, 0.126, 3.96, -4.165, -1.055, 1.054, 4.853, 1.176, 3.542, 15.838, 8.284}, -11.476},
		best: chance{[features]float64{-4.242, 7.869, 1.98, 3.98, -1.944, 0.031, 0.68, 2.52, 2.427, 4.143, 8.131, 0.745}, -7.651},
		few:  0.04,
	}
)

// verdict says whether there is a tool that fits, and how sure that the best
// one does. One word that is not a tool's name is never enough to be sure.
func (e Evidence) verdict() (bool, Confidence) {
	by := byWords
	if e.Meaning {
		by = byMeaning
	}
	best, least := by.best.of(e), minFound
	if e.Tools < minTools {
		least = by.few
	}
	switch {
	case e.Tied:
		return true, Medium
	case e.Named >= worded:
		return true, High
	case e.Words == 0 || by.any.of(e) < least && e.Named == notNamed:
		return false, ""
	case e.thin() && e.Lacking > 0.95:
		return false, ""
	case e.thin():
		return true, Low
	case best >= minHigh && (e.Words > 1 || e.Named != notNamed):
		return true, High
	case best >= minMedium:
		return true, Medium
	}
	return true, Low
}

// thin reports whether a tool stands out by next to nothing: by one word of
// many, among tools that have none.
func (e Evidence) thin() bool {
	return e.Named == notNamed && e.Words > 3 && e.Lacking > 0.8 && e.Nearness < 0.35
}
