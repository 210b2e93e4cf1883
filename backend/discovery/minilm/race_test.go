//go:build race

package minilm

// raceEnabled reports that the race detector is on. It makes the plain kernels take minutes, and they share no memory.
const raceEnabled = true
