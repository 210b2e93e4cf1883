//go:build !linux

package main

import (
	"context"
	"errors"
)

func (b *bench) window(context.Context) error {
	return errors.New("the window can be measured on Linux only")
}
