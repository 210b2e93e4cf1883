package encoder

func fastest() kernels { return plain }
