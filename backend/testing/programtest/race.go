//go:build race

package programtest

// Race reports whether the tests, and therefore also the programs under test, are
// built with the race detector.
const Race = true
