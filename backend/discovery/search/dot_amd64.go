package search

import "golang.org/x/sys/cpu"

// dotSteps returns the sum of a[i]*b[i]. The length must be a positive multiple of dotStep.
func dotSteps(a, b []int8) int32 {
	if cpu.X86.HasAVX2 {
		return dotStepsAVX2(a, b)
	}
	return dotPlain(a, b)
}

//go:noescape
func dotStepsAVX2(a, b []int8) int32
