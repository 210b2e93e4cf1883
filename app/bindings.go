package app

// Window is what the page reaches as window.go.app.Window. Its exported methods answer the page's calls.
type Window struct {
	version string
}

// About says what this program is.
type About struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// About returns the program's own name and version; about the hub it knows nothing.
func (w *Window) About() About {
	return About{Name: Title, Version: w.version}
}
