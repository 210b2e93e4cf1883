package credentials_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
)

// run runs the keeper until end is called.
func (f *fixture) run() (end func()) {
	ctx, cancel := context.WithCancel(f.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			f.t.Error(err)
		}
	}
}

// lastUsed returns when the only token was last used, as the keeper lists it and as the database has it.
func (f *fixture) lastUsed() (listed, stored time.Time) {
	f.t.Helper()
	kept, err := f.db.Credentials.Credentials(f.t.Context())
	if err != nil || len(kept) != 1 {
		f.t.Fatal(kept, err)
	}
	return f.List()[0].Used, kept[0].Used
}

func TestTheLastUseIsStoredToTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t)
		defer f.run()()
		token := f.create("laptop")
		changes, stop := events.Subscribe[credentials.Changed](&f.bus, 8)
		defer stop()
		want := func(at time.Time, published int) {
			t.Helper()
			synctest.Wait()
			if listed, stored := f.lastUsed(); !listed.Equal(at) || !stored.Equal(at) {
				t.Errorf("listed as used at %s, stored %s, want %s", listed, stored, at)
			}
			if len(changes) != published {
				t.Errorf("%d events, want %d", len(changes), published)
			}
		}
		want(time.Time{}, 0)
		f.finds("another")
		want(time.Time{}, 0)
		first := time.Now()
		f.finds(token)
		want(first, 1)
		time.Sleep(59 * time.Second)
		f.finds(token)
		want(first, 1)
		time.Sleep(time.Second)
		f.finds(token)
		want(first.Add(time.Minute), 2)
	})
}

func TestAUseJustBeforeTheEndIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t)
		token := f.create("laptop")
		f.finds(token) // before Run, whose last write must store this use
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.Run(ctx); err != nil {
			t.Error(err)
		}
		f.reopen()
		if listed, stored := f.lastUsed(); listed.IsZero() || !listed.Equal(stored) {
			t.Errorf("listed as used at %s, stored %s", listed, stored)
		}
	})
}

func TestATokenIsAcceptedWhenItsUseCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t)
		token := f.create("laptop")
		f.failure = errors.New("the disk is full")
		end := f.run()
		if !f.finds(token) {
			t.Error("the token is refused")
		}
		synctest.Wait()
		if listed, stored := f.lastUsed(); listed.IsZero() || !stored.IsZero() {
			t.Errorf("listed as used at %s, stored %s", listed, stored)
		}
		end()
		if !strings.Contains(f.logged.String(), "the disk is full") {
			t.Errorf("logged: %s", &f.logged)
		}
	})
}

func TestNoErrorAndNoLogContainsAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t)
		token, c, err := f.Create(t.Context(), credentials.Credential{Name: "laptop"})
		if err != nil {
			t.Fatal(err)
		}
		end := f.run()
		f.finds(token)
		synctest.Wait()
		_, _, taken := f.Create(t.Context(), c)
		f.failure = errors.New("the disk is full")
		_, _, unstored := f.Create(t.Context(), credentials.Credential{Name: "another"})
		unrevoked := f.Revoke(t.Context(), "laptop")
		time.Sleep(time.Minute)
		f.finds(token)
		synctest.Wait()
		end()
		for _, err := range []error{taken, unstored, unrevoked, errors.New(f.logged.String())} {
			if err == nil || err.Error() == "" || strings.Contains(err.Error(), token) {
				t.Error("want an error or a log without the token")
			}
		}
	})
}
