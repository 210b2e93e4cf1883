package minilm

import "math"

// mixWidth is the number of values that kernels.mix computes at once.
const mixWidth = 32

// attention is the memory for one attention head: the keys of all tokens in columns, and the scores of one token.
type attention struct {
	keys   []float32 // headSize rows, one value for each token
	scores []float32
}

// attend computes multi-head attention and writes the result to the slice to: for each token and head, the mean of the
// values of all tokens, weighted by the softmax of the products of the token's query with their keys. from holds query,
// key and value of each token in sequence.
func (p *pass) attend(to, from []float32) {
	wide := roundUp(p.tokens, mixWidth)
	scores := p.attention.scores[:wide]
	for head := 0; head < hidden; head += headSize {
		p.transposeKeys(from[hidden+head:], wide)
		for i := range p.tokens {
			p.kernels.mix(scores, from[i*3*hidden+head:][:headSize], p.attention.keys, wide)
			total := p.softmax(scores)
			mixed := to[i*hidden+head:][:headSize]
			p.kernels.mix(mixed, scores[:p.tokens], from[2*hidden+head:], 3*hidden)
			for j := range mixed {
				mixed[j] /= total
			}
		}
	}
}

// transposeKeys copies the keys of a head into columns. Columns beyond the last token hold undefined values.
func (p *pass) transposeKeys(from []float32, wide int) {
	keys := p.attention.keys
	for i := range p.tokens {
		for j, value := range from[i*3*hidden:][:headSize] {
			keys[j*wide+i] = value
		}
	}
}

// softmax replaces each score s by exp(s-m), where m is the largest score, and returns the sum of the results.
func (p *pass) softmax(scores []float32) float32 {
	most := float32(math.Inf(-1))
	for _, score := range scores[:p.tokens] {
		if score > most { // faster than max, which checks for NaN
			most = score
		}
	}
	p.kernels.exp(scores[:roundUp(p.tokens, 8)], most)
	clear(scores[p.tokens:])
	return sum(scores)
}
