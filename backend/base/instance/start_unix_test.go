//go:build unix

package instance

// playWindows does nothing on this system.
func playWindows() {}
