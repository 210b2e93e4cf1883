package minilm

import "golang.org/x/sys/cpu"

// supportedKernels returns the kernels that this processor supports.
func supportedKernels() []kernels {
	all := []kernels{plain}
	if cpu.X86.HasAVX2 {
		all = append(all, avx2)
	}
	if hasVNNI() {
		all = append(all, vnni)
	}
	return all
}
