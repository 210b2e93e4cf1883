package minilm

// neon uses NEON instructions to multiply. Every arm64 processor supports them.
var neon = kernels{"neon", multiplyNEON, quantisePlain, geluPlain, expPlain, mixPlain}

// fastest returns the fastest kernels that the processor supports.
func fastest() kernels { return neon }

//go:noescape
func multiplyNEON(t *tile)
