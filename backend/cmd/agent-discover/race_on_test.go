//go:build linux && race

package main_test

// raced tells that the programs under test are built with the race detector,
// because the tests are.
const raced = true
