package minilm

// everyKernels are those that this processor can run.
func everyKernels() []kernels { return []kernels{plain, neon} }
