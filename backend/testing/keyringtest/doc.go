//go:build !linux

// Package keyringtest is empty on this system, because a test can start a keychain of its own only on Linux.
package keyringtest
