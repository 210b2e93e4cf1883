//go:build !race

package minilm

const watched = false
