package vault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestTheFileIsUnlockedOnlyByItsPassphrase(t *testing.T) {
	d := newFixture(t).unlock("the right one")
	d.set("one", "KEY", "correct-horse")
	file := d.folder.Sealed("secrets")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}

	again := openFixture(t, d.folder, true)
	if s := again.Status(t.Context()); s.Keeper != "none" || s.File != "locked" {
		t.Errorf("the status after a restart is %+v", s)
	}
	if got := again.masked("one"); got != "KEY=****" {
		t.Errorf("while locked: got %s", got)
	}
	wantFault(t, again.Set(t.Context(), "one", "KEY", "another"), fault.Unavailable, "unlock")
	wantFault(t, again.Set(t.Context(), "one", "NEW", "another"), fault.Unavailable, "unlock")
	wantFault(t, again.Unlock(t.Context(), "a wrong one"), fault.Denied, "wrong")
	wantFault(t, again.Unlock(t.Context(), ""), fault.Invalid, "passphrase")
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a wrong passphrase changed the file: %v", err)
	}

	again.unlock("the right one")
	if got := again.masked("one"); got != "KEY=corr****" {
		t.Errorf("once unlocked: got %s", got)
	}
	wantFault(t, again.Unlock(t.Context(), "a wrong one"), fault.Denied, "wrong")
	if got := again.masked("one"); got != "KEY=corr****" {
		t.Errorf("after a wrong passphrase: got %s", got)
	}
}

func TestNoFileContainsAValueInPlainText(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "KEY", "correct-horse-battery")
	d.set("one", "KEY", "correct-horse-staple")
	if err := d.Delete(t.Context(), "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	d.set("two", "KEY", "correct-horse-battery")
	files, err := filepath.Glob(filepath.Join(string(d.folder), "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("the folder has %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("correct-horse")) {
			t.Errorf("%s contains a value", file)
		}
	}
}

func TestDamagedFilesAreNotChanged(t *testing.T) {
	for name, content := range map[string]string{
		"not JSON": "age-encryption.org/v1", "a newer version": `{"format":2}`, "values without a key": `{"format":1,"values":{"a/b":"x"}}`,
		"a broken key": `{"format":1,"identity":"-----BEGIN AGE","values":{}}`, "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			file := d.folder.Sealed("secrets")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			wantFault(t, d.Unlock(t.Context(), "a passphrase"), fault.Failed, "damaged")
			if err := d.Set(t.Context(), "one", "KEY", "value"); err == nil {
				t.Error("Set returned no error")
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != content {
				t.Errorf("the file became %q, %v", after, err)
			}
		})
	}
}

func TestFilesThatWereReplacedAreNotChanged(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "KEY", "value")
	if err := os.Remove(d.folder.Sealed("secrets")); err != nil {
		t.Fatal(err)
	}
	wantFault(t, d.Set(t.Context(), "one", "KEY", "another"), fault.Unavailable, "unlock it again")
	d.unlock("a new passphrase")
	d.set("one", "KEY", "another")
	if got := openFixture(t, d.folder, true).unlock("a new passphrase").masked("one"); got != "KEY=anot****" {
		t.Errorf("after a restart: got %s", got)
	}
}

func TestValuesMovedToAnotherAccountAreRejected(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "KEY", "of server one")
	file := d.folder.Sealed("secrets")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d.set("two", "KEY", "of server two")
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(`"one/KEY"`), []byte(`"two/KEY"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := d.masked("two"); got != "KEY=****" {
		t.Errorf("server two has %s", got)
	}
}
