package main

import "math"

// small is a matrix of integers from -127 to 127. Each section of a row has a scale that converts them back to floats.
type small struct {
	columns int
	values  []int8
	scales  []float32
}

// section is the number of columns that share a scale in each row.
const section = 192

// quantise rounds a matrix with the given number of columns to integers. Each row is scaled so that its largest
// magnitude becomes 127.
func quantise(values []float32, columns int) small {
	q := small{columns, make([]int8, len(values)), make([]float32, len(values)/columns)}
	for row := range q.scales {
		from, to := values[row*columns:][:columns], q.values[row*columns:][:columns]
		largest := float32(1e-30) // a row of zeros needs a scale, too
		for _, value := range from {
			largest = max(largest, value, -value)
		}
		q.scales[row] = largest / 127
		for i, value := range from {
			to[i] = int8(math.RoundToEven(float64(value) / float64(q.scales[row])))
		}
	}
	return q
}

func transpose(values []float32, columns int) []float32 {
	out := make([]float32, 0, len(values))
	for column := range columns {
		for at := column; at < len(values); at += columns {
			out = append(out, values[at])
		}
	}
	return out
}

// interleave groups the rows of a matrix by sixteen and, in each group, the columns by two: columns 0 and 1 of row 0,
// of row 1, and so on to row 15, then columns 2 and 3 of row 0. With this layout, a processor multiplies two input
// values with two columns of as many rows as fit a register, and the sums of different rows remain in separate lanes.
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
