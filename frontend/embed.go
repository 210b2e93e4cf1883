// Package frontend answers one question: which files make up the dashboard of this build.
//
// The dashboard is built into dist/ before the Go programs are. A clone in which that did not happen still compiles and
// serves the plain page instead. The package serves nothing itself and knows neither hub nor window.
package frontend

import (
	"embed"
	"io/fs"
)

var (
	//go:embed all:dist
	dist embed.FS

	//go:embed plain
	plain embed.FS
)

// Files returns the built dashboard, or the plain page when this program was built without one. Either has an
// index.html at its root and keeps scripts and styles in files of their own, so that it works under a
// Content-Security-Policy which forbids inline ones.
func Files() fs.FS {
	return firstPage(sub(dist, "dist"), sub(plain, "plain"))
}

// firstPage returns built if it has a page, otherwise fallback.
func firstPage(built, fallback fs.FS) fs.FS {
	if info, err := fs.Stat(built, "index.html"); err != nil || info.IsDir() {
		return fallback
	}
	return built
}

// sub panics only on a folder name that is no valid path: a mistake in this file.
func sub(files fs.FS, folder string) fs.FS {
	root, err := fs.Sub(files, folder)
	if err != nil {
		panic(err)
	}
	return root
}
