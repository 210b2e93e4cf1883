//go:build !linux

package process

// ReleasePages does nothing: this system reclaims unused pages of a program's
// file when memory is short.
func ReleasePages() error { return nil }
