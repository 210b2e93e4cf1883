//go:build !linux

// Package xtest is for Linux: elsewhere a test has no desktop of its own.
package desktoptest
