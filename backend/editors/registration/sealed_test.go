package registration

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestNoFileOfTheHistoryHasACredential(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", withSecret("b"))
	rg.register("cursor", done)
	out, err := rg.TakeOut(t.Context(), "cursor", rg.found("cursor").Files[0], []string{"a", "b"})
	if err != nil || out.Status != done {
		t.Fatal(out, err)
	}
	rg.again(nil) // simulate a restart
	rg.undo(done, out.Change)
	if got := rg.read(path); strings.Count(got, secret) != 2 {
		t.Errorf("the file after the undo is %s", got)
	}
	rg.noSecrets()
	history, err := rg.History(t.Context(), "cursor")
	text, _ := json.Marshal(history)
	if err != nil || len(history) != 3 || strings.Contains(string(text), secret) {
		t.Errorf("history is %s, %v", text, err)
	}
}

// noSecrets checks that all files of the Registrar are private and contain no secret.
func (rg *rig) noSecrets() {
	rg.Helper()
	err := filepath.WalkDir(rg.options.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, _ := d.Info()
		private := fs.FileMode(0o600)
		if d.IsDir() {
			private = 0o700
		}
		if info.Mode().Perm() != private && runtime.GOOS != "windows" {
			rg.Errorf("mode of %s is %v", path, info.Mode())
		}
		if !d.IsDir() && strings.Contains(rg.read(path), secret) {
			rg.Errorf("%s contains a secret", path)
		}
		return nil
	})
	if err != nil {
		rg.Error(err)
	}
}

// locked is a Sealer without a key.
type locked struct{}

func (locked) Seal(context.Context, []byte) ([]byte, error) {
	return nil, fault.New(fault.Unavailable, "the keychain is locked")
}

func (locked) Unseal(context.Context, []byte) ([]byte, error) {
	return nil, fault.New(fault.Unavailable, "the keychain is locked")
}

func TestWithoutAKeyNoCredentialIsWrittenAndTheRestWorks(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", withSecret("b"))
	rg.again(func(o *Options) { o.Sealer = locked{} })
	out, err := rg.TakeOut(t.Context(), "cursor", rg.found("cursor").Files[0], []string{"a"})
	if err != nil || out.Status != refused || !strings.Contains(out.Problem, "the keychain is locked") {
		t.Errorf("taking out a credential: %+v, %v", out, err)
	}
	rg.holds(path, withSecret("b"))
	change := rg.register("cursor", done)
	rg.noSecrets()
	rg.again(nil)
	rg.undo(done, change) // the undo works without a backup
	rg.holds(path, withSecret("b"))
}

func TestBackupsOfEarlierVersionsAreEncryptedAtTheStart(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", withSecret("b"))
	out, err := rg.TakeOut(t.Context(), "cursor", rg.found("cursor").Files[0], []string{"a", "b"})
	if err != nil || out.Status != done {
		t.Fatal(out, err)
	}
	rg.asEarlier(out.Change)
	rg.again(func(o *Options) { o.Sealer = locked{} })
	rg.sealOld(t.Context())
	if rg.Unsealed() != 1 {
		t.Errorf("without a key, %d backups are reported", rg.Unsealed())
	}
	rg.again(func(o *Options) { o.Sealer = reversed{} })
	rg.sealOld(t.Context())
	rg.noSecrets()
	if rg.Unsealed() != 0 {
		t.Errorf("%d backups are not encrypted", rg.Unsealed())
	}
	rg.undo(done, out.Change)
	rg.holds(path, withSecret("b"))
}

// asEarlier rewrites a stored change without encryption, as earlier versions stored it.
func (rg *rig) asEarlier(change string) {
	rg.Helper()
	folder := filepath.Join(rg.options.Folder, "changes", change)
	for sealed, plain := range map[string]string{"before.age": "before", "steps.age": "steps.json"} {
		text, _ := reversed{}.Seal(rg.Context(), []byte(rg.read(filepath.Join(folder, sealed))))
		if err := errors.Join(os.WriteFile(filepath.Join(folder, plain), text, 0o600),
			os.Remove(filepath.Join(folder, sealed))); err != nil {
			rg.Fatal(err)
		}
	}
	record := filepath.Join(folder, "change.json")
	if err := os.WriteFile(record, []byte(strings.Replace(rg.read(record), `"sealed": true`, `"sealed": false`, 1)), 0o600); err != nil {
		rg.Fatal(err)
	}
}

func TestForgottenBackupsAreDeletedAndTheRecordsStay(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", withSecret("b"))
	first := rg.register("cursor", done)
	out, err := rg.TakeOut(t.Context(), "cursor", rg.found("cursor").Files[0], []string{"a", "b"})
	if err != nil || out.Status != done {
		t.Fatal(out, err)
	}
	after := rg.read(path)
	if n, err := rg.Forget(t.Context(), []string{out.Change}); n != 1 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	rg.again(nil)
	if c := rg.record(out.Change); !c.Forgotten || c.Possible || !strings.Contains(c.Why, "deleted") {
		t.Errorf("record is %+v", c)
	}
	for _, name := range []string{"before", "before.age", "steps.json", "steps.age"} {
		if _, err := os.Stat(filepath.Join(rg.options.Folder, "changes", out.Change, name)); err == nil {
			t.Errorf("%s still exists", name)
		}
	}
	rg.undo(refused, out.Change)
	rg.holds(path, after)
	if n, err := rg.Forget(t.Context(), nil); n != 1 || err != nil {
		t.Errorf("deleted %d of all, %v", n, err)
	}
	rg.undo(refused, first)
	rg.unregister("cursor", done)
	if _, err := rg.Forget(t.Context(), []string{"nobody"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("error is %v", err)
	}
}
