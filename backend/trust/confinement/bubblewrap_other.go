//go:build !linux

package confinement

// Bubblewrap never works on systems other than Linux.
type Bubblewrap struct{ works bool }

// Tried returns a Bubblewrap that reports whether it works, for tests of reports.
func Tried(works bool) *Bubblewrap { return &Bubblewrap{works} }

// Works returns false, except in tests.
func (b *Bubblewrap) Works() bool { return b != nil && b.works }
