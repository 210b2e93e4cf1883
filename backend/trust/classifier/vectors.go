package classifier

import (
	"context"
	"runtime"
	"sync"

	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// MaxTokens is the number of tokens of a sentence that the encoder reads.
const MaxTokens = 96

// Encoder computes the vectors of texts. minilm.Encoder implements it.
type Encoder interface {
	Encode(text string, maxTokens int) []float32
}

// Vectors computes the vectors of sentences on several cores, which takes a few milliseconds for each vector. It
// caches some vectors for sentences that occur again. Its methods may be called concurrently.
type Vectors struct {
	encoder Encoder
	workers int

	mu    sync.Mutex
	known map[string][]float32 // by Plain text of the sentence; at most maxKnown entries
}

// maxKnown is the maximum number of vectors that are kept. Each takes 1.5 kB.
const maxKnown = 4096

// NewVectors returns Vectors that use at most workers cores; 0 means all.
func NewVectors(e Encoder, workers int) *Vectors {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Vectors{encoder: e, workers: workers, known: make(map[string][]float32)}
}

// Of returns the vectors of sentences, which the caller must not change. It stops with the error of ctx when ctx ends.
func (v *Vectors) Of(ctx context.Context, sentences []scan.Sentence) ([][]float32, error) {
	found, missing := v.lookUp(sentences)
	made := make([][]float32, len(missing))
	var wg sync.WaitGroup
	for w := range min(v.workers, len(missing)) {
		wg.Go(func() {
			for i := w; i < len(missing) && ctx.Err() == nil; i += v.workers {
				made[i] = v.encoder.Encode(missing[i], MaxTokens)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, text := range missing {
		found[text] = made[i]
	}
	v.keep(missing, made)
	list := make([][]float32, len(sentences))
	for i := range sentences {
		list[i] = found[sentences[i].Plain]
	}
	return list, nil
}

// lookUp returns the known vectors of sentences by text, and the texts whose vectors are not known.
func (v *Vectors) lookUp(sentences []scan.Sentence) (found map[string][]float32, missing []string) {
	found = make(map[string][]float32, len(sentences))
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range sentences {
		text := sentences[i].Plain
		if _, seen := found[text]; seen {
			continue
		}
		vector := v.known[text]
		if found[text] = vector; vector == nil {
			missing = append(missing, text)
		}
	}
	return found, missing
}

func (v *Vectors) keep(texts []string, vectors [][]float32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, text := range texts {
		if len(v.known) >= maxKnown {
			clear(v.known)
		}
		v.known[text] = vectors[i]
	}
}

// Raise computes the vectors of the sentences of results and raises their verdicts; see the function raise. The
// Sentences of the results must be set.
func (v *Vectors) Raise(ctx context.Context, results []scan.Result) error {
	var all []scan.Sentence
	for i := range results {
		all = append(all, results[i].Sentences...)
	}
	vectors, err := v.Of(ctx, all)
	if err != nil {
		return err
	}
	for i := range results {
		n := len(results[i].Sentences)
		raise(&results[i], vectors[:n])
		vectors = vectors[n:]
	}
	return nil
}
