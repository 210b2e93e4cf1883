package sealed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
)

func newFile(t *testing.T) *PassphraseFile {
	t.Helper()
	return NewPassphraseFile(filepath.Join(t.TempDir(), "secrets.age"), 10)
}

func TestValuesAreReadableOnceTheFileIsUnlocked(t *testing.T) {
	file := newFile(t)
	if err := file.Set(t.Context(), "one/KEY", "correct-horse"); !errors.Is(err, ErrLocked) {
		t.Errorf("set while locked: %v", err)
	}
	if err := file.Unlock("a passphrase"); err != nil {
		t.Fatal(err)
	}
	if err := file.Set(t.Context(), "one/KEY", "correct-horse"); err != nil {
		t.Fatal(err)
	}
	again := NewPassphraseFile(file.Path(), 10)
	if _, err := again.Get(t.Context(), "one/KEY"); !errors.Is(err, ErrLocked) {
		t.Errorf("get while locked: %v", err)
	}
	if err := again.Unlock("another one"); fault.KindOf(err) != fault.Denied {
		t.Errorf("a wrong passphrase: %v", err)
	}
	if err := again.Unlock("a passphrase"); err != nil {
		t.Fatal(err)
	}
	if value, err := again.Get(t.Context(), "one/KEY"); err != nil || value != "correct-horse" {
		t.Errorf("got %q, %v", value, err)
	}
	if _, err := again.Get(t.Context(), "one/OTHER"); !errors.Is(err, keychain.ErrMissing) {
		t.Errorf("a missing value: %v", err)
	}
}

func TestAFileThatCannotBeReadIsReportedWithTheCause(t *testing.T) {
	file := newFile(t)
	if err := os.Mkdir(file.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	err := file.Unlock("a passphrase")
	if text := fault.MessageOf(err); fault.KindOf(err) != fault.Unavailable ||
		!strings.HasPrefix(text, "could not read the encrypted secrets in "+file.Path()+": ") {
		t.Errorf("got %v", err)
	}
}

func TestCallsWaitForAPassphraseThatIsTriedLater(t *testing.T) {
	file := newFile(t)
	unlock := file.UnlockLater("short")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := file.State(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the state before it was tried: %v", err)
	}
	if err := unlock(); fault.KindOf(err) != fault.Invalid || file.Refused() != fault.MessageOf(err) {
		t.Errorf("got %v, refused because %q", err, file.Refused())
	}
	if state, err := file.State(t.Context()); err != nil || state != "none" {
		t.Errorf("the state is %s, %v", state, err)
	}
}
