package table

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestProgramsAreFoundByNameAndByPath(t *testing.T) {
	bin := t.TempDir()
	m := Here(func(name string) string {
		switch name {
		case "PATH":
			return bin
		case "PATHEXT":
			return ".EXE;.CMD"
		}
		return ""
	})
	write := func(name string) string {
		path := filepath.Join(bin, name)
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain, script := write("npx"), write("npx.cmd")
	rows := map[string]string{"npx": plain, plain: plain, "npx.cmd": script, script: script, filepath.Join(bin, "uvx"): "", "uvx": ""}
	if runtime.GOOS == "windows" { // Windows starts no file without an extension
		spelled := strings.ToUpper(filepath.ToSlash(plain))
		rows = map[string]string{
			"npx": script, "NPX": script, plain: script, script: script, spelled: script, "uvx": "", filepath.Join(bin, "uvx"): "",
		}
	}
	for name, want := range rows {
		path, ok := m.Command(name)
		if ok != (want != "") || ok && !strings.EqualFold(filepath.Clean(path), want) {
			t.Errorf("%s: %q, %t, want %q", name, path, ok, want)
		}
	}
}
