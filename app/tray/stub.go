//go:build !tray

package main

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func available(context.Context, time.Duration) error {
	return fault.New(fault.Unavailable, "this program was built without its icon; build it with: make tray")
}

// display is never reached: nothing is available.
func display(func(face), func(click string)) {}
