//go:build !linux

package process

// Protect does nothing: these systems protect the environment and the memory of
// a process themselves, as far as they can.
func Protect() {}
