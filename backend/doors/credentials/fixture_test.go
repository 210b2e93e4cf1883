package credentials_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/store"
)

// fixture is a keeper with a database. It is also the Store of the keeper: its methods return failure or, if failure is
// nil, use the database.
type fixture struct {
	*credentials.Keeper
	t       *testing.T
	folder  string
	db      *store.Store
	bus     events.Bus
	logged  bytes.Buffer
	failure error
}

func open(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, folder: t.TempDir()}
	var err error
	if f.db, err = store.Open(t.Context(), filepath.Join(f.folder, "discover.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.db.Close() })
	f.reopen()
	return f
}

// reopen replaces the keeper with a new keeper on the same database, as a restart does.
func (f *fixture) reopen() {
	f.t.Helper()
	var err error
	f.Keeper, err = credentials.Open(f.t.Context(), credentials.Options{
		Store: f, Bus: &f.bus, Log: slog.New(slog.NewTextHandler(&f.logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) create(name string) (token string) {
	f.t.Helper()
	token, _, err := f.Create(f.t.Context(), credentials.Credential{Name: name})
	if err != nil {
		f.t.Fatal(err)
	}
	return token
}

// finds reports whether a token is accepted.
func (f *fixture) finds(token string) bool {
	_, ok := f.Find(token)
	return ok
}

// names returns the names of the listed credentials.
func (f *fixture) names() []string {
	out := []string{}
	for _, c := range f.List() {
		out = append(out, c.Name)
	}
	return out
}

// The following methods implement credentials.Store.

func (f *fixture) Credentials(ctx context.Context) ([]credentials.Credential, error) {
	if f.failure != nil {
		return nil, f.failure
	}
	return f.db.Credentials.Credentials(ctx)
}

func (f *fixture) AddCredential(ctx context.Context, c credentials.Credential) error {
	if f.failure != nil {
		return f.failure
	}
	return f.db.Credentials.AddCredential(ctx, c)
}

func (f *fixture) DeleteCredential(ctx context.Context, id string) error {
	if f.failure != nil {
		return f.failure
	}
	return f.db.Credentials.DeleteCredential(ctx, id)
}

func (f *fixture) MarkUsed(ctx context.Context, used map[string]time.Time) error {
	if f.failure != nil {
		return f.failure
	}
	return f.db.Credentials.MarkUsed(ctx, used)
}
