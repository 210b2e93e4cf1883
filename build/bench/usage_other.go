//go:build !linux

package main

import "time"

// cpuTime and memory are implemented on Linux only; elsewhere the figures that need them are 0.
func cpuTime(int) time.Duration { return 0 }

func memory(int) (now, peak int64) { return 0, 0 }
