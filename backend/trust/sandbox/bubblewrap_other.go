//go:build !linux

package sandbox

// bubblewrap is a program of Linux.
type bubblewrap struct{}

func (*bubblewrap) works() string { return "" }
