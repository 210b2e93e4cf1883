//go:build !linux

// Package keytest is for Linux: elsewhere a test has no keychain of its own.
package keyringtest
