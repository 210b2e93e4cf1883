package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// script plays a program; the folder that it returns is for the PATH.
func script(t *testing.T, name, line string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("plays a program with a shell script")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+line+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
