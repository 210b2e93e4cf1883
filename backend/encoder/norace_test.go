//go:build !race

package encoder

const watched = false
