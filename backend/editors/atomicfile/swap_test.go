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

func look(t *testing.T, path string) File {
	t.Helper()
	f, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

func holds(t *testing.T, path, text string) {
	t.Helper()
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("%s: got %q, %v", path, data, err)
	}
}

func alone(t *testing.T, path string) {
	t.Helper()
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("beside %s: %v", path, entries)
	}
}

func TestAFileGetsAnotherContentAndKeepsItsMode(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o640, 0o644, 0o755} {
		path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", mode)
		if err := (Disk{}).Put(t.Context(), look(t, path), []byte("new")); err != nil {
			t.Fatal(err)
		}
		holds(t, path, "new")
		alone(t, path)
		if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("got %v for %v", info.Mode(), mode)
		}
	}
}

func TestAFileThatIsNotThereIsMadeWithItsFoldersAndClosed(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "b", "c.json")
	f := look(t, path)
	if want := []string{filepath.Join(root, "a"), filepath.Join(root, "a", "b")}; f.Exists || strings.Join(f.Folders(), " ") != strings.Join(want, " ") {
		t.Errorf("got %v, %v", f.Exists, f.Folders())
	}
	folders := f.Folders()
	if err := (Disk{}).Put(t.Context(), f, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new")
	for at, mode := range map[string]os.FileMode{path: 0o600, folders[0]: 0o700, folders[1]: 0o700} {
		if info, _ := os.Stat(at); runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%s: %v", at, info.Mode())
		}
	}
	if err := (Disk{}).Remove(t.Context(), look(t, path)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "a", "other"), "", 0o600)
	RemoveFolders(folders)
	if _, err := os.Stat(folders[1]); err == nil {
		t.Error("an empty folder is still there")
	}
	if _, err := os.Stat(folders[0]); err != nil {
		t.Error("a folder with something in it is gone")
	}
}

func TestLinksStayLinks(t *testing.T) {
	root := t.TempDir()
	target := write(t, filepath.Join(root, "dotfiles", "real.json"), "old", 0o644)
	middle := filepath.Join(root, "middle", "m.json")
	first := filepath.Join(root, "home", "f.json")
	for link, to := range map[string]string{middle: "../dotfiles/real.json", first: middle} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(to, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := (Disk{}).Put(t.Context(), look(t, first), []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "new")
	for _, at := range []string{first, middle, target} {
		alone(t, at)
		if info, _ := os.Lstat(at); (info.Mode()&os.ModeSymlink != 0) != (at != target) {
			t.Errorf("%s is %v", at, info.Mode())
		}
	}
	if err := (Disk{}).Remove(t.Context(), look(t, first)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(first); err != nil || look(t, first).Exists {
		t.Error("the link is gone, or the file is not")
	}
	if err := (Disk{}).Put(t.Context(), look(t, first), []byte("again")); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "again")
}

func TestALinkIsFollowedFromWhereItReallyIs(t *testing.T) {
	root := t.TempDir()
	target := write(t, filepath.Join(root, "far", "real.json"), "old", 0o600)
	within := filepath.Join(root, "far", "deep")
	for link, to := range map[string]string{filepath.Join(within, "l.json"): "../real.json", filepath.Join(root, "near"): within} {
		if err := errors.Join(os.MkdirAll(within, 0o700), os.Symlink(to, link)); err != nil {
			t.Skip(err)
		}
	}
	if f := look(t, filepath.Join(root, "near", "l.json")); f.Target != target {
		t.Errorf("got %s", f.Target)
	}
}

func TestWhatIsNoFileOrCannotBeKeptIsRefused(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	loop := errors.Join(os.Symlink(at("b"), at("a")), os.Symlink(at("a"), at("b")), os.Symlink(at("gone/x.json"), at("dangling")))
	write(t, at("big"), strings.Repeat("x", MaxSize+1), 0o600)
	write(t, at("closed"), "", 0o444)
	write(t, at("two"), "", 0o600)
	write(t, at("folder/in"), "", 0o600)
	if err := errors.Join(loop, os.Link(at("two"), at("two names")), os.Chmod(at("folder"), 0o555)); err != nil || runtime.GOOS == "windows" {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.Chmod(at("folder"), 0o700) })
	for name, want := range map[string]string{
		"a": "circle", ".": "not a file", "big": "16 MB", "closed": "read-only", "two": "second name",
		"folder/in": "the folder " + at("folder") + " is read-only", "folder/new/x": "read-only", "two/x": "not a folder", "dangling": "not there",
	} {
		f, err := Look(at(name))
		if err == nil {
			err = (Disk{}).Put(t.Context(), f, []byte("new"))
		}
		if err == nil || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	holds(t, at("closed"), "")
	if left, _ := filepath.Glob(at(".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFileThatChangedMeanwhileIsLeftAlone(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	f := look(t, path)
	write(t, path, "theirs", 0o600)
	if err := (Disk{}).Put(t.Context(), f, []byte("ours")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("put: got %v", err)
	}
	if err := (Disk{}).Remove(t.Context(), f); fault.KindOf(err) != fault.Conflict {
		t.Errorf("remove: got %v", err)
	}
	holds(t, path, "theirs")
	alone(t, path)
	absent := look(t, filepath.Join(t.TempDir(), "b", "c.json"))
	write(t, absent.Path, "theirs", 0o600)
	if err := (Disk{}).Put(t.Context(), absent, []byte("ours")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("put: got %v", err)
	}
	holds(t, absent.Path, "theirs")
}

func TestAFileThatIsReplacedByOthersAtTheSameMomentIsTold(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	disk := Disk{Rename: func(from, to string) error {
		return errors.Join(os.Rename(from, to), os.WriteFile(to, []byte("theirs"), 0o600))
	}}
	if err := disk.Put(t.Context(), look(t, path), []byte("ours")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
}

func TestAFileInUseIsTriedAgainForAWhile(t *testing.T) {
	for name, row := range map[string]struct {
		fails int
		want  fault.Kind
	}{"closed soon": {5, -1}, "never closed": {1 << 30, fault.Failed}} {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
			synctest.Test(t, func(t *testing.T) {
				inTheWay := errors.New("in use")
				begin, tries := time.Now(), 0
				disk := Disk{
					Busy: func(err error) bool { return errors.Is(err, inTheWay) },
					Rename: func(from, to string) error {
						if tries++; tries <= row.fails {
							return inTheWay
						}
						return os.Rename(from, to)
					},
				}
				err := disk.Put(t.Context(), look(t, path), []byte("new"))
				if row.want >= 0 && fault.KindOf(err) != row.want || row.want < 0 && err != nil {
					t.Errorf("got %v", err)
				}
				if waited := time.Since(begin); tries < 6 || waited > patience+pause {
					t.Errorf("%d tries in %v", tries, waited)
				}
			})
			alone(t, path)
		})
	}
}

func TestALockOfAnEditorIsWaitedFor(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	lock := path + ".lock"
	fresh := func(age time.Duration) {
		if err := errors.Join(os.MkdirAll(lock, 0o700), os.Chtimes(lock, time.Now(), time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		fresh(0)
		if err := (Disk{}).Put(t.Context(), look(t, path), []byte("x")); fault.KindOf(err) != fault.Busy {
			t.Errorf("held: got %v", err)
		}
		fresh(0)
		go func() {
			time.Sleep(patience / 2) // virtual
			_ = os.Remove(lock)
		}()
		if err := (Disk{}).Put(t.Context(), look(t, path), []byte("after the lock")); err != nil {
			t.Errorf("let go: got %v", err)
		}
		fresh(lockAge + time.Second)
		if err := (Disk{}).Put(t.Context(), look(t, path), []byte("beside an old lock")); err != nil {
			t.Errorf("left behind: got %v", err)
		}
		fresh(0)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := (Disk{}).Put(ctx, look(t, path), []byte("x")); fault.KindOf(err) != fault.Busy {
			t.Errorf("given up: got %v", err)
		}
	})
	holds(t, path, "beside an old lock")
}

func TestWhatADeadWriterLeftIsSweptAway(t *testing.T) {
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
	long := time.Now().Add(-tempAge - time.Minute)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if err := (Disk{}).Put(t.Context(), look(t, path), []byte("new")); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{dead: false, old: false, alive: true, other: true} {
		if _, err := os.Stat(at); (err == nil) != want {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestWhatCannotBeWrittenLeavesNothingBehind(t *testing.T) {
	full := errors.New("no space left")
	path := filepath.Join(t.TempDir(), "new", "a.json")
	disk := Disk{Sync: func(*os.File) error { return full }}
	if err := disk.Put(t.Context(), look(t, path), []byte("x")); !errors.Is(err, full) || fault.KindOf(err) != fault.Failed {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the folder is still there")
	}
	if err := disk.SyncAll(t.TempDir()); runtime.GOOS != "windows" && !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestAMarkTellsAFileFromAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	absent := look(t, path)
	write(t, path, "one", 0o600)
	first := look(t, path)
	if err := (Disk{}).Put(t.Context(), first, []byte("two")); err != nil {
		t.Fatal(err)
	}
	second := look(t, path)
	if absent.Mark() != "" || first.Mark() == second.Mark() || second.Mark() != look(t, path).Mark() || !absent.Changed().IsZero() || second.Changed().IsZero() {
		t.Errorf("got %q, %q, %q", absent.Mark(), first.Mark(), second.Mark())
	}
}
