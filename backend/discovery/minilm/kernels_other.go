//go:build !amd64 && !arm64

package minilm

func fastest() kernels { return plain }
