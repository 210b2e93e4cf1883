package store

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestOnMacOSASyncReachesTheDisk(t *testing.T) {
	if got := flushing("darwin"); !slices.Equal(got, []string{"fullfsync(1)", "checkpoint_fullfsync(1)"}) || flushing("linux") != nil {
		t.Errorf("the pragmas are %q on macOS and %q on Linux", got, flushing("linux"))
	}
	// SQLite ignores pragmas that it does not know, so check that each one has an effect.
	db, err := open(filepath.Join(t.TempDir(), "a.db"), "rwc", 1, flushing("darwin")...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, name := range []string{"fullfsync", "checkpoint_fullfsync"} {
		var on int
		if err := db.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&on); err != nil || on != 1 {
			t.Errorf("%s on %s: got %d, %v", name, runtime.GOOS, on, err)
		}
	}
}
