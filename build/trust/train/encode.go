package main

import (
	"encoding/gob"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
)

// vectors has the vectors of sentences, by their field Plain.
type vectors map[string][]float32

// encode returns the vectors of all sentences. It keeps them in the file cache, unless that is empty, because the
// encoder takes some milliseconds for each.
func encode(documents []document, cache string) (vectors, error) {
	known := make(vectors)
	if f, err := os.Open(cache); err == nil {
		err := gob.NewDecoder(f).Decode(&known)
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
	missing := make(map[string]bool)
	for _, d := range documents {
		for _, r := range d.results {
			for _, s := range r.Sentences {
				if known[s.Plain] == nil {
					missing[s.Plain] = true
				}
			}
		}
	}
	texts := slices.Sorted(maps.Keys(missing))
	encoder := minilm.New()
	list := make([][]float32, len(texts))
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(texts); i += workers {
				list[i] = encoder.Encode(texts[i], classifier.MaxTokens)
			}
		})
	}
	wg.Wait()
	for i, text := range texts {
		known[text] = list[i]
	}
	if cache == "" || len(texts) == 0 {
		return known, nil
	}
	f, err := os.Create(cache)
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(f).Encode(known); err != nil {
		return nil, err
	}
	return known, f.Close()
}
