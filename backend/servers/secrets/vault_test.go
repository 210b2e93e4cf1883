package secrets_test

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
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/store"
)

// desk is a vault with what it stands on. Its keychain is switched off, unless
// a test says otherwise.
type desk struct {
	*secrets.Vault
	t      *testing.T
	folder paths.Folder
	store  *store.Store
	bus    *events.Bus
	given  *secrets.Given
	told   []string // servers whose secrets have changed
}

func newDesk(t *testing.T) *desk { return openDesk(t, paths.Folder(t.TempDir()), true) }

// openDesk opens the vault of a data folder, as a hub does at its start.
func openDesk(t *testing.T, folder paths.Folder, noKeychain bool) *desk {
	t.Helper()
	return openDeskWith(t, secrets.Options{Folder: folder, NoKeychain: noKeychain})
}

func openDeskWith(t *testing.T, o secrets.Options) *desk {
	t.Helper()
	folder := o.Folder
	db, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d := &desk{t: t, folder: folder, store: db, bus: &events.Bus{}, given: &secrets.Given{}}
	o.Store, o.Bus, o.Given = db, d.bus, d.given
	o.Work = 10
	d.Vault = secrets.NewVault(o)
	d.OnChange(func(server string) { d.told = append(d.told, server) })
	return d
}

func (d *desk) unlock(passphrase string) *desk {
	d.t.Helper()
	if err := d.Unlock(d.t.Context(), passphrase); err != nil {
		d.t.Fatal(err)
	}
	return d
}

func (d *desk) set(server, name, value string) {
	d.t.Helper()
	if err := d.Set(d.t.Context(), server, name, value); err != nil {
		d.t.Fatalf("set %s of %s: %v", name, server, err)
	}
}

// shows returns a server's secrets as name=masked.
func (d *desk) shows(server string) string {
	d.t.Helper()
	entries, err := d.List(d.t.Context(), server)
	if err != nil {
		d.t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name+"="+e.Masked)
	}
	return strings.Join(list, " ")
}

// refused fails the test unless err is a fault of a kind that holds the words.
func refused(t *testing.T, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Errorf("got %v, want a fault of kind %d", err, kind)
	}
	for _, word := range words {
		if err != nil && !strings.Contains(fault.MessageOf(err), word) {
			t.Errorf("%q lacks %q", fault.MessageOf(err), word)
		}
	}
}

func TestSecretIsKeptUnderItsNameAndShownMasked(t *testing.T) {
	d := newDesk(t).unlock("pass")
	d.set("one", "S", "abcd")
	d.set("one", "API_KEY", "abcde")
	d.set("one", "A/B", "vvvvvv")
	d.set("one", "Ünïcode name", "pässwörd")
	d.set("two", "API_KEY", "another")
	if got, want := d.shows("one"), "A/B=vvvv**** API_KEY=abcd**** S=**** Ünïcode name=päss****"; got != want {
		t.Errorf("one shows %s, want %s", got, want)
	}
	if got := d.shows("two"); got != "API_KEY=anot****" {
		t.Errorf("two shows %s", got)
	}
	if !d.Holds(t.Context(), "one", "A/B", "vvvvvv") || d.Holds(t.Context(), "one", "A/B", "another") || d.Holds(t.Context(), "one", "none", "") {
		t.Error("what is held is told wrongly")
	}
}

func TestNamesAndValuesThatCannotBeKeptAreRefused(t *testing.T) {
	d := newDesk(t).unlock("pass")
	long := strings.Repeat("ä", 128)
	for _, test := range []struct{ server, name, value, word string }{
		{"one", "", "v", "needs a name"},
		{"one", "a}b", "v", "no }"},
		{"one", "a\nb", "v", "control characters"},
		{"one", "a\x00b", "v", "control characters"},
		{"one", "a\xffb", "v", "control characters"},
		{"one", long + "x", "v", "128 characters"},
		{"one", "name", "", "value is required"},
		{"one", "name", "a\x00b", "no text"},
		{"one", "name", "a\xffb", "no text"},
		{"one", "name", strings.Repeat("x", 64<<10+1), "65536 bytes"},
		{"", "name", "v", "belongs to a server"},
		{"a/b", "name", "v", "belongs to a server"},
	} {
		refused(t, d.Set(t.Context(), test.server, test.name, test.value), fault.Invalid, test.word)
	}
	d.set("one", long, "v")
	d.set("one", `a=b "c" $d`, strings.Repeat("x", 64<<10))
	if names, err := d.Names(t.Context(), "one"); err != nil || len(names) != 2 {
		t.Errorf("%d names are kept, %v", len(names), err)
	}
}

func TestWithoutAKeeperNothingIsKeptAndWhatToDoIsSaid(t *testing.T) {
	d := newDesk(t)
	refused(t, d.Set(t.Context(), "one", "KEY", "correct-horse"), fault.Unavailable, "agent-discover secrets unlock")
	if rows, err := d.store.Secrets(t.Context(), ""); err != nil || len(rows) != 0 {
		t.Errorf("the store has %v, %v", rows, err)
	}
	if s := d.Status(t.Context()); s.Keeper != "none" || s.File != "none" || !strings.Contains(s.Advice, "secrets unlock") {
		t.Errorf("the status is %+v", s)
	}
	d.unlock("pass")
	if s := d.Status(t.Context()); s.Keeper != "file" || s.File != "unlocked" || s.Advice != "" {
		t.Errorf("the status is %+v", s)
	}
}

func TestDeletedSecretIsGoneEverywhere(t *testing.T) {
	d := newDesk(t).unlock("pass")
	d.set("one", "KEY", "value")
	for range 2 { // the second time there is none, which is no error
		if err := d.Delete(t.Context(), "one", "KEY"); err != nil {
			t.Fatal(err)
		}
	}
	if rows, err := d.store.Secrets(t.Context(), ""); err != nil || len(rows) != 0 {
		t.Errorf("the store has %v, %v", rows, err)
	}
	if data, err := os.ReadFile(d.folder.Sealed("secrets")); err != nil || bytes.Contains(data, []byte("one/KEY")) {
		t.Errorf("the file has it still: %v", err)
	}
}

func TestForgottenServerLeavesNothingToItsSuccessor(t *testing.T) {
	d := newDesk(t).unlock("pass")
	d.set("one", "KEY", "value of one")
	d.set("other", "KEY", "value of other")
	user := secrets.Launch{Command: "x"}
	for _, link := range [][2]string{{"other", "one"}, {"one", "other"}} {
		if err := d.Link(t.Context(), link[0], user, link[1], "KEY"); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Forget(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if got := d.shows("one"); got != "" {
		t.Errorf("it shows %s", got)
	}
	if links, err := d.store.SecretLinks(t.Context()); err != nil || len(links) != 0 {
		t.Errorf("links are left: %v, %v", links, err)
	}
	if got := d.shows("other"); got != "KEY=valu****" {
		t.Errorf("the other shows %s", got)
	}
}

func TestValueThatItsKeeperKeepsIsNobodysAndGoesLater(t *testing.T) {
	d := newDesk(t)
	// As after a time with a keychain: here there is none.
	if err := d.store.PutSecret(t.Context(), secrets.Record{Server: "one", Name: "KEY", Kept: secrets.InKeychain}); err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if got := d.shows("one"); got != "" {
		t.Errorf("it shows %s", got)
	}
	rows, err := d.store.Secrets(t.Context(), "one")
	if err != nil || len(rows) != 1 || !rows[0].Dropped || rows[0].Kept != secrets.InKeychain {
		t.Errorf("what is to go is not remembered: %v, %v", rows, err)
	}
	filled, err := d.Fill(t.Context(), "one", secrets.Launch{Transport: "stdio"})
	if err != nil || len(filled.Env) != 0 {
		t.Errorf("the next server of that name gets %v, %v", filled.Env, err)
	}
}

func TestWhoeverGetsASecretIsToldOfItsChange(t *testing.T) {
	d := newDesk(t).unlock("pass")
	changes, stop := events.Subscribe[secrets.Changed](d.bus, 16)
	defer stop()
	told := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(d.told, want) {
			t.Errorf("%s: told %v, want %v", what, d.told, want)
		}
		d.told = nil
		if len(want) > 0 {
			if c := <-changes; c.Server != want[0] {
				t.Errorf("%s: published for %s", what, c.Server)
			}
		}
	}
	d.set("one", "KEY", "value")
	told("set", "one")
	d.set("one", "KEY", "value")
	told("the same again")
	if err := d.Link(t.Context(), "user", secrets.Launch{}, "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	told("link", "user")
	d.set("one", "KEY", "another")
	told("set what is linked", "one", "user")
	d.set("one", "OTHER", "another")
	told("set what is not linked", "one")
	if err := d.Unlink(t.Context(), "user", "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	told("unlink", "user")
	if err := d.Delete(t.Context(), "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	told("delete", "one")
	if err := d.Delete(t.Context(), "one", "KEY"); err != nil {
		t.Fatal(err)
	}
	told("delete what is not there")
}

func TestChangeThatNobodyWaitsForIsNotMade(t *testing.T) {
	d := newDesk(t).unlock("pass")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Set(ctx, "one", "KEY", "value"); err == nil {
		t.Error("it was made")
	}
	if got := d.shows("one"); got != "" {
		t.Errorf("it shows %s", got)
	}
}
