package search

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/catalog"
)

// What a word counts for by where it stands, and the two constants of BM25:
// how soon a repeated word stops counting, and how much a long text is held
// against a tool.
const (
	weightName        = 3.0
	weightServer      = 1.5
	weightTitle       = 2.0
	weightDescription = 1.0
	weightParameter   = 0.4

	saturation = 1.2
	lengthNorm = 0.5

	// unknownWeight is what a word that no tool holds counts for: it tells
	// that something was asked for which is not here, or only that people
	// say more than they need to.
	unknownWeight = 0.3
	minTools      = 50
)

// index ranks the tools of one snapshot by BM25F: Robertson, Zaragoza and
// Taylor, "Simple BM25 extension to multiple weighted fields" (2004). It is
// immutable.
type index struct {
	snapshot *catalog.Snapshot
	postings map[string][]posting
	names    map[string][]int32 // tools by their name's words, joined
	length   []float32          // weighted length over the mean
}

type posting struct {
	tool int32
	freq float32 // weighted by field
}

func newIndex(snapshot *catalog.Snapshot) *index {
	x := &index{
		snapshot: snapshot,
		postings: make(map[string][]posting),
		names:    make(map[string][]int32),
		length:   make([]float32, len(snapshot.Tools)),
	}
	total := float32(0)
	freqs := make(map[string]float32)
	for i, t := range snapshot.Tools {
		clear(freqs)
		for term, f := range weigh(t, freqs) {
			x.postings[term] = append(x.postings[term], posting{int32(i), f})
			x.length[i] += f
		}
		total += x.length[i]
		name := strings.Join(terms(t.Name), " ")
		x.names[name] = append(x.names[name], int32(i))
	}
	for i := range x.length {
		x.length[i] /= max(total/float32(len(x.length)), 1)
	}
	return x
}

func weigh(t *catalog.Tool, freqs map[string]float32) map[string]float32 {
	add := func(text string, weight float32) {
		for _, term := range terms(text) {
			freqs[term] += weight
			if kind, ok := canonical[term]; ok && kind != term {
				freqs[kind] += weight * kindWeight
			}
		}
	}
	add(t.Name, weightName)
	add(t.Server, weightServer)
	add(t.Title, weightTitle)
	add(t.Description, weightDescription)
	var schema struct {
		Properties map[string]struct {
			Description any `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(t.InputSchema(), &schema) // what does not fit has no words for us
	for name, property := range schema.Properties {
		add(name, weightParameter)
		if text, ok := property.Description.(string); ok {
			add(text, weightParameter)
		}
	}
	return freqs
}

// rank returns the tools that allow admits, best first, with scores from 0 to
// 1: the share of what a perfect match of every word in the query would get.
func (x *index) rank(query string, allow func(*catalog.Tool) bool) []Hit {
	words := queryTerms(query)
	if len(words) == 0 {
		return nil
	}
	scores := make(map[int32]float64)
	best := 0.0
	for term, share := range words {
		found := x.postings[term]
		idf := x.rarity(len(found))
		if len(found) == 0 {
			share *= unknownWeight
		}
		best += share * idf
		for _, p := range found {
			norm := 1 - lengthNorm + lengthNorm*float64(x.length[p.tool])
			f := float64(p.freq)
			scores[p.tool] += share * idf * f / (f + saturation*norm)
		}
	}
	for _, i := range x.names[strings.Join(terms(query), " ")] {
		scores[i] = best // the name itself was asked for
	}
	hits := make([]Hit, 0, len(scores))
	for i, score := range scores {
		if t := x.snapshot.Tools[i]; allow(t) {
			hits = append(hits, Hit{Tool: t, Score: score / best})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tool.Proxied(), b.Tool.Proxied()))
	})
	return hits
}

// rarity is the inverse document frequency of a word that n tools hold. A word
// counts for something in a catalog of a few tools too.
func (x *index) rarity(n int) float64 {
	return math.Log(1 + (max(float64(len(x.length)), minTools)-float64(n)+0.5)/(float64(n)+0.5))
}

// queryTerms returns the words that count and how much each does.
func queryTerms(query string) map[string]float64 {
	all := terms(query)
	out := make(map[string]float64, len(all))
	for _, term := range all {
		if stopWords[term] && len(all) > 1 {
			continue
		}
		out[term] = 1
		if kind, ok := canonical[term]; ok && kind != term && out[kind] == 0 {
			out[kind] = kindWeight
		}
	}
	return out
}
