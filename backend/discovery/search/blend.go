package search

import (
	"math"
	"strings"
)

// blend determines how the scores by words and by vectors are combined. It
// depends on the embedding model.
type blend struct {
	meaning  float32 // weight of the vectors; words have the rest
	coverage float32 // word scores are divided by the best one plus coverage times that of a perfect match
	// If a tool contains the words of the query, words are better evidence than
	// vectors. Let s be the word score of the best tool as a share of the word score of
	// a perfect match. If s exceeds yieldFrom, meaning is reduced by
	// yield*(s-yieldFrom).
	yield, yieldFrom float32
	// A cosine c counts as scale*(c-zero), which makes the cosines of different
	// models comparable.
	zero, scale float32
	measured    bool // zero and scale are fixed
}

// wordsAlone is the blend without vectors.
var wordsAlone = blend{coverage: 0.5}

// blends are the blends of measured models, by the beginning of the model's
// name. The cosines of other models are mapped to those of the built-in model
// by their mean and standard deviation.
var blends = map[string]blend{
	"builtin/minilm-tools": {meaning: 0.75, coverage: 1, yield: 0.4, yieldFrom: 0.3, scale: 1, measured: true},
}

// The mean and the standard deviation of the built-in model's cosines over the
// tools of a catalog.
const (
	typicalSimilarity = 0.12
	typicalSpread     = 0.11
)

// blendOf returns the blend of a model.
func blendOf(model string) blend {
	for name, b := range blends {
		if strings.HasPrefix(model, name) {
			return b
		}
	}
	return blend{meaning: 0.5, coverage: 0.5, scale: 1}
}

// settle sets zero and scale of a model that was not measured, from the cosines
// of a query with all tools. It changes nothing if fewer than minTools tools have
// a vector.
func (b *blend) settle(similarities []float32) {
	if b.measured {
		return
	}
	var n, sum, squares float64
	for _, near := range similarities {
		if near != noVector {
			n, sum, squares = n+1, sum+float64(near), squares+float64(near)*float64(near)
		}
	}
	mean := sum / n
	spread := math.Sqrt(max(squares/n-mean*mean, 1e-6))
	if n < minTools {
		return
	}
	b.scale = float32(typicalSpread / spread)
	b.zero = float32(mean - typicalSimilarity*spread/typicalSpread)
}

// weigh lowers the weight of the vectors for a query. covered is the best word
// score as a share of the word score of a perfect match.
func (b *blend) weigh(covered float32) {
	b.meaning -= b.yield * max(covered-b.yieldFrom, 0)
}
