// Package reference locates the reference data that some tests and benchmarks
// compare with: recorded exchanges, real tool lists and labelled search sets.
// The data is not part of this repository. It is in the folder that
// AGENT_DISCOVER_SHARED names, or in the folder shared beside the repository.
package reference

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the absolute path of a file or folder of the reference data. It
// skips the test if the file or folder does not exist.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path, ok := Find(elem...)
	if !ok {
		t.Skipf("no reference data %s: set AGENT_DISCOVER_SHARED", filepath.ToSlash(filepath.Join(elem...)))
	}
	return path
}

// Find returns the absolute path of a file or folder of the reference data, and
// whether it exists.
func Find(elem ...string) (string, bool) {
	folder := os.Getenv("AGENT_DISCOVER_SHARED")
	if folder == "" {
		root, ok := Repository()
		if !ok {
			return "", false
		}
		folder = filepath.Join(root, "..", "shared")
	}
	path, err := filepath.Abs(filepath.Join(append([]string{folder}, elem...)...))
	if err != nil {
		return "", false
	}
	_, err = os.Stat(path)
	return path, err == nil
}

// Repository returns the root of this repository: the nearest folder with
// wails.json, from the working directory upwards.
func Repository() (string, bool) {
	folder, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "wails.json")); err == nil {
			return folder, true
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", false
		}
		folder = parent
	}
}
