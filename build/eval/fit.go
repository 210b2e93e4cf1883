package main

import (
	"math"
	"math/rand/v2"
)

// example is a weighted example for a regression.
type example struct {
	x      []float64
	yes    bool
	weight float64
}

// lossWeight is the weight of the loss relative to half of the sum of squared
// weights. The lower it is, the closer the weights are to zero.
const lossWeight = 0.5

// regression is a logistic regression: for the features x, the odds of the label yes
// are exp(bias + weights·x).
type regression struct {
	weights []float64
	bias    float64
}

// of returns the probability of the label yes for the features x.
func (r regression) of(x []float64) float64 {
	sum := r.bias
	for i, w := range r.weights {
		sum += w * x[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// fit returns the regression with the least penalized loss on the examples, by
// Newton's method. Features are standardized first, so that the penalty affects
// all alike.
func fit(examples []example) regression {
	mean, spread := moments(examples)
	n := len(mean)
	scaled := make([]example, len(examples))
	for i, e := range examples {
		x := make([]float64, n+1)
		x[n] = 1 // for the bias
		for j := range mean {
			x[j] = (e.x[j] - mean[j]) / spread[j]
		}
		scaled[i] = example{x, e.yes, e.weight}
	}
	w := newton(scaled, n)
	r := regression{weights: make([]float64, n), bias: w[n]}
	for j := range mean {
		r.weights[j] = w[j] / spread[j]
		r.bias -= r.weights[j] * mean[j]
	}
	return r
}

// moments returns the mean and the standard deviation of each feature.
func moments(examples []example) (mean, spread []float64) {
	n := len(examples[0].x)
	mean, spread = make([]float64, n), make([]float64, n)
	for j := range n {
		for _, e := range examples {
			mean[j] += e.x[j] / float64(len(examples))
		}
		for _, e := range examples {
			spread[j] += (e.x[j] - mean[j]) * (e.x[j] - mean[j]) / float64(len(examples))
		}
		if spread[j] = math.Sqrt(spread[j]); spread[j] < 1e-9 {
			spread[j] = 1 // a constant feature gets the weight 0
		}
	}
	return mean, spread
}

// newton returns the n weights and, last, the bias with the least penalized loss.
func newton(examples []example, n int) []float64 {
	const maxSteps, tolerance = 100, 1e-9
	w := make([]float64, n+1)
	for range maxSteps {
		slope, curve := derivatives(examples, w, n)
		step, far := solve(curve, slope), 0.0
		for i := range w {
			// Long steps may overshoot where the loss is flat.
			w[i] -= min(max(step[i], -2), 2)
			far = max(far, math.Abs(step[i]))
		}
		if far < tolerance {
			break
		}
	}
	return w
}

// derivatives returns the first and second derivatives of the penalized loss.
func derivatives(examples []example, w []float64, n int) (slope []float64, curve [][]float64) {
	slope, curve = make([]float64, n+1), make([][]float64, n+1)
	for i := range curve {
		curve[i] = make([]float64, n+1)
		if i < n {
			slope[i], curve[i][i] = w[i], 1
		}
	}
	for _, e := range examples {
		p := regression{weights: w}.of(e.x)
		off, steep := p, lossWeight*e.weight*p*(1-p)
		if e.yes {
			off--
		}
		for i, xi := range e.x {
			slope[i] += lossWeight * e.weight * off * xi
			for j, xj := range e.x {
				curve[i][j] += steep * xi * xj
			}
		}
	}
	curve[n][n] += 1e-12 // keeps the matrix invertible when all examples are certain
	return slope, curve
}

// solve returns the solution x of a·x = b by elimination. a must be positive
// definite; it is overwritten.
func solve(a [][]float64, b []float64) []float64 {
	for i := range b {
		for k := i + 1; k < len(b); k++ {
			f := a[k][i] / a[i][i]
			for j := i; j < len(b); j++ {
				a[k][j] -= f * a[i][j]
			}
			b[k] -= f * b[i]
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		for j := i + 1; j < len(b); j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}

// folds assigns n items to folds at random, in the same way for the same seed.
func folds(n, folds int, seed uint64) []int {
	out := make([]int, n)
	for i, at := range rand.New(rand.NewPCG(seed, 1)).Perm(n) {
		out[at] = i % folds
	}
	return out
}
