package minilm

import "golang.org/x/sys/cpu"

// everyKernels are those that this processor can run.
func everyKernels() []kernels {
	all := []kernels{plain}
	if cpu.X86.HasAVX2 {
		all = append(all, avx2)
	}
	if hasVNNI() {
		all = append(all, vnni)
	}
	return all
}
