// Package tokens counts how many tokens of a model's context a text takes. It uses the vocabulary o200k_base, which is
// part of the program, and returns the same numbers as OpenAI's tokenizer. Where counting takes too long, Estimate
// returns an approximate number.
package tokens

import (
	"sync"
	"weak"
)

// Window is the size in tokens of the model context that Share assumes.
const Window = 200_000

// Share returns the share of a context of Window tokens that n tokens take: 0 for none, 1 for all of it.
func Share(n int) float64 { return float64(n) / Window }

// Counter counts tokens. While a Counter is referenced, the vocabulary stays in memory: about 5 MB, which take some
// hundredths of a second to load. A Counter is safe for concurrent use.
type Counter struct{ words *vocabulary }

// shared refers to the vocabulary of all counters while a counter exists.
var shared struct {
	mu    sync.Mutex
	words weak.Pointer[vocabulary]
}

// NewCounter returns a counter. Keep it for many texts, so that the vocabulary is loaded only once.
func NewCounter() Counter {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	words := shared.words.Value()
	if words == nil {
		words = load()
		shared.words = weak.Make(words)
	}
	return Counter{words}
}

// Count returns the number of tokens in text. Bytes that are not UTF-8 are counted as punctuation.
func (c Counter) Count(text string) (n int) {
	for at := 0; at < len(text); {
		end := pieceEnd(text, at)
		n += c.words.count(text[at:end])
		at = end
	}
	return n
}

// Count returns the number of tokens in one text. It is safe for concurrent use.
func Count(text string) int { return NewCounter().Count(text) }

// maxKnown is the number of results that Known caches.
const maxKnown = 256

var known struct {
	mu     sync.Mutex
	counts map[string]int
}

// Known returns the number of tokens in a short text that callers pass often. It caches results, so that the vocabulary is
// seldom loaded. It is safe for concurrent use.
func Known(text string) int {
	known.mu.Lock()
	defer known.mu.Unlock()
	if n, ok := known.counts[text]; ok {
		return n
	}
	if len(known.counts) == 0 || len(known.counts) >= maxKnown {
		known.counts = make(map[string]int)
	}
	n := Count(text)
	known.counts[text] = n
	return n
}
