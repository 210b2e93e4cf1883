package minilm

import (
	"math"
	"unsafe"
)

// kernels are the inner loops, which take nearly all of the time. All implementations of a kernel return the same bits
// for the same input: integer arithmetic is exact, and floats are combined in one fixed order without fused operations.
type kernels struct {
	name string

	// multiply adds the products of a tile to its output.
	multiply func(*tile)
	// quantise rounds the values of from to integers, writes them to the slice to, and returns their scale. The length of
	// from is a multiple of 16.
	quantise func(to []int16, from []float32) float32
	// gelu replaces each value x by x times the probability that a standard normal variable is less than x. The length
	// is a multiple of 8.
	gelu func(x []float32)
	// exp replaces each value x by exp(x-most). The length is a multiple of 8. Values above most may only occur in
	// padding.
	exp func(x []float32, most float32)
	// mix adds up rows of values, each multiplied by its weight, and writes the sum to the slice to, whose length is a
	// multiple of 32. stride is the distance between the rows.
	mix func(to, weights, values []float32, stride int)
}

// plain is the portable implementation in Go.
var plain = kernels{"plain", multiplyPlain, quantisePlain, geluPlain, expPlain, mixPlain}

// tile describes a part of a product: span rows and one section of columns of a matrix, times block tokens.
type tile struct {
	weights *int8    // 4 groups of 16 interleaved rows each
	group   int      // bytes from one group to the next
	input   *int16   // quantised values of the tokens, one per column of the matrix
	stride  int      // bytes from one token to the next
	scales  *float32 // scales of the tokens
	rows    *float32 // scales of the rows
	to      *float32 // the output for the first token
	step    int      // bytes from the output of one token to that of the next
}

// limit is the largest integer of a quantised input. It is so small that 1536 products of such integers with weights of
// at most 127 add up to an int32 without overflow.
const limit = 8191

// tiny is a limit for quantise: inputs whose magnitudes are all smaller become zero.
const tiny float32 = 1e-30

func multiplyPlain(t *tile) {
	for token := range block {
		input := unsafe.Slice((*int16)(unsafe.Add(unsafe.Pointer(t.input), token*t.stride)), section)
		to := unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(t.to), token*t.step)), span)
		scale := *(*float32)(unsafe.Add(unsafe.Pointer(t.scales), 4*token))
		rows := unsafe.Slice(t.rows, span)
		for group := range span / 16 {
			var sums [16]int32
			addUp(&sums, unsafe.Slice((*int8)(unsafe.Add(unsafe.Pointer(t.weights), group*t.group)), 16*section), input)
			for i, sum := range sums {
				row := group*16 + i
				to[row] += float32(float32(float32(sum)*rows[row]) * scale)
			}
		}
	}
}

// addUp adds to each of sixteen sums the product of its row with the input.
func addUp(sums *[16]int32, weights []int8, input []int16) {
	for ; len(weights) >= 32 && len(input) >= 2; weights, input = weights[32:], input[2:] {
		a, b := int32(input[0]), int32(input[1])
		pair := (*[32]int8)(weights)
		for i := 0; i < 16; i += 4 {
			sums[i] += a*int32(pair[2*i]) + b*int32(pair[2*i+1])
			sums[i+1] += a*int32(pair[2*i+2]) + b*int32(pair[2*i+3])
			sums[i+2] += a*int32(pair[2*i+4]) + b*int32(pair[2*i+5])
			sums[i+3] += a*int32(pair[2*i+6]) + b*int32(pair[2*i+7])
		}
	}
}

func quantisePlain(to []int16, from []float32) float32 {
	var most float32
	for _, value := range from {
		most = max(most, value, -value)
	}
	if most < tiny {
		clear(to)
		return 0
	}
	factor := limit / most
	for i, value := range from {
		to[i] = int16(nearest(value * factor))
	}
	return most / limit
}

// nearest rounds to an integer, halves to even. The addition of a number so large that a float32 has no fraction bits
// left does the rounding.
func nearest(x float32) int32 {
	const shift = 3 << 22
	return int32(math.Float32bits(float32(x)+shift)) - int32(math.Float32bits(shift))
}

// geluPlain approximates the error function by formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical
// Functions, with an error below 1.5e-7.
func geluPlain(x []float32) {
	for i, value := range x {
		size := max(value, -value)
		t := 1 / (1 + float32(erfStep*size))
		sum := float32(erf5*t) + erf4
		sum = float32(sum*t) + erf3
		sum = float32(sum*t) + erf2
		sum = float32(sum*t) + erf1
		tail := float32(sum*t) * power(-float32(float32(0.5*size)*size))
		x[i] = max(value, 0) - float32(float32(0.5*size)*tail)
	}
}

func expPlain(x []float32, most float32) {
	for i, value := range x {
		x[i] = power(value - most)
	}
}

// power returns e to the power of x, for x up to 0; below lowest it returns the value for lowest. It splits off a power
// of two. For the rest, whose magnitude is at most half of ln 2, it uses the Taylor polynomial of degree six.
func power(x float32) float32 {
	x = max(x, lowest)
	n := nearest(float32(x * log2E))
	r := x - float32(float32(n)*ln2High)
	r -= float32(float32(n) * ln2Low)
	sum := float32(r*taylor6) + taylor5
	sum = float32(sum*r) + taylor4
	sum = float32(sum*r) + taylor3
	sum = float32(sum*r) + taylor2
	sum = float32(sum*r) + 1
	sum = float32(sum*r) + 1
	return sum * math.Float32frombits(uint32(n+127)<<23)
}

// Constants of power and gelu. ln 2 is split in two; the upper part has so few bits that its products with integers are
// exact.
const (
	lowest  float32 = -87
	log2E   float32 = 1.4426950408889634
	ln2High float32 = 0.693359375
	ln2Low  float32 = -2.12194440054690583e-4
	taylor2 float32 = 1.0 / 2
	taylor3 float32 = 1.0 / 6
	taylor4 float32 = 1.0 / 24
	taylor5 float32 = 1.0 / 120
	taylor6 float32 = 1.0 / 720

	erfStep float32 = 0.3275911 / 1.4142135623730951
	erf1    float32 = 0.254829592
	erf2    float32 = -0.284496736
	erf3    float32 = 1.421413741
	erf4    float32 = -1.453152027
	erf5    float32 = 1.061405429
)

func mixPlain(to, weights, values []float32, stride int) {
	clear(to)
	for i, weight := range weights {
		for j, value := range values[i*stride:][:len(to)] {
			to[j] += float32(weight * value)
		}
	}
}
