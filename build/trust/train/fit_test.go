package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rows returns examples whose log odds are 2x-y-1.
func rows(n int) []example {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]example, n)
	for i := range list {
		x, y := float32(random.NormFloat64()), float32(random.NormFloat64())
		odds := 2*float64(x) - float64(y) - 1
		list[i] = example{[]value{{0, x}, {1, y}}, random.Float64() < sigmoid(odds), 1}
	}
	return list
}

func TestFitFindsTheWeights(t *testing.T) {
	w := fit(rows(20_000), 2, 1e-3)
	for i, want := range []float64{2, -1, -1} {
		if math.Abs(w[i]-want) > .1 {
			t.Errorf("weight %d is %.3f; want about %v", i, w[i], want)
		}
	}
}

func TestFitEndsAtAMinimum(t *testing.T) {
	p := problem{rows: rows(500), penalty: 3}
	w := fit(p.rows, 2, p.penalty)
	g := make([]float64, len(w))
	p.evaluate(w, g)
	if length := math.Sqrt(dot(g, g)); length > .05 {
		t.Errorf("the gradient has the length %v", length)
	}
}

func TestTheGradientIsThatOfTheLoss(t *testing.T) {
	p := problem{rows: rows(50), penalty: .5}
	w, g, none := []float64{.3, -.2, .1}, make([]float64, 3), make([]float64, 3)
	p.evaluate(w, g)
	for i := range w {
		const step = 1e-6
		up, down := append([]float64(nil), w...), append([]float64(nil), w...)
		up[i] += step
		down[i] -= step
		if slope := (p.evaluate(up, none) - p.evaluate(down, none)) / (2 * step); math.Abs(slope-g[i]) > 1e-4 {
			t.Errorf("the slope of weight %d is %v, its gradient %v", i, slope, g[i])
		}
	}
}
