//go:build !amd64

package dot

// sections multiplies rows of whole sections, at least one.
func sections(a, b []int8) int32 { return plain(a, b) }
