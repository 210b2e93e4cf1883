package dot

import "golang.org/x/sys/cpu"

// sections multiplies rows of whole sections, at least one.
func sections(a, b []int8) int32 {
	if cpu.X86.HasAVX2 {
		return sectionsAVX2(a, b)
	}
	return plain(a, b)
}

//go:noescape
func sectionsAVX2(a, b []int8) int32
