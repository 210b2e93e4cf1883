//go:build !linux

package keychain

import (
	"context"
	"io"
)

// systemBackend returns the backend for systems that always have a keychain.
// There, the state of the keychain cannot be checked without using it, so it
// counts as unlocked.
func systemBackend() backend {
	return backend{
		connect: func() (io.Closer, error) { return nil, nil },
		check:   func(context.Context) (bool, error) { return false, nil },
	}
}
