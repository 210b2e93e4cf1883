package search

import (
	"math"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	// saturation is the k1 of BM25: the lower it is, the sooner further
	// occurrences of a word stop adding to the score.
	saturation = 0.8

	// The weights of the terms of a word: its stem, the word as written and, for
	// a verb, its kind.
	stemShare    = 1.0
	surfaceShare = 0.5
	kindShare    = 0.35

	// minTools is the least number of tools that idf assumes, so that words
	// count in small catalogs, too.
	minTools = 50

	// minPerWorker is the number of tools that justify another goroutine for
	// indexing.
	minPerWorker = 500
)

// index ranks the tools of one snapshot by BM25F: Robertson, Zaragoza and
// Taylor, "Simple BM25 extension to multiple weighted fields" (2004). It is
// immutable.
type index struct {
	snapshot   *catalog.Snapshot
	vocabulary *vocabulary
	forms      []forms // by word number
	documents  []*document
	meanLength [fields]float32 // mean length of each field, in words

	// The postings: tools[starts[t]:starts[t+1]] are the tools that contain
	// term t, and the same range of weights holds the weights of t in these tools.
	starts  []int32
	tools   []int32
	weights []float32

	names    map[string][]int32 // tools by folded name
	renamed  []int32            // tools that the user has renamed
	phrases  map[string][]int32 // tools by phrase; see index.phrase
	openings map[int32]int      // by stem, the number of descriptions that begin with it
}

// newIndex indexes a snapshot. It reuses the documents in known for unchanged
// tools and adds those of new and changed tools to known.
func newIndex(snapshot *catalog.Snapshot, v *vocabulary, known map[catalog.Key]*document) *index {
	x := &index{
		snapshot: snapshot, vocabulary: v,
		documents: read(snapshot.Tools, v, known), names: make(map[string][]int32, len(snapshot.Tools)),
		openings: make(map[int32]int), phrases: make(map[string][]int32),
	}
	x.forms = v.all()
	for i, d := range x.documents {
		x.names[d.folded] = append(x.names[d.folded], int32(i))
		if snapshot.Tools[i].Own != "" {
			x.renamed = append(x.renamed, int32(i))
		}
		if key, ok := x.phrase(d); ok {
			x.phrases[key] = append(x.phrases[key], int32(i))
		}
		if words := d.in(inDescription); len(words) > 0 {
			x.openings[x.forms[words[0]].stem]++
		}
		for f := range fields {
			x.meanLength[f] += float32(len(d.in(f)))
		}
	}
	for f := range x.meanLength {
		x.meanLength[f] = max(x.meanLength[f]/float32(max(len(x.documents), 1)), 1e-9)
	}
	x.buildPostings()
	return x
}

// read returns the documents of tools, as described at newIndex.
func read(tools []*catalog.Tool, v *vocabulary, known map[catalog.Key]*document) []*document {
	out := make([]*document, len(tools))
	var fresh []int
	for i, t := range tools {
		if out[i] = known[t.Key()]; out[i] == nil || out[i].hash != t.Hash {
			fresh = append(fresh, i)
		}
	}
	readers := make([]int, workersFor(len(fresh)))
	for i := range readers {
		readers[i] = i
	}
	inParallel(readers, func(first int) {
		r := &reader{vocabulary: v, known: newNumbers(), said: make(map[string]span)}
		for i := first; i < len(fresh); i += len(readers) {
			out[fresh[i]] = r.document(tools[fresh[i]])
		}
	})
	for _, i := range fresh {
		known[tools[i].Key()] = out[i]
	}
	return out
}

// weigh adds the weighted term frequencies of a document to freqs, which is
// indexed by term, and appends the terms that it meets for the first time to
// terms.
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

// wordWeight returns the weight of a word in a field of a document.
func (x *index) wordWeight(d *document, f field) float32 {
	return fieldWeight[f] / (1 - fieldNorm[f] + fieldNorm[f]*float32(len(d.in(f)))/x.meanLength[f])
}

// toolCount returns the number of tools that contain a term; 0 for negative
// terms.
func (x *index) toolCount(term int32) int {
	if term < 0 || int(term)+1 >= len(x.starts) { // the term was added after the index was built
		return 0
	}
	return int(x.starts[term+1] - x.starts[term])
}

// idf returns the inverse document frequency of a term.
func (x *index) idf(term int32) float32 { return x.idfOf(x.toolCount(term)) }

func (x *index) idfOf(count int) float32 {
	n := float64(max(len(x.documents), minTools))
	return float32(math.Log(1 + (n-float64(count)+0.5)/(float64(count)+0.5)))
}

// add adds share times the weight of a term to the score of each tool that
// contains the term.
func (x *index) add(scores []float32, term int32, share float32) {
	if x.toolCount(term) == 0 {
		return
	}
	from, to := x.starts[term], x.starts[term+1]
	tools, weights := x.tools[from:to], x.weights[from:to]
	for i, tool := range tools {
		scores[tool] += share * weights[i]
	}
}
