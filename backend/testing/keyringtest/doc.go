//go:build !linux

// Package keyringtest has no content here: only on Linux can a test have its own
// keychain.
package keyringtest
