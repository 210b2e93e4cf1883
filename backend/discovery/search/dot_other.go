//go:build !amd64

package search

// dotSteps returns the sum of a[i]*b[i]. The length must be a positive multiple of dotStep.
func dotSteps(a, b []int8) int32 { return dotPlain(a, b) }
