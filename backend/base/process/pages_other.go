//go:build !linux

package process

// ReleasePages does nothing: this system takes back unused pages of a program's
// file by itself when memory is short.
func ReleasePages() error { return nil }
