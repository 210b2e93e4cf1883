package minilm

// neon multiplies eight rows at once; every processor of this kind can.
var neon = kernels{"neon", multiplyNEON, quantisePlain, geluPlain, expPlain, mixPlain}

// fastest returns the best kernels that the processor has.
func fastest() kernels { return neon }

//go:noescape
func multiplyNEON(t *tile)
