package lifecycle_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// propose configures a server that waits for approval.
func (b *bench) propose(s registry.Server) (registry.Server, error) {
	s.Transport, s.Command = "stdio", "run"
	return b.servers.Add(b.t.Context(), s)
}

func TestAnApprovalCodeWorksOnceForOneLaunch(t *testing.T) {
	b := newBench(t, "ask", nil)
	code := func() string {
		t.Helper()
		text, _, err := b.manager.Code("one")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	use := func(text string) error {
		_, err := b.manager.ApproveWithCode(t.Context(), "one", "", text)
		return err
	}
	change := func(edit func(*registry.Server)) {
		t.Helper()
		if _, err := b.servers.Update(t.Context(), "one", edit); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.propose(registry.Server{Name: "one"}); err != nil {
		t.Fatal(err)
	}
	if err := use(""); !errors.Is(err, lifecycle.ErrNoCode) {
		t.Errorf("without a code: %v", err)
	}
	old := code()
	if again := code(); again != old || len(old) != 9 {
		t.Errorf("the code was %s and is %s", old, again)
	}
	change(func(s *registry.Server) { s.Args = []string{"evil"} })
	if err := use(old); !errors.Is(err, lifecycle.ErrWrongCode) {
		t.Errorf("the code of the proposal before it was changed: %v", err)
	}
	for range 5 {
		good := code()
		if err := use("AAAA-AAAA"); !errors.Is(err, lifecycle.ErrWrongCode) || good == old {
			t.Fatalf("a wrong code: %v", err)
		}
	}
	tried := code()
	for range 5 {
		_ = use("AAAA-AAAA")
	}
	if err := use(tried); !errors.Is(err, lifecycle.ErrWrongCode) {
		t.Errorf("after five wrong codes: %v", err)
	}
	good := code()
	if err := use(strings.ToLower(strings.ReplaceAll(good, "-", ""))); err != nil {
		t.Errorf("the code: %v", err)
	}
	if _, _, err := b.manager.Code("one"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a code for an approved server: %v", err)
	}
	change(func(s *registry.Server) { s.Approved = false })
	if err := use(good); !errors.Is(err, lifecycle.ErrWrongCode) {
		t.Errorf("the code for the second time: %v", err)
	}
}

func TestAnApprovalCodeExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "ask", nil)
		if _, err := b.propose(registry.Server{Name: "one"}); err != nil {
			t.Fatal(err)
		}
		text, expires, err := b.manager.Code("one")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(expires) + time.Second)
		if _, err := b.manager.ApproveWithCode(t.Context(), "one", "", text); !errors.Is(err, lifecycle.ErrWrongCode) {
			t.Errorf("an old code: %v", err)
		}
	})
}

func TestApprovalNeedsTheHashOfWhatWasShown(t *testing.T) {
	b := newBench(t, "ask", nil)
	if _, err := b.propose(registry.Server{Name: "one"}); err != nil {
		t.Fatal(err)
	}
	if s, err := b.manager.Approve(t.Context(), "one", ""); fault.KindOf(err) != fault.Invalid || s.Approved {
		t.Errorf("without a hash: %v, %v", s.Approved, err)
	}
}
