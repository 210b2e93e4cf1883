package upstream_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// oneSecret is an upstream.Secrets that gives every server one secret.
type oneSecret struct {
	mu      sync.Mutex
	value   string
	closed  error
	opening chan struct{} // if set, Fill waits on it after reading the value
}

func (s *oneSecret) Fill(_ context.Context, _ string, launch launch.Launch) (launch.Launch, error) {
	s.mu.Lock()
	value, closed, opening := s.value, s.closed, s.opening
	s.mu.Unlock()
	if opening != nil {
		opening <- struct{}{}
		<-opening
	}
	env := maps.Clone(launch.Env)
	if env == nil {
		env = make(map[string]string)
	}
	env["MODE"] = value
	launch.Env = env
	return launch, closed
}

func (s *oneSecret) put(value string, closed error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.closed = value, closed
}

func (b *bench) mode(s registry.Server) string {
	b.t.Helper()
	result, err := b.call(s, "environment", `{}`)
	if err != nil {
		b.t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(result), "MODE=")
	mode, _, _ := strings.Cut(after, `\`)
	return mode
}

func TestNextCallAfterRenewGetsTheNewSecrets(t *testing.T) {
	vault := &oneSecret{value: "first"}
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Secrets = vault })
	s := b.add("s")
	if got := b.mode(s); got != "first" {
		t.Fatalf("the server got %q", got)
	}
	for _, value := range []string{"second", "third"} {
		vault.put(value, nil)
		b.Renew("s")
		if got := b.mode(s); got != value {
			t.Errorf("the server got %q, want %q", got, value)
		}
	}
	b.Renew("unknown")
}

func TestRenewDuringAStartEndsTheNewSession(t *testing.T) {
	vault := &oneSecret{value: "first", opening: make(chan struct{})}
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Secrets = vault })
	s := b.add("s")
	mode := make(chan string, 1)
	go func() { mode <- b.mode(s) }()
	<-vault.opening // the start has read the old secret
	opening := vault.opening
	vault.mu.Lock()
	vault.value, vault.opening = "second", nil
	vault.mu.Unlock()
	b.Renew("s")
	opening <- struct{}{}
	if got := <-mode; got != "second" {
		t.Errorf("the server got %q", got)
	}
}

func TestAMissingSecretDoesNotCountAsAFailure(t *testing.T) {
	vault := &oneSecret{closed: fault.New(fault.Unavailable, "the keychain is locked")}
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Secrets = vault })
	s := b.add("s")
	for range 5 {
		err := b.Start(t.Context(), s)
		if fault.KindOf(err) != fault.Unavailable || fault.MessageOf(err) != "the keychain is locked" {
			t.Errorf("got %v", err)
		}
		if _, err := b.call(s, "echo", `{"text":"x"}`); fault.MessageOf(err) != "the keychain is locked" {
			t.Errorf("call: %v", err)
		}
	}
	now, err := b.servers.Get("s")
	if err != nil || now.Health.Errors != 0 {
		t.Errorf("the health is %+v, %v", now.Health, err)
	}
	vault.put("value", nil)
	if got := b.mode(s); got != "value" {
		t.Errorf("the server got %q", got)
	}
}

func TestTheConfigurationKeepsItsReferences(t *testing.T) {
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Secrets = &oneSecret{value: "correct-horse"} })
	s := b.add("s")
	result, err := b.call(s, "environment", `{}`)
	if err != nil || !strings.Contains(string(result), "MODE=correct-horse") {
		t.Fatalf("got %.300s, %v", result, err)
	}
	shown, err := b.servers.Get("s")
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(shown); strings.Contains(string(text), "correct-horse") {
		t.Errorf("the configuration contains the secret: %s", text)
	}
}

func TestErrorsDoNotQuoteHalfASecret(t *testing.T) {
	b := start(t, settings.Limits{})
	const secret = "correct-horse-battery-staple-correct-horse-battery-staple"
	command := mcptest.Command(t)
	for name, after := range map[string]int{"a": 1960, "b": 1990, "c": 64<<10 - 20} {
		s, err := b.servers.Add(t.Context(), registry.Server{
			Name: name, Approved: true, Command: command[0], Args: command[1:], Env: map[string]string{"API_TOKEN": secret},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.call(s, "die", `{"text":"before `+secret+strings.Repeat("x", after)+`"}`)
		for who, text := range map[string]string{"the error": fault.MessageOf(err), "the server's page": b.Stderr(name)} {
			if strings.Contains(text, "staple") || after < 64<<10-20 && !strings.Contains(text, "xxxx") {
				t.Errorf("%d bytes after the secret: %s contains %.200q", after, who, text)
			}
		}
	}
}

func TestAPrivateServerGetsFurtherSecretsThatNobodyElseGets(t *testing.T) {
	vault := &oneSecret{value: "shared"}
	given := redact.NewKnownSecrets()
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Secrets, o.Known = vault, given })
	owner := b.add("owner")
	other := owner
	other.ID, other.Name, other.Env = 0, "__transient__of_1", map[string]string{"EXTRA": launch.Reference("NEW")}
	if err := b.StartPrivate(t.Context(), other, upstream.Private{
		Of: "owner", Secrets: map[string]string{"NEW": "correct-horse"},
	}); err != nil {
		t.Fatal(err)
	}
	defer b.Remove(other.Name)
	if result, err := b.call(other, "environment", `{}`); err != nil || !strings.Contains(string(result), "EXTRA=correct-horse") ||
		!strings.Contains(string(result), "MODE=shared") {
		t.Errorf("got %s, %v", result, err)
	}
	if result, err := b.call(owner, "environment", `{}`); err != nil || strings.Contains(string(result), "correct-horse") {
		t.Errorf("got %s, %v", result, err)
	}
	if got := b.Redactor(owner).Text("it is correct-horse"); got != "it is "+secretscan.Redacted {
		t.Errorf("got %q", got)
	}
}
