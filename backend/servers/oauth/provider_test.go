package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// lifetime is the time by which tests set the clock forward so that the manager renews a
// token of the provider.
const lifetime = 50 * time.Second

func TestPersonSignsInAndTokensAreRenewedTwice(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	if _, err := w.call("notes", ""); !errors.Is(err, mcphttp.ErrSignIn) ||
		!strings.Contains(err.Error(), "agent-discover auth login notes") {
		t.Fatalf("without a sign-in: %v", err)
	}
	if st, _ := w.Status(1); st.State != oauth.Required {
		t.Errorf("status is %+v", st)
	}
	w.signIn("notes", "alice")
	w.mustCall("notes", "", "alice")
	seen := map[string]bool{w.header("notes"): true}
	for range 2 {
		w.pass(lifetime)
		w.mustCall("notes", "", "alice")
		seen[w.header("notes")] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d tokens were used, want 3", len(seen))
	}
	if st, _ := w.Status(1); st.State != oauth.SignedIn || st.Issuer != p.Issuer || !st.Renewed || st.Expires.IsZero() {
		t.Errorf("status is %+v", st)
	}
}

func TestManyCallsShareOneRenewal(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	w.pass(lifetime)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if got, err := w.call("notes", ""); got != "alice" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	calls.Wait()
	seen := map[string]bool{}
	for _, token := range s.Tokens() {
		if token != "" {
			seen[token] = true
		}
	}
	if len(seen) != 1 { // the first token was never sent
		t.Errorf("%d tokens were sent, want 1", len(seen))
	}
}

func TestCancelledCallDoesNotCancelARenewal(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	w.pass(lifetime)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Access(w.servers["notes"]).Header(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call got %v", err)
	}
	w.mustCall("notes", "", "alice")
}

func TestRevokedTokenIsRenewedAndARevokedSignInNeedsAPerson(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	p.Revoke(w.header("notes"), false)
	w.mustCall("notes", "", "alice")
	w.pass(31 * time.Second) // a token that was renewed a moment ago would not be renewed again
	p.Revoke(w.header("notes"), true)
	if _, err := w.call("notes", ""); !errors.Is(err, mcphttp.ErrSignIn) {
		t.Fatalf("after the sign-in was revoked: %v", err)
	}
	if w.header("notes") != "" {
		t.Error("the revoked token is still used")
	}
	w.signIn("notes", "alice")
	w.mustCall("notes", "", "alice")
}

func TestSignInOutlivesTheHubAndTheProvider(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	w.restart()
	if st, err := w.Status(1); st.State != oauth.SignedIn || err != nil {
		t.Errorf("status is %+v, %v", st, err)
	}
	w.mustCall("notes", "", "alice")
	p.Stop()
	p.Restart()
	w.pass(lifetime)
	w.mustCall("notes", "", "alice")

	p.Stop()
	w.pass(lifetime)
	if _, err := w.call("notes", ""); fault.KindOf(err) != fault.Unavailable && err == nil {
		t.Errorf("while the provider is down: %v", err)
	}
	w.pass(time.Hour)
	if _, err := w.Access(w.servers["notes"]).Header(t.Context()); fault.KindOf(err) != fault.Unavailable ||
		errors.Is(err, mcphttp.ErrSignIn) {
		t.Errorf("while the provider is down: %v", err)
	}
	p.Restart()
	w.mustCall("notes", "", "alice")
}

func TestProviderThatLostItsClientsGetsANewOne(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	p.Stop()
	p.Lose()
	p.Restart()
	if _, err := w.call("notes", ""); !errors.Is(err, mcphttp.ErrSignIn) {
		t.Fatalf("got %v", err)
	}
	w.signIn("notes", "alice")
	w.mustCall("notes", "", "alice")
}

func TestChangedIssuerGetsAClientAndASignInOfItsOwn(t *testing.T) {
	old, next := oidctest.Start(t), oidctest.Start(t)
	s := oidctest.NewResource(t, old)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	token := strings.TrimPrefix(w.header("notes"), "Bearer ")
	s.Trust(next)
	if _, err := w.call("notes", ""); !errors.Is(err, mcphttp.ErrSignIn) {
		t.Fatalf("got %v", err)
	}
	login := w.login("notes")
	if !strings.HasPrefix(login.Address, next.Issuer) {
		t.Fatalf("the sign-in begins at %s", login.Address)
	}
	if status, body, _ := oidctest.Browse(t, login.Address, "bob", ""); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	w.mustCall("notes", "", "bob")
	if st, _ := w.Status(1); st.Issuer != next.Issuer {
		t.Errorf("status is %+v", st)
	}
	for _, sent := range s.Tokens()[len(s.Tokens())-1:] {
		if sent == token {
			t.Error("a token of the former issuer was sent")
		}
	}
}

func TestStepUpKeepsTheScopesThatWereGrantedBefore(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	if st, _ := w.Status(1); strings.Contains(strings.Join(st.Scopes, " "), "write") {
		t.Fatalf("the first sign-in asked for %v", st.Scopes)
	}
	if _, err := w.call("notes", "/write"); !errors.Is(err, mcphttp.ErrSignIn) || !strings.Contains(err.Error(), "permission write") {
		t.Fatalf("got %v", err)
	}
	w.mustCall("notes", "", "alice") // the sign-in is still good for other calls
	u, _ := url.Parse(w.login("notes").Address)
	if scope := u.Query().Get("scope"); scope != "offline_access read write" {
		t.Fatalf("the sign-in asks for %q", scope)
	}
	w.signIn("notes", "alice")
	w.mustCall("notes", "/write", "alice")
	w.restart()
	w.mustCall("notes", "/write", "alice")
}

func TestSigningOutRevokesTheTokens(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	before, sent := w.Access(w.servers["notes"]), w.header("notes") // of a session that is open while alice signs out
	token := strings.TrimPrefix(sent, "Bearer ")
	if unrevoked, err := w.Logout(t.Context(), 1, "notes"); unrevoked != nil || err != nil {
		t.Fatal(unrevoked, err)
	}
	if is := p.Token(token); is.Active {
		t.Errorf("the token is still valid: %v", is)
	}
	if w.header("notes") != "" {
		t.Error("the token is still used")
	}
	refused := mcphttp.Challenge{Status: http.StatusUnauthorized, Sent: sent}
	for _, row := range []struct {
		access *oauth.Access
		want   oauth.State
	}{{before, oauth.SignedOut}, {w.Access(w.servers["notes"]), oauth.Required}} {
		if retry, err := row.access.Challenged(t.Context(), refused); retry || !errors.Is(err, mcphttp.ErrSignIn) {
			t.Errorf("a refused request: %t, %v", retry, err)
		}
		if st, _ := w.Status(1); st.State != row.want {
			t.Errorf("after a refused request, the state is %s, want %s", st.State, row.want)
		}
	}
	w.restart()
	if st, _ := w.Status(1); st.State != oauth.SignedOut || w.header("notes") != "" {
		t.Errorf("after a restart: %+v", st)
	}
}

func TestBrowserOnAnotherMachineFinishesWithAPastedAddress(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	login := w.login("notes")
	_, _, last := oidctest.Browse(t, login.Address, "alice", login.Redirect)
	if again := w.login("notes"); again.Address != login.Address {
		t.Error("a second login replaced the one that waits")
	}
	server, err := w.Complete(t.Context(), " "+last+"\n")
	if server != "notes" || err != nil {
		t.Fatal(server, err)
	}
	if err := login.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.mustCall("notes", "", "alice")
	if _, err := w.Complete(t.Context(), last); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the address works twice: %v", err)
	}
}

func TestTwoAccountsNeverSeeEachOthersToken(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "work"), serverAt(s, "home"))
	w.signIn("work", "alice")
	if _, err := w.call("home", ""); !errors.Is(err, mcphttp.ErrSignIn) {
		t.Fatalf("the second account got %v", err)
	}
	w.signIn("home", "bob")
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() { w.mustCall("work", "", "alice") })
		calls.Go(func() { w.mustCall("home", "", "bob") })
	}
	calls.Wait()
	w.restart()
	w.pass(lifetime)
	w.mustCall("home", "", "bob")
	w.mustCall("work", "", "alice")
	if _, err := w.Logout(t.Context(), 1, "work"); err != nil {
		t.Fatal(err)
	}
	w.mustCall("home", "", "bob")
}

func TestTokenGoesOnlyToTheAddressItIsFor(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	moved := w.servers["notes"]
	moved.URL = "https://attacker.example/mcp"
	if header, err := w.Access(moved).Header(t.Context()); header != "" || err != nil {
		t.Errorf("the token would be sent to another address: %q, %v", header, err)
	}
}

func TestProgramGetsTokensForItself(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "robot"))
	for name, value := range map[string]string{
		"oauth:client_id": "machine", "oauth:client_secret": "machine-secret-0123456789abcdef", "oauth:grant": "client_credentials",
	} {
		if err := w.vault.Set(t.Context(), "robot", name, value); err != nil {
			t.Fatal(err)
		}
	}
	w.mustCall("robot", "", "machine")
	first := w.header("robot")
	w.pass(lifetime)
	w.mustCall("robot", "", "machine")
	if w.header("robot") == first {
		t.Error("the token was not renewed")
	}
	w.mustCall("robot", "/write", "machine") // without a person
}

func TestNoTokenIsReadableInFilesLogsAndErrors(t *testing.T) {
	p := oidctest.Start(t)
	s := oidctest.NewResource(t, p)
	w := newWorld(t, serverAt(s, "notes"))
	w.signIn("notes", "alice")
	w.pass(lifetime)
	w.mustCall("notes", "", "alice")
	token := strings.TrimPrefix(w.header("notes"), "Bearer ")
	data, err := os.ReadFile(w.options.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, sent := range append(s.Tokens(), token) {
		if sent != "" && (strings.Contains(string(data), sent) || strings.Contains(w.log.String(), sent)) {
			t.Error("a token is readable in the file or the log")
		}
	}
	if text := w.given.Text("failed with " + token); strings.Contains(text, token) {
		t.Errorf("the token is not redacted: %s", text)
	}
}
