//go:build unix

package instance

// playWindows does nothing, because only Windows starts hubs by scheduled tasks.
func playWindows() {}
