package minilm

import "math"

// tier is how many values the kernel that mixes vectors makes at once.
const tier = 32

// attention is the memory that one head takes: the keys of all tokens side by side, and what one token makes of them.
type attention struct {
	keys   []float32 // headSize rows, one value for each token
	scores []float32
}

func newAttention(tokens int) attention {
	wide := roundUp(tokens, tier)
	return attention{make([]float32, headSize*wide), make([]float32, wide)}
}

// attend sets to, for each token and head, to the mean of the values of all tokens, each weighed by how well its key
// fits the query of the token. From holds queries, keys and values of a token one after the other.
func (p *pass) attend(to, from []float32) {
	wide := roundUp(p.tokens, tier)
	scores := p.attention.scores[:wide]
	for head := 0; head < hidden; head += headSize {
		p.turn(from[hidden+head:], wide)
		for i := range p.tokens {
			p.kernels.mix(scores, from[i*3*hidden+head:][:headSize], p.attention.keys, wide)
			total := p.soften(scores)
			mixed := to[i*hidden+head:][:headSize]
			p.kernels.mix(mixed, scores[:p.tokens], from[2*hidden+head:], 3*hidden)
			for j := range mixed {
				mixed[j] /= total
			}
		}
	}
}

// turn puts the keys of a head in columns. Those beyond the last token mean nothing.
func (p *pass) turn(from []float32, wide int) {
	keys := p.attention.keys
	for i := range p.tokens {
		for j, value := range from[i*3*hidden:][:headSize] {
			keys[j*wide+i] = value
		}
	}
}

// soften makes weights of the scores of the tokens and returns what they add up to.
func (p *pass) soften(scores []float32) float32 {
	most := float32(math.Inf(-1))
	for _, score := range scores[:p.tokens] {
		if score > most { // max would look for what is no number
			most = score
		}
	}
	p.kernels.exp(scores[:roundUp(p.tokens, 8)], most)
	clear(scores[p.tokens:])
	return sum(scores)
}
