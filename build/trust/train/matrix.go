package main

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
)

// scales are the factors by which the values of a feature are multiplied before training, by the family of the
// feature's name. The penalty affects features with large values least. The factors were chosen by training on the
// sentences of one author and judging the sentences of another author.
var scales = map[string]float64{"vector": 1.5, "word": .5, "beside": .5}

// rarest is the least number of different servers or cases in whose sentences a feature must occur.
const rarest = 4

func scaleOf(feature string) float64 {
	family, _, _ := strings.Cut(feature, ":")
	if scale := scales[family]; scale > 0 {
		return scale
	}
	return 1
}

// row is a sentence as a row of the matrix.
type row struct {
	values []value
	bad    bool // it is a poisoned sentence of the training data
}

// matrix has the sentences of all documents as rows of numbers.
type matrix struct {
	documents []document
	rows      [][]row          // rows of each document
	features  map[string]int32 // column of each feature; the first columns are the vector
}

func (m *matrix) columns() int { return minilm.Dimensions + len(m.features) }

func newMatrix(documents []document, v vectors) *matrix {
	m := &matrix{documents: documents, rows: make([][]row, len(documents)), features: make(map[string]int32)}
	all := make([][]sentence, len(documents))
	groups := make(map[string]map[string]bool)
	for i := range documents {
		d := &documents[i]
		all[i] = d.sentences(v)
		source := d.group // the case or server that the document comes from
		if d.poisoned {
			source = d.id
		}
		for _, s := range all[i] {
			if !d.trains() || d.poisoned && !s.bad {
				continue
			}
			for _, f := range s.features {
				if groups[f.Name] == nil {
					groups[f.Name] = make(map[string]bool)
				}
				groups[f.Name][source] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if len(groups[name]) >= rarest {
			m.features[name] = int32(m.columns())
		}
	}
	for i, list := range all {
		for _, s := range list {
			m.rows[i] = append(m.rows[i], m.row(s))
		}
	}
	return m
}

// sentence is the input of the classifier for one sentence.
type sentence struct {
	vector   []float32
	features []classifier.Feature
	bad      bool
}

func (d *document) sentences(v vectors) []sentence {
	var list []sentence
	for _, r := range d.results {
		of := make([][]float32, len(r.Sentences))
		for k := range r.Sentences {
			of[k] = v[r.Sentences[k].Plain]
		}
		for k, features := range classifier.Features(r.Sentences, of) {
			list = append(list, sentence{of[k], features, d.trains() && d.bad(r.Sentences[k])})
		}
	}
	return list
}

func (m *matrix) row(s sentence) row {
	x := row{bad: s.bad, values: make([]value, 0, minilm.Dimensions+len(s.features))}
	for c, v := range s.vector {
		x.values = append(x.values, value{int32(c), v * float32(scales["vector"])})
	}
	for _, f := range s.features {
		if c, ok := m.features[f.Name]; ok {
			x.values = append(x.values, value{c, float32(f.Value * scaleOf(f.Name))})
		}
	}
	return x
}

// Weights of examples. Poisoned sentences are rare, and clean sentences that resemble them are rare among the clean
// ones.
const (
	poisonedWeight = 4
	laidWeight     = .5 // the same sentence, inserted into a second tool
	innocentWeight = 2
	penalty        = 20
)

// train fits the weights to the documents that use accepts.
func (m *matrix) train(use func(*document) bool) []float64 {
	var examples []example
	for i := range m.documents {
		d := &m.documents[i]
		if !d.trains() || !use(d) {
			continue
		}
		bad := 0
		for _, r := range m.rows[i] {
			if r.bad {
				bad++
			}
		}
		for _, r := range m.rows[i] {
			weight := 1.0
			switch {
			case r.bad:
				weight = poisonedWeight / math.Sqrt(float64(bad))
				if d.laid {
					weight *= laidWeight
				}
			case d.poisoned:
				continue
			case d.set == innocentSet:
				weight = innocentWeight
			}
			examples = append(examples, example{r.values, r.bad, weight})
		}
	}
	return fit(examples, m.columns(), penalty)
}

// score returns the highest score of the sentences of a document.
func (m *matrix) score(document int, weights []float64) float64 {
	best := math.Inf(-1)
	for _, r := range m.rows[document] {
		z := weights[m.columns()]
		for _, v := range r.values {
			z += weights[v.column] * float64(v.x)
		}
		best = max(best, z)
	}
	return best
}

// folds is the number of parts of the training data. Each part is scored with weights that were trained on the
// others.
const folds = 8

// leftOut scores every document: documents of the training data with weights that were trained without their group,
// all others with full. It trains only on documents that use accepts.
func (m *matrix) leftOut(full []float64, use func(*document) bool) []float64 {
	scores := make([]float64, len(m.documents))
	for i := range m.documents {
		scores[i] = m.score(i, full)
	}
	for fold := range folds {
		weights := m.train(func(d *document) bool { return use(d) && d.fold() != fold })
		for i := range m.documents {
			if d := &m.documents[i]; d.trains() && use(d) && d.fold() == fold {
				scores[i] = m.score(i, weights)
			}
		}
	}
	return scores
}

func (d *document) fold() int { return int(hash(d.group)) % folds }
