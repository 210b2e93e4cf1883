//go:build desktop && linux

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/app/desktoptest"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// signIn signs an account in to the first server.
func (s *session) signIn(account string) {
	s.t.Helper()
	var page struct{ Address string }
	s.rest(http.MethodPost, "/api/servers/1/auth/login", nil, &page)
	oidctest.Browse(s.t, page.Address, account, "")
	var now struct{ State string }
	if s.rest(http.MethodGet, "/api/servers/1/auth?wait=true", nil, &now); now.State != "signed_in" {
		s.t.Fatalf("after the sign-in, the state is %q", now.State)
	}
}

// call calls the tool whoami of the first server.
func (s *session) call() error {
	s.t.Helper()
	call := map[string]any{"tool": "whoami", "args": map[string]any{}}
	return instance.NewClient(s.hub(0)).Do(s.t.Context(), http.MethodPost, "/api/servers/1/call", call, nil)
}

func TestTheTrayAnnouncesOnceThatASignInHasEndedAndOpensItsPage(t *testing.T) {
	provider := oidctest.Start(t)
	resource := oidctest.NewAccounts(t, provider)
	s := newSession(t)
	notifications := desktoptest.NewNotifications(t, s.bus.Connect())
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	opened := filepath.Join(t.TempDir(), "opened")
	program := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat \"${1#file://}\" >'"+opened+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.start(binary(t, "agent-discover-tray"),
		append(s.env(), "BROWSER="+program, "AGENT_DISCOVER_KEYCHAIN=off", "AGENT_DISCOVER_PASSPHRASE=a passphrase"))
	icon := panel.Await()
	s.rest(http.MethodPost, "/api/servers",
		map[string]any{"name": "notes", "transport": "streamable-http", "homepage": resource.URL + "/mcp"}, nil)
	s.signIn("alice")
	s.rest(http.MethodPost, "/api/servers/1/activate", nil, nil)
	icon.AwaitItem("1 of 1 server running")
	notifications.NoneLeft() // no notification about the first sign-in, because the person who adds the server expects it

	end := func() {
		t.Helper()
		tokens := resource.Tokens()
		provider.Revoke("Bearer "+tokens[len(tokens)-1], true)
		if s.call() == nil {
			t.Fatal("a call without a sign-in succeeds")
		}
	}
	end()
	shown := notifications.Await()
	if shown.Summary != "“notes” requires you to sign in again" {
		t.Errorf("the notification says %q", shown.Summary)
	}
	icon.AwaitItem("Sign in (1)")
	if s.call() == nil {
		t.Error("a call without a sign-in succeeds")
	}
	shown.Press("Sign in")
	s.until("the page is opened", func() bool {
		page, err := os.ReadFile(opened)
		return err == nil && strings.Contains(string(page), provider.Issuer)
	})
	notifications.NoneLeft()
	s.signIn("alice")
	if closed := notifications.AwaitClosed(); closed != shown.ID {
		t.Errorf("closed %d, want %d", closed, shown.ID)
	}
	if err := s.call(); err != nil {
		t.Error(err)
	}
	end()
	if again := notifications.Await(); again.Summary != shown.Summary {
		t.Errorf("the second time, the notification says %q", again.Summary)
	}
	notifications.NoneLeft()
}
