package vault_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

// fixture is a vault with its dependencies. The keychain is disabled unless a
// test says otherwise.
type fixture struct {
	*vault.Vault
	t       *testing.T
	folder  paths.Folder
	store   *store.Store
	bus     *events.Bus
	given   *redact.KnownSecrets
	changed []string // servers with which the vault called the OnChange function
}

func newFixture(t *testing.T) *fixture { return openFixture(t, paths.Folder(t.TempDir()), true) }

// openFixture opens the vault of a data folder. Its file is locked.
func openFixture(t *testing.T, folder paths.Folder, noKeychain bool) *fixture {
	t.Helper()
	return openFixtureWith(t, vault.Options{Folder: folder, NoKeychain: noKeychain})
}

func openFixtureWith(t *testing.T, o vault.Options) *fixture {
	t.Helper()
	folder := o.Folder
	db, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d := &fixture{t: t, folder: folder, store: db, bus: &events.Bus{}, given: redact.NewKnownSecrets()}
	o.Store, o.Bus, o.Known = db.Secrets, d.bus, d.given
	o.Work = 10
	d.Vault = vault.New(o)
	d.OnChange(func(server string) { d.changed = append(d.changed, server) })
	return d
}

func (d *fixture) unlock(passphrase string) *fixture {
	d.t.Helper()
	if err := d.Unlock(d.t.Context(), passphrase); err != nil {
		d.t.Fatal(err)
	}
	return d
}

func (d *fixture) set(server, name, value string) {
	d.t.Helper()
	if err := d.Set(d.t.Context(), server, name, value); err != nil {
		d.t.Fatalf("set %s of %s: %v", name, server, err)
	}
}

// masked returns a server's secrets in the form name=masked, separated by
// spaces.
func (d *fixture) masked(server string) string {
	d.t.Helper()
	names, values, err := d.Peek(d.t.Context(), server)
	if err != nil {
		d.t.Fatal(err)
	}
	var list []string
	for i, name := range names {
		list = append(list, name+"="+values[i]+"****")
	}
	return strings.Join(list, " ")
}

// wantFault fails the test unless err is a fault of a kind whose message contains
// all words.
func wantFault(t *testing.T, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Errorf("got %v, want a fault of kind %d", err, kind)
	}
	for _, word := range words {
		if err != nil && !strings.Contains(fault.MessageOf(err), word) {
			t.Errorf("message %q does not contain %q", fault.MessageOf(err), word)
		}
	}
}

func TestSecretsAreListedWithMaskedValues(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "S", "abcd")
	d.set("one", "API_KEY", "abcde")
	d.set("one", "A/B", "vvvvvv")
	d.set("one", "Ünïcode name", "pässwörd")
	d.set("two", "API_KEY", "another")
	if got, want := d.masked("one"), "A/B=vvvv**** API_KEY=abcd**** S=**** Ünïcode name=päss****"; got != want {
		t.Errorf("server one has %s, want %s", got, want)
	}
	entries, err := d.List(t.Context(), "one")
	if err != nil || len(entries) != 4 {
		t.Fatalf("got %v, %v", entries, err)
	}
	for _, e := range entries {
		if e.Masked != "********" {
			t.Errorf("%s is shown as %q, which tells something about its value", e.Name, e.Masked)
		}
	}
	if !d.Holds(t.Context(), "one", "A/B", "vvvvvv") || d.Holds(t.Context(), "one", "A/B", "another") ||
		d.Holds(t.Context(), "one", "none", "") {
		t.Error("Holds does not tell the current value from others")
	}
}

func TestInvalidNamesAndValuesAreRejected(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	long := strings.Repeat("ä", 128)
	for _, test := range []struct{ server, name, value, word string }{
		{"one", "", "v", "name of the secret is required"},
		{"one", "a}b", "v", "no }"},
		{"one", "a\nb", "v", "control characters"},
		{"one", "a\x00b", "v", "control characters"},
		{"one", "a\xffb", "v", "control characters"},
		{"one", long + "x", "v", "128 characters"},
		{"one", "name", "", "value is required"},
		{"one", "name", "a\x00b", "not valid text"},
		{"one", "name", "a\xffb", "not valid text"},
		{"one", "name", strings.Repeat("x", 64<<10+1), "65536 bytes"},
		{"", "name", "v", "invalid server name"},
		{"a/b", "name", "v", "invalid server name"},
	} {
		wantFault(t, d.Set(t.Context(), test.server, test.name, test.value), fault.Invalid, test.word)
	}
	d.set("one", long, "v")
	d.set("one", `a=b "c" $d`, strings.Repeat("x", 64<<10))
	if names, err := d.Names(t.Context(), "one"); err != nil || len(names) != 2 {
		t.Errorf("got %d names, want 2; %v", len(names), err)
	}
}

func TestWithoutAKeychainSetFailsWithAdvice(t *testing.T) {
	d := newFixture(t)
	wantFault(t, d.Set(t.Context(), "one", "KEY", "correct-horse"), fault.Unavailable, "agent-discover secrets unlock")
	if rows, err := d.store.Secrets.Secrets(t.Context(), ""); err != nil || len(rows) != 0 {
		t.Errorf("the store has %v, %v", rows, err)
	}
	if s := d.Status(t.Context()); s.Keeper != "none" || s.File != "none" || !strings.Contains(s.Advice, "secrets unlock") {
		t.Errorf("the status is %+v", s)
	}
	d.unlock("a passphrase")
	if s := d.Status(t.Context()); s.Keeper != "file" || s.File != "unlocked" || s.Advice != "" {
		t.Errorf("the status is %+v", s)
	}
}

func TestDeletedSecretsAreRemovedFromStoreAndFile(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "KEY", "value")
	for range 2 { // deleting a missing secret is not an error
		if err := d.Delete(t.Context(), "one", "KEY"); err != nil {
			t.Fatal(err)
		}
	}
	if rows, err := d.store.Secrets.Secrets(t.Context(), ""); err != nil || len(rows) != 0 {
		t.Errorf("the store has %v, %v", rows, err)
	}
	if data, err := os.ReadFile(d.folder.Sealed("secrets")); err != nil || bytes.Contains(data, []byte("one/KEY")) {
		t.Errorf("the file still has the value: %v", err)
	}
}

func TestForgetDeletesSecretsAndLinks(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "KEY", "value of one")
	d.set("other", "KEY", "value of other")
	user := launch.Launch{Command: "x"}
	for _, link := range [][2]string{{"other", "one"}, {"one", "other"}} {
		if err := d.Link(t.Context(), link[0], user, link[1], "KEY"); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Forget(t.Context(), "one", func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := d.masked("one"); got != "" {
		t.Errorf("got %q", got)
	}
	if links, err := d.store.Secrets.SecretLinks(t.Context()); err != nil || len(links) != 0 {
		t.Errorf("links are left: %v, %v", links, err)
	}
	if got := d.masked("other"); got != "KEY=valu****" {
		t.Errorf("the other server has %s", got)
	}
}

func TestValuesThatCannotBeRemovedAreDropped(t *testing.T) {
	d := newFixture(t)
	// The value is in a keychain that no longer exists.
	if err := d.store.Secrets.PutSecret(t.Context(), vault.Record{Server: "one", Name: "KEY", Kept: vault.InKeychain}); err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context(), "one", func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := d.masked("one"); got != "" {
		t.Errorf("got %q", got)
	}
	rows, err := d.store.Secrets.Secrets(t.Context(), "one")
	if err != nil || len(rows) != 1 || !rows[0].Dropped || rows[0].Kept != vault.InKeychain {
		t.Errorf("the record is not dropped: %v, %v", rows, err)
	}
	filled, err := d.Fill(t.Context(), "one", launch.Launch{Transport: "stdio"})
	if err != nil || len(filled.Env) != 0 {
		t.Errorf("a new server with the same name gets %v, %v", filled.Env, err)
	}
}

func TestChangesAreReportedForEveryServerThatGetsTheSecret(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	changes, stop := events.Subscribe[vault.Changed](d.bus, 16)
	defer stop()
	wantChanged := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(d.changed, want) {
			t.Errorf("%s: OnChange got %v, want %v", what, d.changed, want)
		}
		d.changed = nil
		if len(want) > 0 {
			if c := <-changes; c.Server != want[0] {
				t.Errorf("%s: got an event for %s", what, c.Server)
			}
		}
	}
	d.set("one", "KEY", "value")
	wantChanged("set", "one")
	d.set("one", "KEY", "value")
	wantChanged("set to the same value")
	if err := d.Link(t.Context(), "user", launch.Launch{}, "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	wantChanged("link", "user")
	d.set("one", "KEY", "another")
	wantChanged("set a linked secret", "one", "user")
	d.set("one", "OTHER", "another")
	wantChanged("set a secret without a link", "one")
	if err := d.Unlink(t.Context(), "user", "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	wantChanged("unlink", "user")
	if err := d.Delete(t.Context(), "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	wantChanged("delete", "one")
	if err := d.Delete(t.Context(), "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	wantChanged("delete a missing secret")
}

func TestSetDoesNothingAfterItsContextEnded(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Set(ctx, "one", "KEY", "value"); err == nil {
		t.Error("Set returned no error")
	}
	if got := d.masked("one"); got != "" {
		t.Errorf("got %q", got)
	}
}
