//go:build !amd64 && !arm64

package minilm

// supportedKernels returns the kernels that this processor supports.
func supportedKernels() []kernels { return []kernels{plain} }
