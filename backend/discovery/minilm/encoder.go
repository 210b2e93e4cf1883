// Package encoder answers one question: where in a space of meanings a sentence lies. Sentences that mean alike get
// vectors that point alike; the product of two is their similarity, from -1 to 1.
//
// It is the model all-MiniLM-L6-v2 by the sentence-transformers project: WordPiece tokens, six layers of a transformer,
// and the mean over all tokens. Its weights are part of the program, as integers of eight bits (see NOTICE); build/model
// makes them. It needs no file, no network, no C, and one processor for as long as a call takes.
//
// The model knows English; of other languages it knows little more than names. It ranks nothing, keeps no vectors, and
// says nothing about what is right or wrong: what a similarity is worth is for the caller to say.
package minilm

import "sync"

// Model names the model and the form of its weights. Vectors of different models cannot be compared.
const Model = "all-minilm-l6-v2/int8"

// Dimensions is the length of every vector.
const Dimensions = hidden

// defaultTokens is how much of a text counts where the caller does not say.
const defaultTokens = 128

// idle is how many sets of scratch memory are kept while nothing runs; one is about 12 kB for each token of the longest
// text that it has seen.
const idle = 4

// Encoder turns texts into vectors. Its methods may be called at the same time.
type Encoder struct {
	model   *model
	words   vocabulary
	kernels kernels

	mu      sync.Mutex
	scratch []*scratch // guarded by mu; at most idle
}

// New returns an encoder with the fastest kernels that this processor has. It takes well under a millisecond: the large
// tables stay where the program has them.
func New() *Encoder {
	return &Encoder{model: readModel(weights), words: readVocabulary(vocabularyData), kernels: fastest()}
}

// Encode returns the vector of a text, of length one; it belongs to the caller. Of a long text the first maxTokens
// tokens count, two of which mark the beginning and the end: 0 means 128, and there are never more than 256. Any text
// has a vector: an empty one gets that of a sentence without words, and bytes that are not UTF-8 are passed over.
func (e *Encoder) Encode(text string, maxTokens int) []float32 {
	if maxTokens <= 0 {
		maxTokens = defaultTokens
	}
	tokens := e.words.tokens(text, min(max(maxTokens, 2), positions))
	s := e.borrow(len(tokens))
	defer e.giveBack(s)
	return e.model.encode(tokens, s, &e.kernels)
}

// Release drops the memory that Encode keeps for its next call, which is then a little slower.
func (e *Encoder) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scratch = nil
}

// borrow returns scratch memory for so many tokens, that nobody else uses until it is given back.
func (e *Encoder) borrow(tokens int) *scratch {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := len(e.scratch) - 1
	if last < 0 {
		return newScratch(tokens)
	}
	s := e.scratch[last]
	e.scratch = e.scratch[:last]
	if s.tokens < tokens {
		return newScratch(tokens)
	}
	return s
}

func (e *Encoder) giveBack(s *scratch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.scratch) < idle {
		e.scratch = append(e.scratch, s)
	}
}
