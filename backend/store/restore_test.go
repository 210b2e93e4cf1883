package store

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestARemovedDatabaseIsWrittenAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove an open file")
	}
	for name, row := range map[string]struct {
		lose    func(file string) error
		servers int
	}{
		"all files":     {func(file string) error { return remove(file, file+"-wal", file+"-shm") }, 40},
		"only one file": {func(file string) error { return remove(file) }, 40},
		"replaced": {func(file string) error {
			s, err := Open(t.Context(), file+".other")
			if err == nil {
				err = s.Close()
			}
			if err == nil {
				err = remove(file, file+"-wal", file+"-shm")
			}
			if err == nil {
				err = os.Rename(file+".other", file)
			}
			return err
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			file := fortyServers(t)
			s, err := Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			if s.Lost() != nil {
				t.Errorf("at first: %v", s.Lost())
			}
			if err := row.lose(file); err != nil {
				t.Fatal(err)
			}
			if s.Lost() == nil {
				t.Error("the loss is not noticed")
			}
			if restored, err := s.CloseRestored(t.Context()); err != nil || restored != (row.servers > 0) {
				t.Errorf("got %t, %v", restored, err)
			}
			s, err = Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			if found, err := s.Servers.Servers(t.Context()); err != nil || len(found) != row.servers {
				t.Errorf("%d servers, %v", len(found), err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(file + ".*"); len(left) != 0 {
				t.Errorf("files left behind: %v", left)
			}
		})
	}
}

func remove(files ...string) error {
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}
