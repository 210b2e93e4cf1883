package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRunningFindsProcessesByNameAndPath(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Base(own)
	end := filepath.Base(filepath.Dir(own)) + "/" + base
	for name, want := range map[string]bool{
		base: true, end: true, "/" + base: true,
		"no-such-program": false, "": false, "elsewhere/" + base: false,
	} {
		if got := Running(t.Context(), []string{"other", name}); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
	if Running(t.Context(), nil) {
		t.Error("Running is true without names")
	}
}
