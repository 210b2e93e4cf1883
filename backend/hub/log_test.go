package hub

import (
	"bytes"
	"errors"
	"fmt"
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

func TestLogContainsNoCredentials(t *testing.T) {
	cause := errors.New("the server wrote: plain-looking-credential")
	failure := fault.Wrap(cause, fault.Failed, "the server does not start")
	internal := fault.Wrap(cause, fault.Internal, "the port failed")
	for _, test := range []struct {
		value any
		want  string
	}{
		{failure, "the server does not start"},
		{fmt.Errorf("refresh: %w", failure), "the server does not start"},
		{errors.Join(failure, errors.New("and more")), "the server does not start"},
		{internal, "the port failed"},
		{fmt.Errorf("outer: %w", internal), "the port failed"},
		{errors.New("disk full for API_KEY=plain-looking-credential"), "disk full"},
		{"--token plain-looking-credential", "--token"},
	} {
		var out bytes.Buffer
		newLog(&out, nil).Warn("it failed", "error", test.value)
		if strings.Contains(out.String(), "plain-looking-credential") || !strings.Contains(out.String(), test.want) {
			t.Errorf("%v is logged as %s", test.value, out.String())
		}
	}
}

func TestLogRedactsSecretsGivenToServers(t *testing.T) {
	folder, given := paths.Folder(t.TempDir()), redact.NewKnownSecrets()
	db, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	vault := vault.New(vault.Options{Store: db.Secrets, Bus: &events.Bus{}, Folder: folder, Known: given, NoKeychain: true, Work: 10})
	if err := vault.Unlock(t.Context(), "a passphrase"); err != nil {
		t.Fatal(err)
	}
	if err := vault.Set(t.Context(), "one", "MODE", "correct-horse"); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.Fill(t.Context(), "one", launch.Launch{Transport: "stdio"}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := newLog(&out, given)
	log.Info("output", "text", "in correct-horse mode", "error", errors.New("no correct-horse"))
	if strings.Contains(out.String(), "horse") || !strings.Contains(out.String(), "in [redacted] mode") {
		t.Errorf("logged: %s", out.String())
	}
}
