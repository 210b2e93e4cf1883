//go:build !linux

package main

import (
	"context"
	"errors"
)

func (b *bench) window(context.Context) error {
	return errors.New("only Linux gives a measurement a desktop of its own")
}
