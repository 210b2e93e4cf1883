package minilm

import "math"

// block is how many tokens a kernel multiplies at once, and span with how many rows of a matrix.
const (
	block = 4
	span  = 64
)

// scratch is the memory that one text takes on its way through the model. Rows are tokens, up to a multiple of block;
// what is in the rows above the last token means nothing.
type scratch struct {
	tokens    int
	state     []float32           // hidden for each token: what layers change
	change    []float32           // hidden for each token: what a step adds to the state
	wide      []float32           // queries, keys and values, or the inside of a layer
	input     []int16             // what a matrix is multiplied with
	scales    []float32           // one for each token of input
	exact     [][1 + kept]float32 // what the bias and the exact columns are multiplied with
	attention attention
	tile      tile
}

func newScratch(tokens int) *scratch {
	tokens = roundUp(tokens, block)
	return &scratch{
		tokens:    tokens,
		state:     make([]float32, tokens*hidden),
		change:    make([]float32, tokens*hidden),
		wide:      make([]float32, tokens*inner),
		input:     make([]int16, tokens*inner),
		scales:    make([]float32, tokens),
		exact:     make([][1 + kept]float32, tokens),
		attention: newAttention(tokens),
	}
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// pass is one text on its way through the model.
type pass struct {
	*scratch
	*kernels
	tokens int
}

// encode returns the vector of the tokens, of length one.
func (m *model) encode(tokens []uint16, s *scratch, k *kernels) []float32 {
	p := pass{s, k, len(tokens)}
	p.embed(m, tokens)
	for i := range m.layers {
		p.through(&m.layers[i])
	}
	return p.pool()
}

func (p *pass) embed(m *model, tokens []uint16) {
	for i, token := range tokens {
		state := p.state[i*hidden:][:hidden]
		copy(state, m.every)
		m.words.add(state, int(token))
		m.positions.add(state, i)
		normalise(state, m.norm)
	}
}

// through takes the state through one layer: every token looks at all others, then each is worked on by itself.
func (p *pass) through(l *layer) {
	p.multiply(p.wide, &l.attention, p.state)
	p.attend(p.change, p.wide)
	p.multiply(p.change, &l.mixed, p.change)
	p.add(l.norm)
	p.multiply(p.wide, &l.up, p.state)
	p.kernels.gelu(p.wide[:p.tokens*inner])
	p.multiply(p.change, &l.down, p.wide)
	p.add(l.last)
}

// multiply sets to, for each token, to the product of the matrix and what the token has in from. They may be the same.
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

// prepare makes an input of what a token has in from. What the exact columns are multiplied with stays out of it: so
// large, it would leave few of the integers for all the rest.
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

// add adds the change to the state and normalises it.
func (p *pass) add(n norm) {
	for i := range p.tokens {
		state, change := p.state[i*hidden:][:hidden], p.change[i*hidden:][:hidden]
		for j := range state {
			state[j] += change[j]
		}
		normalise(state, n)
	}
}

// pool returns the mean of all tokens, brought to length one.
func (p *pass) pool() []float32 {
	mean := make([]float32, hidden)
	for i := range p.tokens {
		for j, value := range p.state[i*hidden:][:hidden] {
			mean[j] += value
		}
	}
	var square float64
	for _, value := range mean {
		square += float64(value) * float64(value)
	}
	for i := range mean {
		mean[i] = float32(float64(mean[i]) / math.Sqrt(square))
	}
	return mean
}

// normalise brings a vector to mean 0 and variance 1, then to the scale and bias that were learned.
func normalise(x []float32, n norm) {
	mean := sum(x) / hidden
	var squares [4]float32
	for i := 0; i < hidden; i += 4 {
		for j := range squares {
			x[i+j] -= mean
			squares[j] += x[i+j] * x[i+j]
		}
	}
	variance := (squares[0] + squares[1] + squares[2] + squares[3]) / hidden
	factor := float32(1 / math.Sqrt(float64(variance)+1e-12))
	scale, bias := n.scale[:len(x)], n.bias[:len(x)]
	for i, value := range x {
		x[i] = value*factor*scale[i] + bias[i]
	}
}

// sum adds values, whose number is a multiple of four, in four strands that do not wait for each other.
func sum(x []float32) float32 {
	var a, b, c, d float32
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	return a + b + c + d
}
