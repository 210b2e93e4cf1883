package backend

import (
	"hash/fnv"
	"math"
	"strings"

	"github.com/agent-discover/agent-discover/backend/embedding"
	"github.com/agent-discover/agent-discover/backend/events"
	"github.com/agent-discover/agent-discover/backend/settings"
)

// openMeaning returns who makes the vectors of tools and queries.
func (h *Hub) openMeaning(config settings.Search, bus *events.Bus) *embedding.Index {
	return embedding.New(embedding.Options{
		Settings: config, Builtin: builtinModel(), Catalog: h.catalog, Store: h.store, Bus: bus, Log: h.log,
	})
}

// builtinModel is the model inside the hub.
//
// REPLACE: return embedding.Builtin{Encoder: encoder.New(), Model: encoder.Model, Dimensions: encoder.Dimensions},
// and drop wordCounts; add "encoder" to the rooms of "" in imports_test.go.
func builtinModel() embedding.Builtin {
	return embedding.Builtin{Encoder: wordCounts{}, Model: "word-counts", Dimensions: wordCountDimensions}
}

const wordCountDimensions = 384

// wordCounts stands in for a model that knows what words mean: its vectors say
// which words are in a text.
type wordCounts struct{}

func (wordCounts) Encode(text string, maxTokens int) []float32 {
	v, total := make([]float32, wordCountDimensions), 0.0
	words := strings.Fields(strings.ToLower(text))
	for _, word := range words[:min(len(words), maxTokens)] {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(strings.Trim(word, ".,;:!?")))
		v[sum.Sum32()%wordCountDimensions]++
	}
	for _, n := range v {
		total += float64(n) * float64(n)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / max(math.Sqrt(total), 1))
	}
	return v
}

func (wordCounts) Release() {}
