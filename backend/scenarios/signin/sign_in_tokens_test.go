package signin_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// signInPassphrase encrypts the sign-ins of hubs without a keychain.
const signInPassphrase = "AGENT_DISCOVER_PASSPHRASE=a passphrase"

// signedIn is a hub with the remote server "notes", to which alice is signed in.
type signedIn struct {
	*hub.Hub
	t        *testing.T
	provider *oidctest.Provider
	resource *oidctest.Resource
	options  hub.Options
	ended    <-chan error
	agent    *hubtest.Agent

	mu    sync.Mutex
	later time.Duration
}

func newSignedIn(t *testing.T) *signedIn {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	s := &signedIn{t: t, provider: oidctest.Start(t)}
	s.resource = oidctest.NewAccounts(t, s.provider)
	s.options = hub.Options{Folder: paths.Folder(t.TempDir()), Now: s.now}
	s.start()
	hubtest.Do(t, s.Hub, "POST", "/api/servers",
		map[string]any{"name": "notes", "transport": "streamable-http", "homepage": s.resource.URL + "/mcp"}, nil)
	signIn(t, s.Hub, 1, "alice")
	hubtest.Do(t, s.Hub, "POST", "/api/servers/1/activate", nil, nil)
	return s
}

// start starts the hub, or restarts it with the same data folder, and connects an agent.
func (s *signedIn) start() {
	s.t.Helper()
	if s.Hub != nil {
		s.Stop()
		hubtest.AwaitEnd(s.t, s.ended)
	}
	s.Hub, s.ended = hubtest.RunHub(s.t, s.options, signInPassphrase)
	s.agent = hubtest.Join(s.t, s.Hub, "agent")
}

func (s *signedIn) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.later)
}

// pass advances the clock of the hub.
func (s *signedIn) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later += d
}

// call calls the tool whoami, whose answer must contain want.
func (s *signedIn) call(want string) {
	s.t.Helper()
	if got := s.agent.Exchange("tools/call", `{"name":"notes__whoami","arguments":{}}`); !strings.Contains(got, want) {
		s.t.Errorf("whoami answered %s, want %q", got, want)
	}
}

// status returns the state of the sign-in.
func (s *signedIn) status() (st operations.SignIn) {
	s.t.Helper()
	hubtest.Do(s.t, s.Hub, "GET", "/api/servers/1/auth", nil, &st)
	return st
}

const (
	life       = 50 * time.Second // time after which the hub renews a token
	askedAgain = `the sign-in to server \"notes\" has ended; a person must sign in again: agent-discover auth login notes`
)

func TestCallsShareTheRenewalOfTheirToken(t *testing.T) {
	s := newSignedIn(t)
	s.call("you are alice")
	for renewals := 1; renewals <= 2; renewals++ {
		s.pass(life)
		for i := range 20 {
			s.agent.Write(
				fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d-%d","method":"tools/call","params":{"name":"notes__whoami","arguments":{}}}`,
					renewals, i),
			)
		}
		for range 20 {
			if got := s.agent.AwaitText(fmt.Sprintf(`"id":"%d-`, renewals)); !strings.Contains(got, "you are alice") {
				t.Errorf("got %s", got)
			}
		}
		if got := s.provider.Issued("refresh_token"); got != renewals {
			t.Errorf("%d tokens were issued instead of others, want %d", got, renewals)
		}
	}
}

func TestRevokedSignInNamesTheCommand(t *testing.T) {
	s := newSignedIn(t)
	s.call("you are alice")
	tokens := s.resource.Tokens()
	s.provider.Revoke("Bearer "+tokens[len(tokens)-1], true)
	s.call(askedAgain)
	if st := s.status(); st.State != "required" || !st.Again {
		t.Errorf("status is %+v", st)
	}
	signIn(t, s.Hub, 1, "bob")
	s.call("you are bob")
	if st := s.status(); st.State != "signed_in" || st.Again {
		t.Errorf("status is %+v", st)
	}
}

func TestSignInsOutliveRestarts(t *testing.T) {
	s := newSignedIn(t)
	s.start()
	s.call("you are alice")
	s.provider.Stop()
	s.provider.Restart()
	s.pass(life)
	s.call("you are alice")
	if s.provider.Issued("refresh_token") != 1 {
		t.Error("the token was not renewed")
	}
	s.start()
	s.pass(life)
	s.call("you are alice")
}

func TestServerWithANewIssuerIsSignedInToAnew(t *testing.T) {
	s := newSignedIn(t)
	next := oidctest.Start(t)
	s.resource.Trust(next)
	s.call("agent-discover auth login notes")
	signIn(t, s.Hub, 1, "bob")
	s.call("you are bob")
	if st := s.status(); st.Issuer != next.Issuer {
		t.Errorf("status is %+v", st)
	}
}

func TestHubGetsTokensForItself(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	p := oidctest.Start(t)
	r := oidctest.NewAccounts(t, p)
	h, _ := hubtest.RunHub(t, hub.Options{}, signInPassphrase)
	for i, name := range []string{"robot", "token"} {
		hubtest.Do(t, h, "POST", "/api/servers",
			map[string]any{"name": name, "transport": "streamable-http", "homepage": r.URL + "/mcp", "start": false}, nil)
		secrets := map[string]string{
			"oauth:client_id": "machine", "oauth:client_secret": "machine-secret-0123456789abcdef", "oauth:grant": "client_credentials",
		}
		if name == "token" {
			tokens := r.Tokens()
			secrets = map[string]string{"API_KEY": tokens[len(tokens)-1]}
		}
		for key, value := range secrets {
			hubtest.Do(t, h, "PUT", fmt.Sprintf("/api/servers/%d/secrets/%s", i+1, key), map[string]string{"value": value}, nil)
		}
		hubtest.Do(t, h, "POST", fmt.Sprintf("/api/servers/%d/activate", i+1), nil, nil)
		a := hubtest.Join(t, h, "agent")
		if got := a.Exchange("tools/call", `{"name":"`+name+`__whoami","arguments":{}}`); !strings.Contains(got, "you are machine") {
			t.Errorf("%s: got %s", name, got)
		}
	}
	var list []operations.SignIn
	if hubtest.Do(t, h, "GET", "/api/auth", nil, &list); list[0].State != "signed_in" || list[1].State != "signed_out" {
		t.Errorf("the sign-ins are %+v", list)
	}
}

func TestToolsAreListedAfterASignIn(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	p := oidctest.Start(t)
	h, _ := hubtest.RunHub(t, hub.Options{}, signInPassphrase)
	s := &signedIn{Hub: h, t: t, provider: p}
	hubtest.Do(t, h, "POST", "/api/servers",
		map[string]any{"name": "notes", "transport": "streamable-http", "homepage": oidctest.NewAccounts(t, p).URL + "/mcp"}, nil)
	if err := hubtest.TryDo(t, h, "POST", "/api/servers/1/refresh", nil); err == nil {
		t.Fatal("the server needs no sign-in")
	}
	s.awaitServer("sign_in", "required", 0)
	var page operations.SignInPage
	hubtest.Do(t, h, "POST", "/api/servers/1/auth/login", nil, &page)
	s.awaitServer("sign_in", "waiting", 0)
	signIn(t, h, 1, "alice")
	s.awaitServer("running", "signed_in", 2)
	hubtest.Do(t, h, "POST", "/api/servers/1/auth/logout", nil, nil)
	s.awaitServer("stopped", "", 2)
}

// awaitServer waits until the server has a state, a sign-in and a number of tools.
func (s *signedIn) awaitServer(state, signIn string, tools int) {
	s.t.Helper()
	changed, stop := s.ServersChanged()
	defer stop()
	late := time.After(hubtest.Deadline)
	for {
		var last operations.Server
		hubtest.Do(s.t, s.Hub, "GET", "/api/servers/1", nil, &last)
		if last.State == state && last.SignIn == signIn && last.ToolCount == tools {
			return
		}
		select {
		case <-changed:
		case <-late:
			s.t.Fatalf("the server is %s, %q, with %d tools; want %s, %q, %d", last.State, last.SignIn, last.ToolCount, state,
				signIn, tools)
		}
	}
}
