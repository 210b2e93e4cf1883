package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
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

func TestTheReasonOfTheSystemReachesTheAdvice(t *testing.T) {
	for err, want := range map[error]string{
		syscall.EMFILE: "too many files are open; raise the limit", syscall.ENAMETOOLONG: "the path is too long; set AGENT_DISCOVER_HOME",
	} {
		got := fault.MessageOf(Folder("/x").Unwritable(&fs.PathError{Op: "open", Path: "/x", Err: err}))
		if !strings.Contains(got, want) || strings.Contains(got, "write access") {
			t.Errorf("%v: got %s", err, got)
		}
	}
}

func TestEraseDeletesNothingInTheHomeFolder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	own := filepath.Join(home, "backups")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Folder{Folder(home), Folder(filepath.Dir(home))} {
		if _, err := f.Erase(); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: %v", f, err)
		}
	}
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
}

func TestEraseDeletesOnlyWhatThisProgramWrites(t *testing.T) {
	f := Folder(filepath.Join(t.TempDir(), "data [x]"))
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"discover.db", "discover.db-wal", "secrets.age", "config.yaml", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(string(f), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := f.Erase(); err != nil || !slices.Equal(left, []string{"mine.txt"}) {
		t.Errorf("left %q, %v", left, err)
	}
	if err := os.Remove(filepath.Join(string(f), "mine.txt")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if left, err := f.Erase(); err != nil || len(left) > 0 {
			t.Errorf("left %q, %v", left, err)
		}
	}
	if _, err := os.Stat(string(f)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder exists: %v", err)
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
	for value, want := range map[string]string{"~": home, "~/data": filepath.Join(home, "data")} {
		t.Setenv("AGENT_DISCOVER_HOME", value)
		if f, err := Default(); err != nil || string(f) != want {
			t.Errorf("%s: got %s, %v", value, f, err)
		}
	}
	for _, value := range []string{"data", "./data", "~other/data", "$HOME/data"} {
		t.Setenv("AGENT_DISCOVER_HOME", value)
		if f, err := Default(); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "absolute path") {
			t.Errorf("%s: got %s, %v", value, f, err)
		}
	}
}

func TestAFileIsLostWhenItIsRemovedOrReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := Find(file).Lost(); err != nil {
		t.Errorf("a file that was never found: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found := Find(file)
	if err := os.WriteFile(file, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := found.Lost(); err != nil {
		t.Errorf("a changed file: %v", err)
	}
	if err := os.Rename(file, file+".old"); err != nil {
		t.Fatal(err)
	}
	if err := found.Lost(); err == nil || !strings.Contains(err.Error(), "removed") || !found.Missing() {
		t.Errorf("a moved file: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := found.Lost(); err == nil || !strings.Contains(err.Error(), "replaced") || found.Missing() {
		t.Errorf("a replaced file: %v", err)
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
