//go:build !amd64 && !arm64

package encoder

func fastest() kernels { return plain }
