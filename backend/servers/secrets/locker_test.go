package secrets_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestFileOfSecretsOpensWithItsPassphraseOnly(t *testing.T) {
	d := newDesk(t).unlock("the right one")
	d.set("one", "KEY", "correct-horse")
	file := d.folder.Sealed("secrets")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}

	again := openDesk(t, d.folder, true)
	if s := again.Status(t.Context()); s.Keeper != "none" || s.File != "locked" {
		t.Errorf("the status after a restart is %+v", s)
	}
	if got := again.shows("one"); got != "KEY=****" {
		t.Errorf("locked, it shows %s", got)
	}
	refused(t, again.Set(t.Context(), "one", "KEY", "another"), fault.Unavailable, "unlock")
	refused(t, again.Set(t.Context(), "one", "NEW", "another"), fault.Unavailable, "unlock")
	refused(t, again.Unlock(t.Context(), "a wrong one"), fault.Denied, "wrong")
	refused(t, again.Unlock(t.Context(), ""), fault.Invalid, "passphrase")
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a wrong passphrase changes the file: %v", err)
	}

	again.unlock("the right one")
	if got := again.shows("one"); got != "KEY=corr****" {
		t.Errorf("unlocked, it shows %s", got)
	}
	refused(t, again.Unlock(t.Context(), "a wrong one"), fault.Denied, "wrong")
	if got := again.shows("one"); got != "KEY=corr****" {
		t.Errorf("a wrong passphrase locks what was open: %s", got)
	}
}

func TestFileOfSecretsHoldsNoValueInClear(t *testing.T) {
	d := newDesk(t).unlock("pass")
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
			t.Errorf("%s holds a value", file)
		}
	}
}

func TestDamagedFileOfSecretsIsLeftAsItIs(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON": "age-encryption.org/v1", "a newer version": `{"format":2}`, "values without a key": `{"format":1,"values":{"a/b":"x"}}`,
		"a broken key": `{"format":1,"identity":"-----BEGIN AGE","values":{}}`, "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			file := d.folder.Sealed("secrets")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			refused(t, d.Unlock(t.Context(), "pass"), fault.Failed, "damaged")
			if err := d.Set(t.Context(), "one", "KEY", "value"); err == nil {
				t.Error("a value is kept in it")
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != content {
				t.Errorf("it became %q, %v", after, err)
			}
		})
	}
}

func TestFileThatWasReplacedSinceIsNotWrittenTo(t *testing.T) {
	d := newDesk(t).unlock("pass")
	d.set("one", "KEY", "value")
	if err := os.Remove(d.folder.Sealed("secrets")); err != nil {
		t.Fatal(err)
	}
	refused(t, d.Set(t.Context(), "one", "KEY", "another"), fault.Unavailable, "unlock it again")
	d.unlock("new")
	d.set("one", "KEY", "another")
	if got := openDesk(t, d.folder, true).unlock("new").shows("one"); got != "KEY=anot****" {
		t.Errorf("after a restart it shows %s", got)
	}
}

func TestOneSealedValueCannotTakeAnothersPlace(t *testing.T) {
	d := newDesk(t).unlock("pass")
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
	if got := d.shows("two"); got != "KEY=****" {
		t.Errorf("two shows %s", got)
	}
}
