package main

import "math"

// small is a matrix whose values are integers from -127 to 127; each row has a scale that makes floats of them again.
type small struct {
	columns int
	values  []int8
	scales  []float32
}

// section is how many columns of a matrix share a scale in each row.
const section = 192

// quantise rounds each row to the integers that its largest value allows.
func quantise(values []float32, columns int) small {
	q := small{columns, make([]int8, len(values)), make([]float32, len(values)/columns)}
	for row := range q.scales {
		from, to := values[row*columns:][:columns], q.values[row*columns:][:columns]
		q.scales[row] = largest(from) / 127
		for i, value := range from {
			to[i] = int8(math.RoundToEven(float64(value) / float64(q.scales[row])))
		}
	}
	return q
}

func largest(values []float32) float32 {
	most := float32(1e-30) // a row of zeros needs a scale as well
	for _, value := range values {
		most = max(most, value, -value)
	}
	return most
}

// turn makes columns of rows.
func turn(values []float32, columns int) []float32 {
	out := make([]float32, 0, len(values))
	for column := range columns {
		for at := column; at < len(values); at += columns {
			out = append(out, values[at])
		}
	}
	return out
}

// interleave brings the rows of a matrix together by sixteen, and in each such group the columns by two: column 0 and 1
// of row 0, of row 1, to row 15, then column 2 and 3 of row 0. A processor then multiplies two values of an input with
// two columns of as many rows as fit its registers, and the sums of different rows never mix.
func interleave(values []int8, columns int) []int8 {
	out := make([]int8, 0, len(values))
	for group := 0; group < len(values); group += lane * columns {
		for column := 0; column < columns; column += 2 {
			for row := range lane {
				at := group + row*columns + column
				out = append(out, values[at], values[at+1])
			}
		}
	}
	return out
}
