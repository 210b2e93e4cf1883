// Package frontend holds the files of the dashboard that is compiled into this
// program. Serving them is up to the hub and the window.
//
// The files come from dist/, which build/frontend.sh fills before the Go
// programs are compiled. A program that was compiled without that step shows a
// placeholder page, which says how to build the dashboard.
package frontend

import (
	"embed"
	"io/fs"
)

var (
	//go:embed all:dist
	dist embed.FS

	//go:embed placeholder
	placeholder embed.FS
)

// Files returns the dashboard, or the placeholder page if the dashboard was not
// built. Both have an index.html at the root and no inline scripts or styles,
// which the Content-Security-Policy of the hub forbids.
func Files() fs.FS {
	return firstPage(sub(dist, "dist"), sub(placeholder, "placeholder"))
}

// firstPage returns built if it has an index.html, and fallback otherwise.
func firstPage(built, fallback fs.FS) fs.FS {
	if info, err := fs.Stat(built, "index.html"); err != nil || info.IsDir() {
		return fallback
	}
	return built
}

// sub returns a folder of embedded files. It panics on an invalid folder name,
// which can only be a mistake in this package.
func sub(files fs.FS, folder string) fs.FS {
	root, err := fs.Sub(files, folder)
	if err != nil {
		panic(err)
	}
	return root
}
