//go:build !unix

package process

// KillReaper is the same as Kill, because only Linux has reapers.
func KillReaper(pid int) { Kill(pid) }
