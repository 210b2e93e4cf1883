package search

import (
	"math"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	// saturation is how soon a repeated word stops counting.
	saturation = 0.8

	// What the forms of a word count for: its stem, the word as it is written,
	// and for a verb its kind.
	stemShare    = 1.0
	surfaceShare = 0.5
	kindShare    = 0.35

	// minTools is the size below which a catalog is taken for larger, so that
	// a word counts for something among a few tools too.
	minTools = 50

	// minShare is how many tools are worth a processor of their own.
	minShare = 500
)

// index ranks the tools of one snapshot by BM25F: Robertson, Zaragoza and
// Taylor, "Simple BM25 extension to multiple weighted fields" (2004). It is
// immutable.
type index struct {
	snapshot   *catalog.Snapshot
	vocabulary *vocabulary
	forms      []forms // by the numbers of words in documents
	documents  []*document
	usual      [fields]float32 // mean length of each field, in words

	// The tools that hold term t, and what it is worth there:
	// starts[t] to starts[t+1] of tools and worths.
	starts []int32
	tools  []int32
	worths []float32

	names   map[string][]int32 // tools by their squashed names
	phrases map[string][]int32 // tools by the stems of their names' words, where there are several
	openers map[int32]int      // how many descriptions begin with a stem
}

// newIndex indexes a snapshot. What known holds of the tools as they are is
// used again.
func newIndex(snapshot *catalog.Snapshot, v *vocabulary, known map[catalog.Key]*document) *index {
	x := &index{
		snapshot: snapshot, vocabulary: v,
		documents: read(snapshot.Tools, v, known), names: make(map[string][]int32, len(snapshot.Tools)),
		openers: make(map[int32]int), phrases: make(map[string][]int32),
	}
	x.forms = v.all()
	for i, d := range x.documents {
		x.names[d.squashed] = append(x.names[d.squashed], int32(i))
		if key, ok := x.phrase(d); ok {
			x.phrases[key] = append(x.phrases[key], int32(i))
		}
		if words := d.in(inDescription); len(words) > 0 {
			x.openers[x.forms[words[0]].stem]++
		}
		for f := range fields {
			x.usual[f] += float32(len(d.in(f)))
		}
	}
	for f := range x.usual {
		x.usual[f] = max(x.usual[f]/float32(max(len(x.documents), 1)), 1e-9)
	}
	x.post()
	return x
}

// read returns the documents of tools. It makes those of tools that are not
// known as they are, and puts them into known.
func read(tools []*catalog.Tool, v *vocabulary, known map[catalog.Key]*document) []*document {
	out := make([]*document, len(tools))
	var fresh []int
	for i, t := range tools {
		if out[i] = known[t.Key()]; out[i] == nil || out[i].hash != t.Hash {
			fresh = append(fresh, i)
		}
	}
	readers := make([]int, processors(len(fresh)))
	for i := range readers {
		readers[i] = i
	}
	each(readers, func(first int) {
		r := newReader(v)
		for i := first; i < len(fresh); i += len(readers) {
			out[fresh[i]] = r.document(tools[fresh[i]])
		}
	})
	for _, i := range fresh {
		known[tools[i].Key()] = out[i]
	}
	return out
}

// weigh adds to freqs what the terms of a document count for, and to terms
// those that it met.
func (x *index) weigh(d *document, freqs []float32, terms []int32) []int32 {
	for f := range fields {
		words := d.in(f)
		if len(words) == 0 {
			continue
		}
		weight := x.wordWeight(d, f)
		stem, surface, kind := weight*stemShare, weight*surfaceShare, weight*kindShare
		for _, number := range words {
			w := &x.forms[number]
			if freqs[w.stem] == 0 {
				terms = append(terms, w.stem)
			}
			freqs[w.stem] += stem
			if freqs[w.surface] == 0 {
				terms = append(terms, w.surface)
			}
			freqs[w.surface] += surface
			if w.kind >= 0 {
				if freqs[w.kind] == 0 {
					terms = append(terms, w.kind)
				}
				freqs[w.kind] += kind
			}
		}
	}
	return terms
}

// wordWeight is what a word counts for in a field of a document.
func (x *index) wordWeight(d *document, f field) float32 {
	return fieldWeight[f] / (1 - fieldNorm[f] + fieldNorm[f]*float32(len(d.in(f)))/x.usual[f])
}

// holders is how many tools hold a term.
func (x *index) holders(term int32) int {
	if term < 0 || int(term)+1 >= len(x.starts) { // younger than the index
		return 0
	}
	return int(x.starts[term+1] - x.starts[term])
}

// rarity is the inverse document frequency of a term.
func (x *index) rarity(term int32) float32 { return x.rarityOf(x.holders(term)) }

func (x *index) rarityOf(holders int) float32 {
	n := float64(max(len(x.documents), minTools))
	return float32(math.Log(1 + (n-float64(holders)+0.5)/(float64(holders)+0.5)))
}

// add adds to scores what a term is worth to each tool that holds it.
func (x *index) add(scores []float32, term int32, share float32) {
	if x.holders(term) == 0 {
		return
	}
	from, to := x.starts[term], x.starts[term+1]
	tools, worths := x.tools[from:to], x.worths[from:to]
	for i, tool := range tools {
		scores[tool] += share * worths[i]
	}
}
