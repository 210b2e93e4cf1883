package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// script writes a shell script with the name of a program and returns its folder, for the PATH.
func script(t *testing.T, name, line string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("uses a shell script")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+line+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
