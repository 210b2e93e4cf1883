//go:build !linux

// Package keyringtest is empty on this system, because only on Linux a test can
// start a keychain of its own.
package keyringtest
