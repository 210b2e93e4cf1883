package search

import (
	"math"
	"strings"
)

// blend says how words and meaning make one score. It belongs to the model
// that made the vectors.
type blend struct {
	meaning  float32 // the share of meaning; words have the rest
	coverage float32 // how much words count by what they cover of the query, beside being the best
	// A nearness of zero counts nothing; scale makes those of one model as
	// large as those of another.
	zero, scale float32
	measured    bool // zero and scale are known
}

var wordsAlone = blend{coverage: 0.5}

// blends are those of models that were measured, by how their names begin. The
// nearness of others is laid over that of the first by its mean and spread.
var blends = map[string]blend{
	"builtin/all-minilm-l6-v2": {meaning: 0.5, coverage: 0.5, scale: 1, measured: true},
}

// What the nearness of the built-in model is like over the tools of a catalog.
const (
	usualNearness = 0.12
	usualSpread   = 0.11
)

func blendOf(model string) blend {
	for name, b := range blends {
		if strings.HasPrefix(model, name) {
			return b
		}
	}
	return blend{meaning: 0.5, coverage: 0.5, scale: 1}
}

// settle finds zero and scale for a model that was not measured.
func (b *blend) settle(nearness []float32) {
	if b.measured {
		return
	}
	var n, sum, squares float64
	for _, near := range nearness {
		if near != unknown {
			n, sum, squares = n+1, sum+float64(near), squares+float64(near)*float64(near)
		}
	}
	mean := sum / n
	spread := math.Sqrt(max(squares/n-mean*mean, 1e-6))
	if n < minTools {
		return
	}
	b.scale = float32(usualSpread / spread)
	b.zero = float32(mean - usualNearness*spread/usualSpread)
}

// guess is the nearness that is assumed of a tool without a vector, from how
// well its words fit.
func (b *blend) guess(words float32) float32 { return b.zero + (0.15+0.5*words)/b.scale }
