// Package minilm computes sentence embeddings: vectors of length 1 that point in similar directions for texts of similar
// meaning. The dot product of two vectors is the similarity of their texts, from -1 to 1.
//
// It implements the model all-MiniLM-L6-v2 of the sentence-transformers project: WordPiece tokens, a transformer of six
// layers, and the mean over all tokens. Its layers were trained further, so that the description of a need is near the
// tools that meet it. The weights, as integers of 8 bits, and the vocabulary are embedded in the program; build/model
// generates them (see NOTICE). The model was trained on English texts; in other languages it recognizes little more than
// names.
//
// The encoder is written in Go and assembly rather than bound to an inference library, for four reasons: it needs no cgo,
// so that the hub builds and cross-compiles as a static binary; it needs no download, so that search works offline from
// the first start; it is small, at 24 MB for weights and vocabulary and no shared library; and it returns the same bits
// on every processor, so that stored vectors and tests stay valid on any machine. A call uses one core.
//
// The package stores and compares no vectors: see package embedding and package search.
package minilm

import "sync"

// Model identifies the model and the form of its weights. Vectors of different models cannot be compared.
const Model = "minilm-tools-2/int8"

// Dimensions is the length of every vector.
const Dimensions = hidden

// defaultTokens is the number of tokens that Encode reads by default.
const defaultTokens = 128

// maxIdle is the number of unused scratch buffers that an Encoder keeps. A buffer takes about 12 kB per token of the
// longest text it was used for.
const maxIdle = 4

// Encoder computes the vectors of texts. Its methods may be called concurrently.
type Encoder struct {
	model   *model
	words   vocabulary
	kernels kernels

	mu      sync.Mutex
	scratch []*scratch // unused buffers, at most maxIdle; guarded by mu
}

// New returns an encoder that uses the fastest kernels of this processor. It takes less than a millisecond because the
// large tables are not copied.
func New() *Encoder {
	return &Encoder{model: readModel(weights), words: readVocabulary(vocabularyData), kernels: fastest()}
}

// Encode returns the vector of a text, of length 1, which the caller owns. It reads the first maxTokens tokens, of
// which two mark the beginning and the end; 0 means 128, and the largest value is 256. Every text has a vector: invalid
// UTF-8 is skipped, and an empty text has the vector of a sentence without words.
func (e *Encoder) Encode(text string, maxTokens int) []float32 {
	if maxTokens <= 0 {
		maxTokens = defaultTokens
	}
	tokens := e.words.tokens(text, min(max(maxTokens, 2), positions))
	s := e.takeScratch(len(tokens))
	defer e.returnScratch(s)
	return e.model.encode(tokens, s, &e.kernels)
}

// Release frees the scratch buffers. The next call of Encode allocates new ones.
func (e *Encoder) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scratch = nil
}

// takeScratch returns a scratch buffer for that number of tokens.
func (e *Encoder) takeScratch(tokens int) *scratch {
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

// returnScratch keeps a scratch buffer for the next call.
func (e *Encoder) returnScratch(s *scratch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.scratch) < maxIdle {
		e.scratch = append(e.scratch, s)
	}
}
