package credentials_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
)

func TestTokensAreCreatedListedAndFound(t *testing.T) {
	f := open(t)
	if len(f.List()) != 0 || f.finds("") {
		t.Error("a new database has a token")
	}
	second, first := f.create("b"), f.create("a")
	if len(first) != 64 || first == second {
		t.Errorf("the tokens have %d and %d characters; equal: %t", len(first), len(second), first == second)
	}
	if got := f.names(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the list is %v", got)
	}
	for name, token := range map[string]string{"a": first, "b": second} {
		if g, ok := f.Find(token); !ok || g.Name != name || g.ID == "" || g.Created.IsZero() {
			t.Errorf("the token of %s is found: %t", name, ok)
		}
	}
	for _, wrong := range []string{"", "a", first[:63], first + "0", " " + first, strings.ToUpper(first), strings.Repeat("0", 64)} {
		if f.finds(wrong) {
			t.Errorf("a text of %d characters is accepted as a token", len(wrong))
		}
	}
}

func TestARevokedTokenIsRefusedAtOnceAndForGood(t *testing.T) {
	f := open(t)
	token, other := f.create("laptop"), f.create("other")
	grant, _ := f.Find(token)
	select {
	case <-grant.Ended():
		t.Fatal("the grant has ended before it is revoked")
	default:
	}
	if err := f.Revoke(t.Context(), "laptop"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-grant.Ended():
	default:
		t.Error("sessions with a revoked token continue")
	}
	if f.finds(token) || !f.finds(other) {
		t.Error("want the revoked token refused and the other accepted")
	}
	if err := f.Revoke(t.Context(), "laptop"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("revoked again: %v", err)
	}
	again := f.create("laptop")
	if next, ok := f.Find(again); !ok || next.ID == grant.ID {
		t.Error("want a new credential with the name of a revoked one")
	}
	if f.reopen(); f.finds(token) || !f.finds(again) || !f.finds(other) {
		t.Error("after a restart, want only the revoked token refused")
	}
}

func TestOnlyHashesAreStored(t *testing.T) {
	f := open(t)
	token := f.create("laptop")
	hash := sha256.Sum256([]byte(token))
	files, err := filepath.Glob(filepath.Join(f.folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	stored := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		stored = stored || bytes.Contains(content, hash[:])
		if bytes.Contains(content, []byte(token)) {
			t.Errorf("%s contains the token", filepath.Base(file))
		}
	}
	if !stored {
		t.Error("no file contains the hash of the token")
	}
}

func TestAFailedWriteChangesNothing(t *testing.T) {
	f := open(t)
	token := f.create("kept")
	grant, _ := f.Find(token)
	f.failure = errors.New("the disk is full")
	if _, _, err := f.Create(t.Context(), credentials.Credential{Name: "new"}); !errors.Is(err, f.failure) {
		t.Errorf("created: %v", err)
	}
	if err := f.Revoke(t.Context(), "kept"); !errors.Is(err, f.failure) {
		t.Errorf("revoked: %v", err)
	}
	select {
	case <-grant.Ended():
		t.Error("sessions have ended although the token is still stored")
	default:
	}
	if got := f.names(); !slices.Equal(got, []string{"kept"}) || !f.finds(token) {
		t.Errorf("the list is %v", got)
	}
	f.failure = nil
	f.create("new") // the failed call has not taken the name
}

func TestNamesOfTokens(t *testing.T) {
	f := open(t)
	for _, name := range []string{"a", "laptop-cursor", "my client", "Größe", "..a", strings.Repeat("ü", 100)} {
		f.create(name)
	}
	for name, kind := range map[string]fault.Kind{
		"a": fault.Conflict, "": fault.Invalid, ".": fault.Invalid, "..": fault.Invalid, " ": fault.Invalid, "a/b": fault.Invalid,
		"a\nb": fault.Invalid, "a\x00": fault.Invalid, "a\u202eb": fault.Invalid, "a\xff": fault.Invalid,
		strings.Repeat("ü", 101): fault.Invalid,
	} {
		if _, _, err := f.Create(t.Context(), credentials.Credential{Name: name}); fault.KindOf(err) != kind || err == nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := len(f.List()); got != 6 {
		t.Errorf("there are %d tokens, want 6", got)
	}
}

func TestANameIsTakenWhileItsTokenIsStored(t *testing.T) {
	f := open(t)
	const attempts = 8
	results := make(chan error, attempts)
	for range attempts {
		go func() {
			_, _, err := f.Create(t.Context(), credentials.Credential{Name: "one"})
			results <- err
		}()
	}
	created := 0
	for range attempts {
		switch err := <-results; {
		case err == nil:
			created++
		case fault.KindOf(err) != fault.Conflict:
			t.Error(err)
		}
	}
	if created != 1 {
		t.Errorf("%d tokens have the same name", created)
	}
}

func TestClientAndSurfaceBelongToTheToken(t *testing.T) {
	f := open(t)
	for _, c := range []struct{ name, client, surface, wantClient, wantSurface, server string }{
		{name: "plain", wantSurface: "registry"},
		{name: "registry", surface: "registry", wantSurface: "registry"},
		{name: "server", surface: "server:git hub", wantSurface: "server:git hub", server: "git hub"},
		{name: "client", client: "CURSOR", wantClient: "cursor", wantSurface: "registry"},
	} {
		token, created, err := f.Create(t.Context(), credentials.Credential{Name: c.name, Client: c.client, Surface: c.surface})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		created.Surface, created.Client = "server:another", "another"
		f.List()[0].Surface = "server:another"
		for range 2 {
			if g, ok := f.Find(token); !ok || g.Client != c.wantClient || g.Surface != c.wantSurface || g.Server() != c.server {
				t.Errorf("%s: %t, client %q, surface %q, server %q", c.name, ok, g.Client, g.Surface, g.Server())
			}
			f.reopen()
		}
	}
	for _, c := range []credentials.Credential{
		{Name: "x", Surface: "everything"},
		{Name: "x", Surface: "server:"},
		{Name: "x", Surface: "Registry"},
		{Name: "x", Client: "no-such-editor"},
	} {
		if _, _, err := f.Create(t.Context(), c); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestTokensOfARemovedServerAreRevoked(t *testing.T) {
	f := open(t)
	tokens := make(map[string]string)
	for name, surface := range map[string]string{"one": "server:x", "two": "server:x", "prefix": "server:xy", "all": "registry"} {
		token, _, err := f.Create(t.Context(), credentials.Credential{Name: name, Surface: surface})
		if err != nil {
			t.Fatal(err)
		}
		tokens[name] = token
	}
	if err := f.Forget(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if got := f.names(); !slices.Equal(got, []string{"all", "prefix"}) || f.finds(tokens["one"]) || f.finds(tokens["two"]) {
		t.Errorf("the list is %v", got)
	}
	if err := f.Forget(t.Context(), ""); err != nil || !f.finds(tokens["all"]) {
		t.Error("a token for the whole hub belongs to no server")
	}
}

func TestTheNumberOfTokensIsLimited(t *testing.T) {
	f := open(t)
	var full []credentials.Credential
	for i := range 1000 {
		name := string(rune('一' + i))
		full = append(full, credentials.Credential{ID: name, Name: name, Surface: "registry", Hash: sha256.Sum256([]byte(name))})
	}
	k, err := credentials.Open(t.Context(), credentials.Options{Store: stored{f, full}, Bus: &f.bus})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.Create(t.Context(), credentials.Credential{Name: "more"}); fault.KindOf(err) != fault.Busy {
		t.Errorf("created: %v", err)
	}
	if err := k.Revoke(t.Context(), full[0].Name); err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.Create(t.Context(), credentials.Credential{Name: "more"}); err != nil {
		t.Error(err)
	}
}

// stored is a store that lists the given credentials.
type stored struct {
	credentials.Store
	all []credentials.Credential
}

func (s stored) Credentials(context.Context) ([]credentials.Credential, error) { return s.all, nil }

func TestChangesArePublished(t *testing.T) {
	f := open(t)
	changes, stop := events.Subscribe[credentials.Changed](&f.bus, 8)
	defer stop()
	f.create("laptop")
	if len(changes) != 1 {
		t.Errorf("%d events after a token was created", len(changes))
	}
	if _, _, err := f.Create(t.Context(), credentials.Credential{Name: "laptop"}); err == nil || len(changes) != 1 {
		t.Errorf("%v, %d events after nothing was created", err, len(changes))
	}
	if err := f.Revoke(t.Context(), "laptop"); err != nil || len(changes) != 2 {
		t.Errorf("%v, %d events after a token was revoked", err, len(changes))
	}
}
