package paths

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestCreateMakesPrivateFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows access lists replace modes")
	}
	f := Folder(filepath.Join(t.TempDir(), "a", "b"))
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{string(f), filepath.Join(string(f), "run"), filepath.Join(string(f), "logs")} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(string(f), "run")); len(left) != 0 {
		t.Errorf("files left behind: %v", left)
	}
}

func TestCreateMakesExistingFoldersPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows access lists replace modes")
	}
	f := Folder(filepath.Join(t.TempDir(), "data"))
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	dirs := []string{string(f), filepath.Join(string(f), "run"), filepath.Join(string(f), "logs")}
	for _, dir := range dirs {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
}

func TestCreateKeepsThePermissionsOfSharedFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows access lists replace modes")
	}
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := Folder(shared).Create(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(shared); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAnUnusableFolderIsExplained(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Folder(filepath.Join(file, "x")).Create()
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "AGENT_DISCOVER_HOME") {
		t.Errorf("got %v", err)
	}
}

func TestDefaultFollowsTheEnvironment(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("AGENT_DISCOVER_HOME", "")
	if f, err := Default(); err != nil || f.Config() != filepath.Join(home, ".agent-discover", "config.yaml") {
		t.Errorf("got %s, %v", f, err)
	}
	t.Setenv("AGENT_DISCOVER_HOME", elsewhere)
	if f, err := Default(); err != nil || f.Database() != filepath.Join(elsewhere, "discover.db") {
		t.Errorf("got %s, %v", f, err)
	}
}

func TestWriteFileReplacesAndIsPrivate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	for _, text := range []string{"first", "second, longer"} {
		if err := WriteFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		data, _ := os.ReadFile(file)
		if err != nil || string(data) != text || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("got %q, %v, %v", data, info.Mode(), err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}
