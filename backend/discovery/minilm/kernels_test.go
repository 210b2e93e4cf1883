package minilm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestProductsAreExact(t *testing.T) {
	for _, k := range supportedKernels() {
		for _, columns := range []int{section, 2 * section, inner} {
			for _, extreme := range []bool{false, true} {
				checkProduct(t, k, columns, extreme)
			}
		}
	}
}

// checkProduct multiplies one tile, in the last section of a matrix with that number of columns, and compares the result
// with sums in 64-bit integers.
func checkProduct(t *testing.T, k kernels, columns int, extreme bool) {
	t.Helper()
	const step = span + 3
	random := rand.New(rand.NewPCG(uint64(columns), 1))
	weights, input := make([]int8, span*columns), make([]int16, block*columns)
	for i := range weights {
		if weights[i] = int8(random.IntN(255) - 127); extreme {
			weights[i] = 127
		}
	}
	for i := range input {
		if input[i] = int16(random.IntN(2*limit+1) - limit); extreme {
			input[i] = int16(limit * (1 - 2*(i/columns%2)))
		}
	}
	rows, scales, to := floats(random, span), floats(random, block), floats(random, block*step)
	want := slices.Clone(to)
	first := columns - section
	for i := range block * span {
		token, row := i/span, i%span
		var sum int64
		for column := first; column < columns; column++ {
			at := row/16*16*columns + column/2*32 + row%16*2 + column%2
			sum += int64(weights[at]) * int64(input[token*columns+column])
		}
		want[token*step+row] += float32(float32(float32(sum)*rows[row]) * scales[token])
	}
	k.multiply(&tile{
		weights: &weights[16*first], group: 16 * columns, input: &input[first], stride: 2 * columns,
		scales: &scales[0], rows: &rows[0], to: &to[0], step: 4 * step,
	})
	sameBits(t, k.name+": multiply", to, want)
}

func floats(random *rand.Rand, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(random.NormFloat64() * 3)
	}
	return values
}

// edgeCases are the extreme and special values that the kernels must handle.
var edgeCases = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 1.5, 2.5, -1.5, 1e-20, -1e-20, 1e-45, 1e4, -1e4, 12.5, -12.5, 88, -88,
	86.99, -86.99, 1e18, -1e18, 3.4e38, -3.4e38,
}

func TestAllKernelsAgreeBitForBit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, k := range supportedKernels() {
		for _, size := range []int{16, 32, 48, 96, hidden, inner} {
			values := floats(random, size)
			compareFloats(t, k, values)
			for i := range values {
				values[i] = edgeCases[random.IntN(len(edgeCases))]
			}
			compareFloats(t, k, values)
			compareFloats(t, k, make([]float32, size))
			compareMix(t, k, random, size)
		}
	}
}

// compareFloats checks that k computes the same results from values as plain, the kernels in Go.
func compareFloats(t *testing.T, k kernels, values []float32) {
	t.Helper()
	want, got := make([]int16, len(values)), make([]int16, len(values))
	wantScale, gotScale := plain.quantise(want, values), k.quantise(got, values)
	if wantScale != gotScale || !slices.Equal(want, got) {
		t.Fatalf("%s: quantise returns %v with the scale %v, want %v with %v", k.name, got, gotScale, want, wantScale)
	}
	modest := slices.Clone(values)
	for i := range modest {
		modest[i] = min(max(modest[i], -1e9), 1e9) // the square must be finite
	}
	a, b := slices.Clone(modest), slices.Clone(modest)
	plain.gelu(a)
	k.gelu(b)
	sameBits(t, k.name+": gelu", b, a)
	a, b = slices.Clone(values), slices.Clone(values)
	plain.exp(a, slices.Max(values))
	k.exp(b, slices.Max(values))
	sameBits(t, k.name+": exp", b, a)
}

// compareMix compares the results of k.mix with those of plain.mix.
func compareMix(t *testing.T, k kernels, random *rand.Rand, size int) {
	t.Helper()
	size = roundUp(size, mixWidth)
	for _, count := range []int{1, 2, 3, 31, 77} {
		weights, values := floats(random, count), floats(random, count*(size+5))
		want, got := make([]float32, size), floats(random, size)
		plain.mix(want, weights, values, size+5)
		k.mix(got, weights, values, size+5)
		sameBits(t, k.name+": mix", got, want)
	}
}

func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: got %v at %d, want %v", what, got[i], i, want[i])
		}
	}
}

func TestApproximationsAreClose(t *testing.T) {
	for x := -20.0; x < 20; x += 1.0 / 256 {
		value := []float32{float32(x)}
		geluPlain(value)
		if want := x / 2 * (1 + math.Erf(x/math.Sqrt2)); math.Abs(float64(value[0])-want) > 1e-6 {
			t.Errorf("gelu of %v is %v, want %v", x, value[0], want)
		}
		if got, want := float64(power(float32(-x*x))), math.Exp(-x*x); math.Abs(got-want) > 1e-6*want+1e-37 {
			t.Errorf("e to the power of %v is %v, want %v", -x*x, got, want)
		}
	}
}

func TestQuantisedValuesAreCloseToTheirInputs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	values := floats(random, hidden)
	rounded := make([]int16, hidden)
	scale := plain.quantise(rounded, values)
	for i, value := range values {
		if math.Abs(float64(value-scale*float32(rounded[i]))) > float64(scale)*0.51 {
			t.Errorf("%v is quantised to %v", value, scale*float32(rounded[i]))
		}
	}
}
