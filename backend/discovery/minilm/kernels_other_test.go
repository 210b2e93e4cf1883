//go:build !amd64 && !arm64

package minilm

// everyKernels are those that this processor can run.
func everyKernels() []kernels { return []kernels{plain} }
