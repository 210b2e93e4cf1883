package minilm

// neon multiplies eight rows at once. Every arm64 processor supports it.
var neon = kernels{"neon", multiplyNEON, quantisePlain, geluPlain, expPlain, mixPlain}

// fastest returns the fastest kernels that the processor supports.
func fastest() kernels { return neon }

//go:noescape
func multiplyNEON(t *tile)
