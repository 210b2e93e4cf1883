package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func read(t *testing.T, path string) File {
	t.Helper()
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode),
		os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkContent(t *testing.T, path, text string) {
	t.Helper()
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("%s contains %q, %v", path, data, err)
	}
}

// onlyFile checks that the folder of path contains no other file.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("files in the folder of %s: %v, want no other", path, entries)
	}
}

func TestReplacedFilesKeepTheirMode(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o640, 0o644, 0o755} {
		path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", mode)
		if err := (Disk{}).Replace(t.Context(), read(t, path), []byte("new")); err != nil {
			t.Fatal(err)
		}
		checkContent(t, path, "new")
		onlyFile(t, path)
		if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("mode after the change is %v, want %v", info.Mode(), mode)
		}
	}
}

func TestNewFilesAndFoldersAreReadableByTheUserOnly(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "b", "c.json")
	f := read(t, path)
	if want := []string{
		filepath.Join(root, "a"), filepath.Join(root, "a", "b"),
	}; f.Exists || strings.Join(f.MissingFolders(), " ") != strings.Join(want, " ") {
		t.Errorf("missing file: Exists is %v and MissingFolders are %v", f.Exists, f.MissingFolders())
	}
	folders := f.MissingFolders()
	if err := (Disk{}).Replace(t.Context(), f, []byte("new")); err != nil {
		t.Fatal(err)
	}
	checkContent(t, path, "new")
	for at, mode := range map[string]os.FileMode{path: 0o600, folders[0]: 0o700, folders[1]: 0o700} {
		if info, _ := os.Stat(at); runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("mode of %s is %v", at, info.Mode())
		}
	}
	if err := (Disk{}).Remove(t.Context(), read(t, path)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "a", "other"), "", 0o600)
	RemoveEmptyFolders(folders)
	if _, err := os.Stat(folders[1]); err == nil {
		t.Error("an empty folder was not removed")
	}
	if _, err := os.Stat(folders[0]); err != nil {
		t.Error("a folder with a file in it was removed")
	}
}

func TestSymbolicLinksAreKept(t *testing.T) {
	root := t.TempDir()
	target := write(t, filepath.Join(root, "dotfiles", "real.json"), "old", 0o644)
	middle := filepath.Join(root, "middle", "m.json")
	first := filepath.Join(root, "home", "f.json")
	for link, to := range map[string]string{middle: "../dotfiles/real.json", first: middle} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(to, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := (Disk{}).Replace(t.Context(), read(t, first), []byte("new")); err != nil {
		t.Fatal(err)
	}
	checkContent(t, target, "new")
	for _, at := range []string{first, middle, target} {
		onlyFile(t, at)
		if info, _ := os.Lstat(at); (info.Mode()&os.ModeSymlink != 0) != (at != target) {
			t.Errorf("mode of %s is %v", at, info.Mode())
		}
	}
	if err := (Disk{}).Remove(t.Context(), read(t, first)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(first); err != nil || read(t, first).Exists {
		t.Error("Remove must delete the file and keep the link")
	}
	if err := (Disk{}).Replace(t.Context(), read(t, first), []byte("again")); err != nil {
		t.Fatal(err)
	}
	checkContent(t, target, "again")
}

func TestRelativeLinksStartAtTheRealFolder(t *testing.T) {
	root := t.TempDir()
	target := write(t, filepath.Join(root, "far", "real.json"), "old", 0o600)
	within := filepath.Join(root, "far", "deep")
	for link, to := range map[string]string{filepath.Join(within, "l.json"): "../real.json", filepath.Join(root, "near"): within} {
		if err := errors.Join(os.MkdirAll(within, 0o700), os.Symlink(to, link)); err != nil {
			t.Skip(err)
		}
	}
	if f := read(t, filepath.Join(root, "near", "l.json")); f.Target != target {
		t.Errorf("target is %s", f.Target)
	}
}

func TestFilesThatCannotBeReplacedAreRefused(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	loop := errors.Join(os.Symlink(at("b"), at("a")), os.Symlink(at("a"), at("b")), os.Symlink(at("gone/x.json"), at("dangling")))
	write(t, at("big"), strings.Repeat("x", MaxSize+1), 0o600)
	write(t, at("closed"), "", 0o444)
	write(t, at("two"), "", 0o600)
	write(t, at("folder/in"), "", 0o600)
	if err := errors.Join(loop, os.Link(at("two"), at("second link")), os.Chmod(at("folder"), 0o555)); err != nil ||
		runtime.GOOS == "windows" {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.Chmod(at("folder"), 0o700) })
	for name, want := range map[string]string{
		"a": "leads back to itself", ".": "not a file", "big": "16 MB", "closed": "read-only", "two": "hard link",
		"folder/in": "the folder " + at("folder") + " is read-only", "folder/new/x": "read-only", "two/x": "not a folder",
		"dangling": "does not exist",
	} {
		f, err := Read(at(name))
		if err == nil {
			err = (Disk{}).Replace(t.Context(), f, []byte("new"))
		}
		if err == nil || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, want)
		}
	}
	checkContent(t, at("closed"), "")
	if left, _ := filepath.Glob(at(".*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestFilesThatChangedSinceTheyWereReadAreKept(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	f := read(t, path)
	write(t, path, "theirs", 0o600)
	if err := (Disk{}).Replace(t.Context(), f, []byte("new")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Replace returned %v, want a conflict", err)
	}
	if err := (Disk{}).Remove(t.Context(), f); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Remove returned %v, want a conflict", err)
	}
	checkContent(t, path, "theirs")
	onlyFile(t, path)
	absent := read(t, filepath.Join(t.TempDir(), "b", "c.json"))
	write(t, absent.Path, "theirs", 0o600)
	if err := (Disk{}).Replace(t.Context(), absent, []byte("new")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Replace returned %v, want a conflict", err)
	}
	checkContent(t, absent.Path, "theirs")
}

func TestConcurrentWritesAreReported(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	disk := Disk{Swap: func(temp, target string) error {
		return errors.Join(Disk{}.swap(temp, target), os.WriteFile(target, []byte("theirs"), 0o600))
	}}
	if err := disk.Replace(t.Context(), read(t, path), []byte("new")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("unexpected error %v", err)
	}
	checkContent(t, path, "theirs")
	onlyFile(t, path)
}

func TestFilesInUseAreRetriedUntilATimeout(t *testing.T) {
	for name, row := range map[string]struct {
		fails int
		want  fault.Kind
	}{"closed soon": {5, -1}, "never closed": {1 << 30, fault.Failed}} {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
			synctest.Test(t, func(t *testing.T) {
				errInUse := errors.New("in use")
				begin, tries := time.Now(), 0
				disk := Disk{
					Busy: func(err error) bool { return errors.Is(err, errInUse) },
					Swap: func(temp, target string) error {
						if tries++; tries <= row.fails {
							return errInUse
						}
						return swapByLink(temp, target)
					},
				}
				err := disk.Replace(t.Context(), read(t, path), []byte("new"))
				if row.want >= 0 && fault.KindOf(err) != row.want || row.want < 0 && err != nil {
					t.Errorf("unexpected error %v", err)
				}
				if waited := time.Since(begin); tries < 6 || waited > busyTimeout+retryPause+2*defaultRest {
					t.Errorf("made %d attempts in %v", tries, waited)
				}
			})
			onlyFile(t, path)
		})
	}
}

func TestLocksOfEditorsAreRespected(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	lock := path + ".lock"
	setLock := func(age time.Duration) {
		if err := errors.Join(os.MkdirAll(lock, 0o700), os.Chtimes(lock, time.Now(), time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		setLock(0)
		if err := (Disk{}).Replace(t.Context(), read(t, path), []byte("x")); fault.KindOf(err) != fault.Busy {
			t.Errorf("with a held lock, Replace returned %v, want busy", err)
		}
		setLock(0)
		go func() {
			time.Sleep(busyTimeout / 2) // in the fake time of synctest
			_ = os.Remove(lock)
		}()
		if err := (Disk{}).Replace(t.Context(), read(t, path), []byte("after the lock")); err != nil {
			t.Errorf("after the lock was released, Replace returned %v", err)
		}
		setLock(maxLockAge + time.Second)
		if err := (Disk{}).Replace(t.Context(), read(t, path), []byte("beside an old lock")); err != nil {
			t.Errorf("with an abandoned lock, Replace returned %v", err)
		}
		setLock(0)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := (Disk{}).Replace(ctx, read(t, path), []byte("x")); fault.KindOf(err) != fault.Busy {
			t.Errorf("after the context was cancelled, Replace returned %v, want busy", err)
		}
	})
	checkContent(t, path, "beside an old lock")
}

func TestTemporaryFilesOfCrashedProcessesAreRemoved(t *testing.T) {
	folder := t.TempDir()
	path := write(t, filepath.Join(folder, "a.json"), "old", 0o600)
	name := func(file string, pid int) string {
		return filepath.Join(folder, "."+file+".discover-"+strconv.Itoa(pid)+"-123")
	}
	dead, alive, other := name("a.json", 1<<22+7), name("a.json", os.Getpid()), name("b.json", 1<<22+7)
	old := name("a.json", os.Getppid())
	for _, at := range []string{dead, alive, other, old} {
		write(t, at, "", 0o600)
	}
	long := time.Now().Add(-maxTempAge - time.Minute)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if err := (Disk{}).Replace(t.Context(), read(t, path), []byte("new")); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{dead: false, old: false, alive: true, other: true} {
		if _, err := os.Stat(at); (err == nil) != want {
			t.Errorf("%s: Stat returned %v, want it to exist: %v", at, err, want)
		}
	}
}

func TestFailedWritesLeaveNoFilesOrFolders(t *testing.T) {
	full := errors.New("no space left")
	path := filepath.Join(t.TempDir(), "new", "a.json")
	disk := Disk{Sync: func(*os.File) error { return full }}
	if err := disk.Replace(t.Context(), read(t, path), []byte("x")); !errors.Is(err, full) || fault.KindOf(err) != fault.Failed {
		t.Errorf("unexpected error %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the new folder was not removed")
	}
	if err := disk.SyncAll(t.TempDir()); runtime.GOOS != "windows" && !errors.Is(err, full) {
		t.Errorf("unexpected error %v", err)
	}
}

func TestFingerprintsDifferBetweenContents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	absent := read(t, path)
	write(t, path, "one", 0o600)
	first := read(t, path)
	if err := (Disk{}).Replace(t.Context(), first, []byte("two")); err != nil {
		t.Fatal(err)
	}
	second := read(t, path)
	if absent.Fingerprint() != "" || first.Fingerprint() == second.Fingerprint() || second.Fingerprint() != read(t, path).Fingerprint() ||
		!absent.ModTime().IsZero() || second.ModTime().IsZero() {
		t.Errorf("fingerprints are %q, %q and %q", absent.Fingerprint(), first.Fingerprint(), second.Fingerprint())
	}
}
