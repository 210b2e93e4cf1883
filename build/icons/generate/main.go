// Command generate draws every picture of the product from the SVG files in build/icons, with oksvg and rasterx.
//
// From build/icons: go generate. It writes to build/icons, build/linux, frontend, and to app what the linker
// puts into a program for Windows; the flag -out puts the same tree somewhere else.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", "../../..", "the repository, with the SVG files in build/icons")
	out := flag.String("out", "", "where the files go instead of the repository")
	flag.Parse()
	if *out == "" {
		*out = *root
	}
	made, err := draw(os.DirFS(*root))
	if err == nil {
		err = made.write(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// draw makes all files before one is written, so that a mistake in one source leaves all pictures as they were.
func draw(repository fs.FS) (files, error) {
	sources, err := fs.Sub(repository, "build/icons")
	if err != nil {
		return nil, err
	}
	manifest, err := fs.ReadFile(repository, "build/windows/app.manifest")
	if err != nil {
		return nil, err
	}
	made := make(files)
	if err := made.app(sources); err != nil {
		return nil, err
	}
	if err := made.tray(sources); err != nil {
		return nil, err
	}
	return made, made.windows(manifest)
}

func (f files) write(root string) error {
	for name, data := range f {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
