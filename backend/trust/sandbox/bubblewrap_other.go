//go:build !linux

package sandbox

// bubblewrap never works on systems other than Linux.
type bubblewrap struct{}

func (*bubblewrap) works() string { return "" }
