//go:build !linux

// Package desktoptest starts a desktop for tests. It is empty on systems other than Linux.
package desktoptest
