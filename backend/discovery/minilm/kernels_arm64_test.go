package minilm

// supportedKernels returns the kernels that this processor supports.
func supportedKernels() []kernels { return []kernels{plain, neon} }
