package hubtest

import (
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
)

// encoder is the encoder of all hubs of a test program. It caches the vector of each
// text, because most hubs have the same tools.
var encoder = &keepingEncoder{encoder: minilm.New(), vectors: map[encoded][]float32{}}

type keepingEncoder struct {
	encoder *minilm.Encoder

	mu      sync.Mutex
	vectors map[encoded][]float32
}

// encoded is a text and the number of its tokens that are read.
type encoded struct {
	text   string
	tokens int
}

func (e *keepingEncoder) Encode(text string, tokens int) []float32 {
	key := encoded{text, tokens}
	e.mu.Lock()
	vector := e.vectors[key]
	e.mu.Unlock()
	if vector == nil {
		vector = e.encoder.Encode(text, tokens)
		e.mu.Lock()
		e.vectors[key] = vector
		e.mu.Unlock()
	}
	return slices.Clone(vector)
}

func (e *keepingEncoder) Release() { e.encoder.Release() }
