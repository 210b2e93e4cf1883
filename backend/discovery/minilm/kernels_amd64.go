package minilm

import "golang.org/x/sys/cpu"

// avx2 requires AVX2.
var avx2 = kernels{"avx2", multiplyAVX2, quantiseAVX2, geluAVX2, expAVX2, mixAVX2}

// vnni requires AVX-512 with VNNI, whose instruction multiplies and adds sixteen rows at once.
var vnni = kernels{"vnni", multiplyVNNI, quantiseAVX2, geluAVX2, expAVX2, mixAVX2}

// fastest returns the fastest kernels that the processor and the operating system support.
func fastest() kernels {
	switch {
	case hasVNNI():
		return vnni
	case cpu.X86.HasAVX2:
		return avx2
	}
	return plain
}

func hasVNNI() bool {
	return cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI
}

// constants are the values that the kernels broadcast to all lanes of a register, in the order of the names in
// kernels_amd64.s.
//
//lint:ignore U1000 used by the assembly code only
var constants = [...]float32{
	lowest, log2E, ln2High, ln2Low, taylor6, taylor5, taylor4, taylor3, taylor2, 1,
	erfStep, erf5, erf4, erf3, erf2, erf1, 0.5, limit, tiny,
}

//go:noescape
func multiplyAVX2(t *tile)

//go:noescape
func multiplyVNNI(t *tile)

//go:noescape
func quantiseAVX2(to []int16, from []float32) float32

//go:noescape
func geluAVX2(x []float32)

//go:noescape
func expAVX2(x []float32, most float32)

//go:noescape
func mixAVX2(to, weights, values []float32, stride int)
