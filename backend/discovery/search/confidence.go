package search

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Evidence describes the best hit of a ranking, as the basis of Result.Found
// and Result.Confidence.
type Evidence struct {
	named         int     // how the query names the best tool
	words         int     // number of content words in the query
	tools         int     // number of tools in the catalog
	meaning       bool    // vectors were compared
	top           float64 // the best score
	lead          float64 // the best score minus the second best
	covered       float64 // word score of the best tool, as a share of a perfect match's
	missing       float64 // share of the query's words that the best tool lacks, weighted by idf
	missingNames  float64 // share of the capitalized names in the query that the best tool lacks
	similarity    float64 // scaled cosine of the best tool
	similarityGap float64 // largest scaled cosine minus similarity
	agree         bool    // the best tool is also the best by words, and by vectors if compared
	tied          bool    // the query names another tool in the same way
}

// evidence returns the evidence about the best hit.
func (r *ranking) evidence() Evidence {
	top := r.best[0]
	e := Evidence{
		named: r.named[top.at], top: top.Score, lead: top.Score, meaning: r.similarities != nil, words: len(contentWords(r.asked.meaning)),
		tools: len(r.index.documents),
	}
	if len(r.best) > 1 {
		e.lead -= r.best[1].Score
		e.tied = e.named >= misspelled && r.named[r.best[1].at] == e.named
	}
	if r.perfect > 0 {
		e.covered = float64(r.lexical[top.at] / r.perfect)
	}
	e.agree = r.lexical[top.at] == r.bestLexical
	e.missing = r.missing(top.at)
	e.missingNames = r.missingNames(top.at)
	if e.meaning {
		near := max(r.similarity(top.at), 0)
		nearest := max(slices.Max(r.similarities), near)
		e.agree = e.agree && near == nearest
		e.similarity = float64(r.blend.scale * (near - r.blend.zero))
		e.similarityGap = float64(r.blend.scale * (nearest - near))
	}
	return e
}

// missing returns the share of the query's words that a tool lacks, weighted by
// idf.
func (r *ranking) missing(tool int32) float64 {
	var missing, all float32
	for _, p := range r.parts {
		idf := r.index.idfOf(0)
		if len(p.terms) > 0 {
			idf = r.index.idf(p.terms[0].term)
		}
		all += idf
		if !r.has(tool, p) {
			missing += idf
		}
	}
	if all == 0 {
		return 1
	}
	return float64(missing / all)
}

// has reports whether a tool contains at least one of the terms of p.
func (r *ranking) has(tool int32, p part) bool {
	return slices.ContainsFunc(p.terms, func(t weightedTerm) bool { return r.index.termWeight(tool, t.term) > 0 })
}

// missingNames returns the share of the names in a query that a tool lacks. A
// name is a capitalized word that does not begin a sentence.
func (r *ranking) missingNames(tool int32) float64 {
	var names, missing float64
	begins := true
	for _, word := range strings.Fields(r.asked.meaning) {
		first, _ := utf8.DecodeRuneInString(word)
		if unicode.IsUpper(first) && !begins && len(words(word)) > 0 {
			names++
			if p := r.index.part(words(word)[0], strict); !r.has(tool, p) {
				missing++
			}
		}
		last, _ := utf8.DecodeLastRuneInString(word)
		begins = last == '.' || last == '!' || last == '?' || last == ':'
	}
	return missing / max(names, 1)
}

// The confidence is High if the best tool is right with a probability of at least
// minHigh, and Medium if the probability is at least minMedium.
const (
	minMedium = 0.45
	minHigh   = 0.76

	// maxLead limits the lead as a feature. A larger lead is no better sign: it may
	// only mean that there is no second tool.
	maxLead = 0.25
)

// features is the number of features in an Evidence.
const features = 12

// features returns the inputs of the logistic regression.
func (e Evidence) features() [features]float64 {
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return [features]float64{
		e.top, min(e.lead, maxLead), min(e.lead, 0.1), e.covered, e.missing, e.missingNames, is(e.agree),
		math.Log1p(float64(min(max(e.words, 4), 12))), is(e.named >= namedByWords), is(e.named == mentioned || e.named == misspelled),
		e.similarity, e.similarityGap,
	}
}

// Features returns the inputs of the logistic regression, for programs that fit
// its weights: numbers from about -3 to 3 in the order of the weights. The
// features of vectors come last and are 0 without vectors.
func (e Evidence) Features() []float64 {
	f := e.features()
	return f[:]
}

// chance is a logistic regression over the features.
type chance struct {
	weights [features]float64
	bias    float64
}

// of returns the probability for an Evidence.
func (c chance) of(e Evidence) float64 {
	sum := c.bias
	for i, value := range e.features() {
		sum += c.weights[i] * value
	}
	return 1 / (1 + math.Exp(-sum))
}

// chances are the probabilities that a right tool exists and that the best tool
// is right. The weights were fitted to rankings of labelled sets, with the same
// total weight for each set; see frontend/guide/changing.md.
type chances struct {
	any, best chance
	// A search reports a match if the estimated probability that a right tool
	// exists is high enough. In catalogs of at least crowdedTools tools, the
	// minimum is minFoundMany, because some tool is always near a query. In
	// catalogs of at most minTools tools, it is minFoundFew: the user has chosen
	// these few tools, so that queries more often mean one of them. In other
	// catalogs, it is a value between the two.
	minFoundFew, minFoundMany float64
}

// crowdedTools is the number of tools from which minFoundMany applies.
const crowdedTools = 1000

// Crowd returns the position of a catalog's size between minTools and
// crowdedTools, on a logarithmic scale from 0 to 1.
func (e Evidence) Crowd() float64 {
	at := math.Log(float64(max(e.tools, 1))/minTools) / math.Log(crowdedTools/minTools)
	return min(max(at, 0), 1)
}

// byWords and byMeaning are the chances without and with vectors.
var (
	byWords = chances{
		any:         chance{[features]float64{2.696, 7.325, -18.966, 3.038, -4.746, -1.393, 1.273, 4.898, 1.228, 3.523}, -9.191},
		best:        chance{[features]float64{6.45, 10.261, -4.69, -0.546, -1.619, -0.633, -1.287, 3.664, 2.504, 3.933}, -9.673},
		minFoundFew: 0.27, minFoundMany: 0.27,
	}
	byMeaning = chances{
		any: chance{
			[features]float64{-2.925, 7.624, -9.143, -1.169, -2.774, -1.677, 0.365, 3.467, 1.432, 3.199, 16.106, 16.868}, -10.442,
		},
		best:        chance{[features]float64{0.287, 9.589, 1.907, -1.395, -2.88, -0.55, 0.578, 1.72, 1.952, 3.052, 7.605, -3.964}, -5.949},
		minFoundFew: 0.07, minFoundMany: 0.46,
	}
)

// verdict reports whether any tool fits well enough, and with what confidence the
// best tool is the right one. A query of a single word that does not name a tool
// never gives high confidence.
func (e Evidence) verdict() (bool, Confidence) {
	by := byWords
	if e.meaning {
		by = byMeaning
	}
	best, minFound := by.best.of(e), by.minFoundFew+(by.minFoundMany-by.minFoundFew)*e.Crowd()
	switch {
	case e.tied:
		return true, Medium
	case e.named >= namedByWords:
		return true, High
	case e.words == 0 || by.any.of(e) < minFound && e.named == notNamed:
		return false, ""
	case e.weak() && e.missing > 0.95:
		return false, ""
	case e.weak():
		return true, Low
	case best >= minHigh && (e.words > 1 || e.named != notNamed):
		return true, High
	case best >= minMedium:
		return true, Medium
	}
	return true, Low
}

// weak reports whether the best tool matches only a small part of a long query.
func (e Evidence) weak() bool {
	return e.named == notNamed && e.words > 3 && e.missing > 0.8 && e.similarity < 0.35
}
