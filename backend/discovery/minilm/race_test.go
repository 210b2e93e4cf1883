//go:build race

package minilm

// watched says that the race detector looks at every step: plain kernels take
// minutes then, and share nothing.
const watched = true
