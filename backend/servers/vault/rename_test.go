package vault_test

import (
	"errors"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

func TestSecretsFollowARenamedServer(t *testing.T) {
	d := newFixture(t).unlock("correct horse")
	d.set("one", "KEY", "the-value")
	d.set("one", "OTHER", "another-value")
	refused := errors.New("the disk is full")
	if err := d.Rename(t.Context(), "one", "two", func(map[string]string) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if !d.Holds(t.Context(), "one", "KEY", "the-value") || d.Holds(t.Context(), "two", "KEY", "the-value") {
		t.Error("a failed rename has moved secrets")
	}
	if records, err := d.store.Secrets.Secrets(t.Context(), "two"); err != nil || len(records) != 0 {
		t.Errorf("a failed rename leaves %+v, %v", records, err)
	}
	err := d.Rename(t.Context(), "one", "two", func(kept map[string]string) error {
		if kept["KEY"] != vault.InFile || kept["OTHER"] != vault.InFile {
			t.Errorf("the copies are kept in %v", kept)
		}
		return d.store.Renames.Rename(t.Context(), "one", "two", kept)
	})
	if err != nil || !d.Holds(t.Context(), "two", "KEY", "the-value") || !d.Holds(t.Context(), "two", "OTHER", "another-value") {
		t.Errorf("the secrets did not move: %v", err)
	}
	d.set("one", "KEY", "that of a later server")
	if err := d.Forget(t.Context(), "one", func() error { return nil }); err != nil || !d.Holds(t.Context(), "two", "KEY", "the-value") {
		t.Errorf("a later server of the former name has the same secret: %v", err)
	}
	locked := openFixture(t, d.folder, true)
	if err := locked.Rename(t.Context(), "two", "three", func(map[string]string) error { t.Error("stored"); return nil }); err == nil {
		t.Error("secrets were renamed that cannot be read")
	}
}
