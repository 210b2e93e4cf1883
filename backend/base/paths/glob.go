package paths

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Glob returns the files below a folder whose paths relative to it match a pattern of fs.Glob, sorted. In contrast to
// filepath.Glob, it takes the folder's own path literally, which may contain brackets. It skips folders that cannot be read.
func Glob(folder, pattern string) []string {
	found, _ := fs.Glob(os.DirFS(folder), pattern) // fails only for malformed patterns
	for i, name := range found {
		found[i] = filepath.Join(folder, filepath.FromSlash(name))
	}
	return found
}
