package store

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestADatabaseIsCopiedBeforeItsSchemaChanges(t *testing.T) {
	old := filepath.Join(t.TempDir(), "discover.db")
	db, err := openRaw(old)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := provide(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 24); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copies := Copies(old)
	if len(copies) != 1 {
		t.Fatalf("the copies are %v", copies)
	}
	if info, err := os.Stat(copies[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the copy can be read by others: %v, %v", info.Mode(), err)
	}
	if version, err := verify(t.Context(), copies[0], true); err != nil || version != 24 {
		t.Errorf("the copy has version %d, %v", version, err)
	}
}

func TestSevenCopiesAreKept(t *testing.T) {
	file := fortyServers(t)
	for range keptCopies + 2 {
		if err := Copy(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	if copies := Copies(file); len(copies) > keptCopies || len(copies) == 0 {
		t.Errorf("there are %d copies", len(copies))
	}
}

func TestACopyIsDueHourlyAtFirstThenDailyIfTheDatabaseHasChanged(t *testing.T) {
	file, now := fortyServers(t), time.Now()
	if !CopyDue(file, now) {
		t.Error("the first copy is not due")
	}
	if err := Copy(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if CopyDue(file, now) || CopyDue(file, now.Add(48*time.Hour)) {
		t.Error("a copy of an unchanged database is due")
	}
	later := now.Add(2 * time.Hour)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	if CopyDue(file, now.Add(time.Minute)) || !CopyDue(file, later) {
		t.Error("on the first day, a copy is due within an hour, or is not due after two")
	}
	for range keptCopies {
		if err := Copy(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	if CopyDue(file, later) || !CopyDue(file, now.Add(48*time.Hour)) {
		t.Error("a copy is due on the same day, or is not due on the next")
	}
}

func TestCompactingRemovesTheCopies(t *testing.T) {
	s, file := openStore(t)
	if err := Copy(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if err := s.Servers.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if copies := Copies(file); len(copies) != 0 {
		t.Errorf("the copies %v are left", copies)
	}
}
