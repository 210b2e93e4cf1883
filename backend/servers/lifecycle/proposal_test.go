package lifecycle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func (b *bench) propose(s registry.Server) (registry.Server, error) {
	if s.Command == "" {
		s.Command = "run"
	}
	s.Transport = "stdio"
	return b.manager.Propose(b.t.Context(), s)
}

func TestAtMost50ServersWaitForApproval(t *testing.T) {
	b := newBench(t, "ask", nil)
	for n := range 50 {
		if _, err := b.propose(registry.Server{Name: fmt.Sprintf("s%d", n)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.propose(registry.Server{Name: "more"}); fault.KindOf(err) != fault.Busy || !strings.Contains(fault.MessageOf(err), "50 servers wait for approval") {
		t.Errorf("the 51st proposal: %v", err)
	}
	if _, err := b.manager.Add(t.Context(), registry.Server{Name: "by-a-person", Command: "run"}); err != nil {
		t.Fatal(err)
	}
	first, err := b.servers.Get("s0")
	if err == nil {
		_, err = b.manager.Approve(t.Context(), "s0", lifecycle.LaunchHash(first))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.propose(registry.Server{Name: "more"}); err != nil {
		t.Errorf("after one was approved: %v", err)
	}
}

func TestProposalsThatNobodyReadsAreRefused(t *testing.T) {
	b := newBench(t, "ask", nil)
	for what, s := range map[string]registry.Server{
		"a long argument":   {Args: []string{strings.Repeat(" ", 100_000)}},
		"many arguments":    {Args: strings.Split(strings.Repeat("ab ", 8192), " ")},
		"a long variable":   {Env: map[string]string{"A": strings.Repeat("a", 16<<10)}},
		"a long name of it": {Env: map[string]string{strings.Repeat("a", 16<<10): "A"}},
		"a long text":       {Description: strings.Repeat("a", 16<<10)},
	} {
		s.Name = "long"
		if _, err := b.propose(s); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "at most 16384") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestACredentialInAProposalBecomesASecret(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456"
	for want, s := range map[string]registry.Server{
		"${secret:GITHUB_TOKEN}":                  {Env: map[string]string{"GITHUB_TOKEN": token}},
		"--token=${secret:token}":                 {Args: []string{"--token=" + token}},
		"https://me:${secret:url:password}@host/": {URL: "https://me:" + token + "@host/"},
	} {
		b := newBench(t, "ask", nil)
		s.Name = "one"
		_, err := b.propose(s)
		if message := fault.MessageOf(err); fault.KindOf(err) != fault.Invalid || !strings.Contains(message, want) || strings.Contains(message, "ghp_") {
			t.Errorf("%v: %v", s, err)
		}
		if len(b.servers.List()) > 0 {
			t.Error("the credential was stored")
		}
	}
	b := newBench(t, "ask", nil)
	if _, err := b.propose(registry.Server{Name: "one", Env: map[string]string{"API_TOKEN": "${secret:API_TOKEN}", "TOKEN_LIMIT": "400000"}}); err != nil {
		t.Errorf("a reference: %v", err)
	}
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
