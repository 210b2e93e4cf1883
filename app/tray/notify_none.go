//go:build !linux && !windows && !darwin

package main

import "context"

// newNotifier returns nil, because notifications are not supported. The icon and the first line of the menu show what
// waits.
func newNotifier(context.Context, func(command string)) notifier { return nil }
