//go:build !tray

package main

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func available(context.Context, time.Duration) error {
	return fault.New(fault.Unavailable, "this program was built without the tray icon; build it with: make tray")
}

// display is never called, because available always fails without the build tag tray.
func display(func(view), func(command string)) {}
