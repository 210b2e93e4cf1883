// Package dot answers one question: what the product of two rows of small
// integers is. It knows no vectors and no tools. Where the processor has AVX2
// it multiplies sixteen at a time; all ways give the same numbers.
package dot

// section is how many integers a kernel takes in one step.
const section = 32

// Product is the sum of a[i]*b[i]. Both rows are equally long, of at most
// 131,071 integers: more might not fit the sum.
func Product(a, b []int8) int32 {
	b = b[:len(a)]
	whole := len(a) &^ (section - 1)
	sum := plain(a[whole:], b[whole:])
	if whole > 0 {
		sum += sections(a[:whole], b[:whole])
	}
	return sum
}

// plain is what every processor can do.
func plain(a, b []int8) int32 {
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
