package search

// dotStep is the number of integers that the assembly kernel reads per step.
const dotStep = 32

// dotProduct returns the sum of a[i]*b[i]. Both slices have the same length, at
// most 131,071 so that the sum fits an int32. With AVX2 it reads 32 integers
// per step; every implementation returns the same sum.
func dotProduct(a, b []int8) int32 {
	b = b[:len(a)]
	whole := len(a) &^ (dotStep - 1)
	sum := dotPlain(a[whole:], b[whole:])
	if whole > 0 {
		sum += dotSteps(a[:whole], b[:whole])
	}
	return sum
}

// dotPlain is the implementation for all processors.
func dotPlain(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += int32(x[0]) * int32(y[0])
		s1 += int32(x[1]) * int32(y[1])
		s2 += int32(x[2]) * int32(y[2])
		s3 += int32(x[3]) * int32(y[3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}
