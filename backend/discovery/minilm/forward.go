package minilm

import "math"

// block is the number of tokens, and span the number of matrix rows, that kernels.multiply handles at once.
const (
	block = 4
	span  = 64
)

// scratch is the memory for one text. The rows of its slices are tokens, padded to a multiple of block; rows beyond the
// last token hold undefined values.
type scratch struct {
	tokens    int
	state     []float32           // hidden values per token: the state that layers update
	change    []float32           // hidden values per token: the change to the state
	wide      []float32           // per token: queries, keys and values, or the inner activations of a feed-forward layer
	input     []int16             // quantised input of a matrix
	scales    []float32           // scale of each token in input
	exact     [][1 + kept]float32 // per token: 1 for the bias, and the inputs of the exact columns
	attention attention
	tile      tile
}

func newScratch(tokens int) *scratch {
	tokens = roundUp(tokens, block)
	wide := roundUp(tokens, mixWidth)
	return &scratch{
		tokens:    tokens,
		state:     make([]float32, tokens*hidden),
		change:    make([]float32, tokens*hidden),
		wide:      make([]float32, tokens*inner),
		input:     make([]int16, tokens*inner),
		scales:    make([]float32, tokens),
		exact:     make([][1 + kept]float32, tokens),
		attention: attention{keys: make([]float32, headSize*wide), scores: make([]float32, wide)},
	}
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// pass is the computation for one text.
type pass struct {
	*scratch
	*kernels
	tokens int
}

// encode returns the vector of the tokens, of length 1.
func (m *model) encode(tokens []uint16, s *scratch, k *kernels) []float32 {
	p := pass{s, k, len(tokens)}
	p.embed(m, tokens)
	for i := range m.layers {
		p.applyLayer(&m.layers[i])
	}
	return p.pool()
}

// embed sets the state to the embeddings of the tokens.
func (p *pass) embed(m *model, tokens []uint16) {
	for i, token := range tokens {
		state := p.state[i*hidden:][:hidden]
		copy(state, m.tokenType)
		m.words.add(state, int(token))
		m.positions.add(state, i)
		normalise(state, m.norm)
	}
}

// applyLayer applies one layer to the state: attention among all tokens, then a feed-forward network for each token.
func (p *pass) applyLayer(l *layer) {
	p.multiply(p.wide, &l.attention, p.state)
	p.attend(p.change, p.wide)
	p.multiply(p.change, &l.mixed, p.change)
	p.add(l.norm)
	p.multiply(p.wide, &l.up, p.state)
	p.kernels.gelu(p.wide[:p.tokens*inner])
	p.multiply(p.change, &l.down, p.wide)
	p.add(l.last)
}

// multiply computes, for each token, the product of the matrix and the token's values in from, plus the bias, and writes
// it to the slice to. to and from may be the same slice.
func (p *pass) multiply(to []float32, m *matrix, from []float32) {
	for i := range p.tokens {
		p.prepare(i, m, from[i*m.columns:][:m.columns])
	}
	for i := range p.tokens {
		p.kernels.mix(to[i*m.rows:][:m.rows], p.exact[i][:], m.floats, m.rows)
	}
	t := &p.tile
	t.group, t.stride, t.step = 16*m.columns, 2*m.columns, 4*m.rows
	for row := 0; row < m.rows; row += span {
		for part := range m.columns / section {
			column := part * section
			t.weights, t.rows = &m.values[row*m.columns+16*column], &m.scales[part*m.rows+row]
			for i := 0; i < p.tokens; i += block {
				t.input, t.scales, t.to = &p.input[i*m.columns+column], &p.scales[i], &to[i*m.rows+row]
				p.kernels.multiply(t)
			}
		}
	}
}

// prepare quantises the values of a token in from. The inputs of the exact columns are excluded: being by far the
// largest, they would leave little precision for the others.
func (p *pass) prepare(token int, m *matrix, from []float32) {
	exact := &p.exact[token]
	exact[0] = 1
	for i, column := range m.exact {
		exact[1+i], from[column] = from[column], 0
	}
	p.scales[token] = p.kernels.quantise(p.input[token*m.columns:][:m.columns], from)
	for i, column := range m.exact {
		from[column] = exact[1+i]
	}
}

// add adds the change to the state and normalises the result.
func (p *pass) add(n norm) {
	for i := range p.tokens {
		state, change := p.state[i*hidden:][:hidden], p.change[i*hidden:][:hidden]
		for j := range state {
			state[j] += change[j]
		}
		normalise(state, n)
	}
}

// pool returns the mean of the state over all tokens, scaled to length 1.
func (p *pass) pool() []float32 {
	mean := make([]float32, hidden)
	for i := range p.tokens {
		for j, value := range p.state[i*hidden:][:hidden] {
			mean[j] += value
		}
	}
	var square float64
	for _, value := range mean {
		square += float64(float64(value) * float64(value)) // the conversion prevents a fused operation
	}
	for i := range mean {
		mean[i] = float32(float64(mean[i]) / math.Sqrt(square))
	}
	return mean
}

// normalise scales a vector to mean 0 and variance 1, and then applies the learned scale and bias.
func normalise(x []float32, n norm) {
	mean := sum(x) / hidden
	var squares [4]float32
	for i := 0; i < hidden; i += 4 {
		for j := range squares {
			x[i+j] -= mean
			squares[j] += float32(x[i+j] * x[i+j]) // the conversion prevents a fused operation
		}
	}
	variance := (squares[0] + squares[1] + squares[2] + squares[3]) / hidden
	factor := float32(1 / math.Sqrt(float64(variance)+1e-12))
	scale, bias := n.scale[:len(x)], n.bias[:len(x)]
	for i, value := range x {
		x[i] = float32(value*factor*scale[i]) + bias[i]
	}
}

// sum adds the values of x, whose length is a multiple of 4. Four independent sums let the processor overlap the
// additions.
func sum(x []float32) float32 {
	var a, b, c, d float32
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	return a + b + c + d
}
