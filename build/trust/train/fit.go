package main

import "math"

// value is a value of a sparse row; columns without a value are 0.
type value struct {
	column int32
	x      float32
}

// example is one row of the training set.
type example struct {
	values   []value
	positive bool
	weight   float64
}

// fit returns the weights and, last, the bias of a logistic regression that minimises the weighted log loss plus
// half of penalty times the square of each weight, by L-BFGS (Nocedal and Wright, Numerical Optimization, algorithm
// 7.5). The bias is not penalised. The result depends on the arguments only.
func fit(rows []example, columns int, penalty float64) []float64 {
	n := columns + 1
	p := problem{rows: rows, penalty: penalty}
	w, g := make([]float64, n), make([]float64, n)
	loss := p.evaluate(w, g)
	var h history
	next, gradient := make([]float64, n), make([]float64, n)
	for range maxSteps {
		d := h.direction(g)
		slope := dot(d, g)
		if slope >= 0 { // rounding errors have accumulated
			h = history{}
			d = h.direction(g)
			slope = dot(d, g)
		}
		step := 1.0
		if len(h.s) == 0 {
			step = 1 / math.Sqrt(dot(g, g))
		}
		var reached float64
		for range 40 { // backtracking until the loss decreases enough
			for i := range w {
				next[i] = w[i] + step*d[i]
			}
			if reached = p.evaluate(next, gradient); reached <= loss+1e-4*step*slope {
				break
			}
			step /= 2
		}
		h.add(next, w, gradient, g)
		done := loss-reached < 1e-7*math.Abs(loss)
		copy(w, next)
		copy(g, gradient)
		loss = reached
		if done {
			break
		}
	}
	return w
}

const (
	maxSteps = 300 // far more than the training needs
	memory   = 12  // pairs that approximate the Hessian
)

// problem is the function that fit minimises.
type problem struct {
	rows    []example
	penalty float64
}

// evaluate returns the loss at w and writes its gradient to g.
func (p problem) evaluate(w, g []float64) float64 {
	clear(g)
	bias := len(w) - 1
	var loss float64
	for _, row := range p.rows {
		z := w[bias]
		for _, v := range row.values {
			z += w[v.column] * float64(v.x)
		}
		y := 0.0
		if row.positive {
			y = 1
		}
		loss += row.weight * (softplus(z) - y*z)
		e := row.weight * (sigmoid(z) - y)
		for _, v := range row.values {
			g[v.column] += e * float64(v.x)
		}
		g[bias] += e
	}
	for i, v := range w[:bias] {
		loss += p.penalty / 2 * v * v
		g[i] += p.penalty * v
	}
	return loss
}

func softplus(z float64) float64 {
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

func sigmoid(z float64) float64 {
	return 1 / (1 + math.Exp(-z))
}

// history holds the latest changes of the weights and of the gradient.
type history struct {
	s, y [][]float64
}

func (h *history) add(to, from, gTo, gFrom []float64) {
	s, y := make([]float64, len(to)), make([]float64, len(to))
	for i := range s {
		s[i], y[i] = to[i]-from[i], gTo[i]-gFrom[i]
	}
	if dot(s, y) <= 1e-12 {
		return
	}
	h.s, h.y = append(h.s, s), append(h.y, y)
	if len(h.s) > memory {
		h.s, h.y = h.s[1:], h.y[1:]
	}
}

// direction returns the direction of descent at gradient g.
func (h *history) direction(g []float64) []float64 {
	d := make([]float64, len(g))
	for i, v := range g {
		d[i] = -v
	}
	alpha := make([]float64, len(h.s))
	for k := len(h.s) - 1; k >= 0; k-- {
		alpha[k] = dot(h.s[k], d) / dot(h.s[k], h.y[k])
		for i, v := range h.y[k] {
			d[i] -= alpha[k] * v
		}
	}
	if k := len(h.s) - 1; k >= 0 {
		scale := dot(h.s[k], h.y[k]) / dot(h.y[k], h.y[k])
		for i := range d {
			d[i] *= scale
		}
	}
	for k := range h.s {
		beta := dot(h.y[k], d) / dot(h.s[k], h.y[k])
		for i, v := range h.s[k] {
			d[i] += (alpha[k] - beta) * v
		}
	}
	return d
}

func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
