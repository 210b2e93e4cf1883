//go:build race

package minilm

// raceEnabled reports whether the race detector is on. Tests then run the plain kernels less often: they would take
// minutes, and they share no memory between goroutines.
const raceEnabled = true
