//go:build !amd64

package search

// dotSteps requires a length that is a positive multiple of dotStep.
func dotSteps(a, b []int8) int32 { return dotPlain(a, b) }
