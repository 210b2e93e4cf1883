package instance

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// announced locks a folder for this process and announces it.
func announced(t *testing.T, f paths.Folder) *Lock {
	t.Helper()
	lock, err := Acquire(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lock.Sign(), lock.Announce(Info{ID: process.Self(), Folder: f, Host: "127.0.0.1", Port: 7})); err != nil {
		t.Fatal(err)
	}
	return lock
}

// copied copies the files in the folder run to another data folder.
func copied(t *testing.T, from paths.Folder) paths.Folder {
	t.Helper()
	to := folder(t)
	for _, name := range []string{"hub.json", "lock"} {
		data, err := os.ReadFile(from.Run(name))
		if err == nil {
			err = os.WriteFile(to.Run(name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestACopiedFolderHasNoHub(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not copy a locked file")
	}
	f := folder(t)
	lock := announced(t, f)
	defer func() { _ = lock.Release() }()
	to := copied(t, f)
	_, err := Read(to)
	if !errors.Is(err, ErrNone) || !Elsewhere(err) || !strings.Contains(fault.MessageOf(err), string(f)) {
		t.Errorf("got %v", err)
	}
	if id, ok := Holder(to); ok {
		t.Errorf("the copy is held by %v", id)
	}
	link := paths.Folder(t.TempDir() + "/link")
	if err := os.Symlink(string(f), string(link)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(link); err != nil {
		t.Errorf("through a link: %v", err)
	}
}

func TestTheHolderOfTheLockIsFoundWithoutItsAnnouncement(t *testing.T) {
	f := folder(t)
	if id, ok := Holder(f); ok {
		t.Errorf("an unused folder is held by %v", id)
	}
	lock := announced(t, f)
	if err := os.WriteFile(f.Run("hub.json"), []byte(`{"pid":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, ok := Holder(f); !ok || id != process.Self() {
		t.Errorf("got %v, %t", id, ok)
	}
	if written, err := lock.Renew(); !written || err != nil {
		t.Errorf("a damaged file: %t, %v", written, err)
	}
	if written, err := lock.Renew(); written || err != nil {
		t.Errorf("an unchanged file: %t, %v", written, err)
	}
	if _, err := Read(f); err != nil {
		t.Error(err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}

func TestAHubWithoutItsLockLeavesTheFilesOfTheNext(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove an open file")
	}
	f := folder(t)
	first := announced(t, f)
	if first.Lost() != nil {
		t.Fatal("the lock counts as lost at once")
	}
	if err := os.Remove(f.Run("lock")); err != nil {
		t.Fatal(err)
	}
	second, err := Acquire(f)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Release() }()
	if err := second.Announce(Info{ID: process.Self(), Folder: f, Port: 8}); err != nil {
		t.Fatal(err)
	}
	if why := first.Lost(); why == nil || !strings.Contains(why.Error(), "replaced") {
		t.Errorf("got %v", why)
	}
	if err := first.Release(); err != nil {
		t.Error(err)
	}
	if info, err := Read(f); err != nil || info.Port != 8 {
		t.Errorf("got %v, %v", info, err)
	}
}

func TestOnlyTheHolderOfTheLockIsEnded(t *testing.T) {
	f := folder(t)
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), played+"=a bystander")
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), other.Wait() }()
	id := process.ID{PID: other.Process.Pid, Start: process.StartOf(other.Process.Pid)}
	lock := announced(t, f)
	if err := lock.Announce(Info{ID: id, Folder: f}); err != nil {
		t.Fatal(err)
	}
	lock.note = nil // keep the file
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if err := End(t.Context(), f, id); fault.KindOf(err) != fault.Conflict || !id.Alive() {
		t.Errorf("a process without the lock: %v", err)
	}
}
