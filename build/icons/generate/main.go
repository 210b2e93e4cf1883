// Command generate draws all icons of the product from the SVG files in build/icons.
//
// To run it, run go generate in build/icons. It writes to build/icons, build/linux and frontend, and writes the resources
// of the Windows programs to app. The flag -out names another folder for the same tree of files.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", "../../..", "folder of the repository")
	out := flag.String("out", "", "output folder (default: the repository)")
	flag.Parse()
	if *out == "" {
		*out = *root
	}
	generated, err := draw(os.DirFS(*root))
	if err == nil {
		err = generated.write(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// draw returns all generated files. It writes none, so that an error in one source leaves all files unchanged.
func draw(repository fs.FS) (files, error) {
	sources, err := fs.Sub(repository, "build/icons")
	if err != nil {
		return nil, err
	}
	manifest, err := fs.ReadFile(repository, "build/windows/app.manifest")
	if err != nil {
		return nil, err
	}
	generated := make(files)
	if err := generated.app(sources); err != nil {
		return nil, err
	}
	if err := generated.tray(sources); err != nil {
		return nil, err
	}
	return generated, generated.windows(manifest)
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
