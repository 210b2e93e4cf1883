//go:build !amd64 && !arm64

package minilm

// fastest returns the fastest kernels that the processor supports.
func fastest() kernels { return plain }
