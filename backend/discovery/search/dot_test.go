package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

// exactDot returns the dot product in 64-bit arithmetic.
func exactDot(a, b []int8) (sum int64) {
	for i := range a {
		sum += int64(a[i]) * int64(b[i])
	}
	return sum
}

func TestDotProductIsExactAtEveryLength(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for length := range 3*dotStep + 5 {
		a, b := make([]int8, length+1), make([]int8, length+1)
		for i := range a {
			a[i], b[i] = int8(random.IntN(256)-128), int8(random.IntN(256)-128)
		}
		for _, from := range []int{0, 1} { // aligned and unaligned
			x, y := a[from:][:length], b[1-from:][:length]
			if got, want := int64(dotProduct(x, y)), exactDot(x, y); got != want {
				t.Errorf("the product of %d integers at offset %d is %d, want %d", length, from, got, want)
			}
		}
	}
}

func TestDotProductDoesNotOverflow(t *testing.T) {
	for _, length := range []int{dotStep, 384, 3072, 1<<17 - 1} {
		for _, pair := range [][2]int8{{math.MinInt8, math.MinInt8}, {math.MinInt8, math.MaxInt8}, {math.MaxInt8, math.MaxInt8}} {
			a, b := make([]int8, length), make([]int8, length)
			for i := range a {
				a[i], b[i] = pair[0], pair[1]
			}
			if got, want := int64(dotProduct(a, b)), exactDot(a, b); got != want {
				t.Errorf("the product of %d times %v is %d, want %d", length, pair, got, want)
			}
			if got, want := int64(dotPlain(a, b)), exactDot(a, b); got != want {
				t.Errorf("dotPlain of %d times %v is %d, want %d", length, pair, got, want)
			}
		}
	}
}

func TestDotProductPanicsOnUnequalLengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for rows of unequal length")
		}
	}()
	dotProduct(make([]int8, dotStep), make([]int8, dotStep-1))
}

func BenchmarkDotProduct(b *testing.B) {
	rows := make([]int8, 10_000*384)
	for b.Loop() {
		for at := 0; at < len(rows); at += 384 {
			dotProduct(rows[:384], rows[at:at+384])
		}
	}
}
