//go:build !race

package programtest

// Race reports whether the programs under test are built with the race
// detector; they are when the tests are.
const Race = false
