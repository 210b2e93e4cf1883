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

// field is a part of a tool in which words are looked for.
type field string

// The fields, as explanations call them.
const (
	fieldName        field = "name"
	fieldServer      field = "server"
	fieldTitle       field = "title"
	fieldDescription field = "description"
	fieldParameters  field = "parameters"
)

// weigh adds what the words of a tool count for to freqs.
func weigh(t *catalog.Tool, freqs map[string]float32) map[string]float32 {
	eachWord(t, func(_ field, term string, weight float32) { freqs[term] += weight })
	return freqs
}

// eachWord shows all words of a tool, and what each counts for where it stands.
func eachWord(t *catalog.Tool, visit func(in field, term string, weight float32)) {
	add := func(in field, text string, weight float32) {
		for _, term := range terms(text) {
			visit(in, term, weight)
			if kind, ok := canonical[term]; ok && kind != term {
				visit(in, kind, weight*kindWeight)
			}
		}
	}
	add(fieldName, t.Name, weightName)
	add(fieldServer, t.Server, weightServer)
	add(fieldTitle, t.Title, weightTitle)
	add(fieldDescription, t.Description, weightDescription)
	var schema struct {
		Properties map[string]struct {
			Description any `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(t.InputSchema(), &schema) // what does not fit has no words for us
	for name, property := range schema.Properties {
		add(fieldParameters, name, weightParameter)
		if text, ok := property.Description.(string); ok {
			add(fieldParameters, text, weightParameter)
		}
	}
}

// rank returns the tools that allow admits, best first, with scores from 0 to
// 1: the share of what a perfect match of every word in the query would get.
func (x *index) rank(query string, allow func(*catalog.Tool) bool) []Hit {
	words := queryTerms(query)
	if len(words) == 0 {
		return nil
	}
	scores := make(map[int32]float64)
	best := x.perfect(words)
	for term, share := range words {
		found := x.postings[term]
		idf := x.rarity(len(found))
		for _, p := range found {
			scores[p.tool] += share * idf * x.saturated(p.tool, float64(p.freq))
		}
	}
	for _, i := range x.names[strings.Join(terms(query), " ")] {
		scores[i] = best // the name itself was asked for
	}
	hits := make([]Hit, 0, len(scores))
	for i, score := range scores {
		if t := x.snapshot.Tools[i]; allow(t) {
			hits = append(hits, Hit{Tool: t, Score: score / best, at: i})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tool.Proxied(), b.Tool.Proxied()))
	})
	return hits
}

// perfect is what a tool would get in which every word stood without end.
func (x *index) perfect(words map[string]float64) float64 {
	best := 0.0
	for term, share := range words {
		n := len(x.postings[term])
		if n == 0 {
			share *= unknownWeight
		}
		best += share * x.rarity(n)
	}
	return best
}

// saturated is how much of a word's worth a tool gets that holds it so often.
func (x *index) saturated(tool int32, freq float64) float64 {
	norm := 1 - lengthNorm + lengthNorm*float64(x.length[tool])
	return freq / (freq + saturation*norm)
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
