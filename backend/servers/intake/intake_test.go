package intake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

// bench has an intake with a real registry and a real vault.
type bench struct {
	*intake.Intake
	t       *testing.T
	servers *registry.Registry
	vault   *vault.Vault
}

// newBench returns a bench with the given setting agents.install, and with a vault that is unlocked unless locked is set.
func newBench(t *testing.T, policy registry.Permission, locked bool) *bench {
	t.Helper()
	b, folder, bus := &bench{t: t}, paths.Folder(t.TempDir()), &events.Bus{}
	db, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if b.servers, err = registry.Open(t.Context(), db.Servers, bus); err != nil {
		t.Fatal(err)
	}
	b.vault = vault.New(vault.Options{Store: db.Secrets, Bus: bus, Folder: folder, NoKeychain: true, Work: 10})
	if !locked {
		if err := b.vault.Unlock(t.Context(), "a passphrase"); err != nil {
			t.Fatal(err)
		}
	}
	b.Intake = intake.New(intake.Options{
		Registry: b.servers, Vault: b.vault, Policy: func() registry.Permission { return policy }, Remove: b.servers.Remove,
		Ports: func() []int { return []int{40100, 0} },
	})
	return b
}

// propose adds a server for an agent.
func (b *bench) propose(s registry.Server) error {
	if s.Command == "" {
		s.Command = "run"
	}
	s.Transport = "stdio"
	_, err := b.Add(b.t.Context(), intake.Arrival{Server: s, Origin: intake.Agent, Readable: true})
	return err
}

// must adds a server for a person.
func (b *bench) must(s registry.Server) intake.Outcome {
	b.t.Helper()
	out, err := b.Add(b.t.Context(), intake.Arrival{Server: s, Readable: true})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func TestAtMost50ServersWaitForApproval(t *testing.T) {
	b := newBench(t, "ask", false)
	for n := range 50 {
		if err := b.propose(registry.Server{Name: fmt.Sprintf("s%d", n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.propose(registry.Server{Name: "more"}); fault.KindOf(err) != fault.Busy ||
		!strings.Contains(fault.MessageOf(err), "50 servers wait for approval") {
		t.Errorf("the 51st proposal: %v", err)
	}
	b.must(registry.Server{Name: "by-a-person", Command: "run"})
	if _, err := b.servers.Update(t.Context(), "s0", func(s *registry.Server) { s.Approved = true }); err != nil {
		t.Fatal(err)
	}
	if err := b.propose(registry.Server{Name: "more"}); err != nil {
		t.Errorf("after one was approved: %v", err)
	}
}

func TestProposalsThatNobodyReadsAreRefused(t *testing.T) {
	b := newBench(t, "ask", false)
	for what, s := range map[string]registry.Server{
		"a long argument":   {Args: []string{strings.Repeat(" ", 100_000)}},
		"many arguments":    {Args: strings.Split(strings.Repeat("ab ", 8192), " ")},
		"a long variable":   {Env: map[string]string{"A": strings.Repeat("a", 16<<10)}},
		"a long name of it": {Env: map[string]string{strings.Repeat("a", 16<<10): "A"}},
		"a long text":       {Description: strings.Repeat("a", 16<<10)},
	} {
		s.Name = "long"
		if err := b.propose(s); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "at most 16384") {
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
		b := newBench(t, "ask", false)
		s.Name = "one"
		err := b.propose(s)
		if message := fault.MessageOf(err); fault.KindOf(err) != fault.Invalid || !strings.Contains(message, want) ||
			strings.Contains(message, "ghp_") {
			t.Errorf("%v: %v", s, err)
		}
		if len(b.servers.List()) > 0 {
			t.Error("the credential was stored")
		}
	}
	b := newBench(t, "ask", false)
	if err := b.propose(registry.Server{
		Name: "one", Env: map[string]string{"API_TOKEN": "${secret:API_TOKEN}", "TOKEN_LIMIT": "400000"},
	}); err != nil {
		t.Errorf("a reference: %v", err)
	}
}

func TestANewValueOfAReadableCredentialIsStoredAsASecret(t *testing.T) {
	b := newBench(t, "ask", false)
	old, next := "ghp_0123456789abcdefghijABCDEFGHIJ0123456", "ghp_6543210JIHGFEDCBAjihgfedcba9876543210"
	set := func(token string) func(*registry.Server) {
		return func(s *registry.Server) { s.Env = map[string]string{"GITHUB_TOKEN": token} }
	}
	if _, err := b.servers.Add(t.Context(), registry.Server{Name: "one", Command: "run", Approved: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.servers.Update(t.Context(), "one", set(old)); err != nil { // as long as the vault was locked
		t.Fatal(err)
	}
	out, err := b.Update(t.Context(), "one", set(next))
	if err != nil || out.Server.Env["GITHUB_TOKEN"] != "${secret:GITHUB_TOKEN}" ||
		!b.vault.Holds(t.Context(), "one", "GITHUB_TOKEN", next) {
		t.Errorf("%v, %v", out.Server.Env, err)
	}
}

func TestCredentialsThatComeWithAServerAreStoredAsSecrets(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456"
	server := registry.Server{
		Name: "one", Transport: "stdio", Command: "run", Args: []string{"--api-key=battery-staple"},
		Env: map[string]string{"GITHUB_TOKEN": token, "MODE": "fast"},
	}
	for _, by := range []intake.Origin{intake.Person, intake.Script} {
		b := newBench(t, "ask", false)
		out, err := b.Add(t.Context(), intake.Arrival{Server: server, Origin: by, Readable: true})
		if err != nil || !out.Server.Approved || !slices.Equal(out.Stored, []string{"env.GITHUB_TOKEN", "args[0]"}) || len(out.Kept) > 0 {
			t.Fatalf("%+v, %v", out, err)
		}
		if s := out.Server; s.Env["GITHUB_TOKEN"] != "${secret:GITHUB_TOKEN}" || s.Args[0] != "--api-key=${secret:api-key}" ||
			s.Env["MODE"] != "fast" {
			t.Errorf("the configuration is %v %v", s.Env, s.Args)
		}
		if !b.vault.Holds(t.Context(), "one", "GITHUB_TOKEN", token) || !b.Runs(t.Context(), out.Server, server) {
			t.Error("the vault does not have the token, or the server seems to run something else")
		}
		other := server
		other.Env = map[string]string{"GITHUB_TOKEN": token[:30] + "ZZZZZZZZZZZ", "MODE": "fast"}
		if b.Runs(t.Context(), out.Server, other) {
			t.Error("a server with another token seems to be the same")
		}
	}
	b := newBench(t, "ask", true)
	out, err := b.Add(t.Context(), intake.Arrival{Server: server, Readable: true})
	if notes := strings.Join(out.Notes(), " "); err != nil || out.Server.Env["GITHUB_TOKEN"] != token ||
		!strings.Contains(notes, "env.GITHUB_TOKEN") || !strings.Contains(notes, "secrets unlock") {
		t.Errorf("without a vault: %+v, %v", out, err)
	}
	server.Name = "two"
	if _, err := b.Add(t.Context(), intake.Arrival{Server: server}); fault.CodeOf(err) != fault.CodeUnstorable ||
		len(b.servers.List()) != 1 {
		t.Errorf("credentials that must not stay readable: %v, %v", err, b.servers.List())
	}
}

// A proposal stays complete, because the person who approves it must be able to read all of it.
func TestCredentialsOfAProposalStayWhereTheyAreRead(t *testing.T) {
	b := newBench(t, "ask", false)
	if err := b.propose(registry.Server{Name: "one", Args: []string{"--token", "rm -rf everything"}}); err != nil {
		t.Fatal(err)
	}
	if s, _ := b.servers.Get("one"); s.Approved || s.Args[1] != "rm -rf everything" || s.Sandbox != registry.Guard {
		t.Errorf("the proposal is %+v", s)
	}
}

func TestNamesThatAreTakenForOthersAreRefused(t *testing.T) {
	b := newBench(t, "ask", false)
	b.must(registry.Server{Name: "GitHub", Command: "run"})
	for _, name := range []string{"agent-discover", "Agent-Discover", "AgentDiscover", "agent_discover", "discover", "Discover"} {
		if _, err := b.Add(t.Context(), intake.Arrival{
			Server: registry.Server{Name: name, Command: "run"},
		}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a person adds %s: %v", name, err)
		}
	}
	for _, name := range []string{"Keychain", "System", "github", "git-hub", "GitHub.", "discover"} {
		if err := b.propose(registry.Server{Name: name}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("an agent proposes %s: %v", name, err)
		}
	}
	if out := b.must(registry.Server{Name: "github", Command: "run"}); out.Similar != "GitHub" {
		t.Errorf("a person is told %v", out.Notes())
	}
	if _, err := b.Add(t.Context(), intake.Arrival{
		Server: registry.Server{Name: "github", Command: "run"},
	}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a name that is taken: %v", err)
	}
}

func TestEveryServerHasAKnownTransport(t *testing.T) {
	b := newBench(t, "ask", false)
	for n, row := range []struct {
		server registry.Server
		want   string
	}{
		{registry.Server{Command: "run"}, "stdio"},
		{registry.Server{Command: "run", URL: "https://h/sse"}, "stdio"},
		{registry.Server{}, "stdio"},
		{registry.Server{URL: "https://h/mcp"}, "streamable-http"},
		{registry.Server{URL: "https://h/sse?a=b"}, "sse"},
		{registry.Server{URL: "https://h/sse", Transport: "http"}, "streamable-http"},
	} {
		row.server.Name = fmt.Sprintf("s%d", n)
		if out := b.must(row.server); out.Server.Transport != row.want {
			t.Errorf("%+v has the transport %s", row.server, out.Server.Transport)
		}
	}
	odd := registry.Server{Name: "odd", Transport: "htp", URL: "https://h/mcp"}
	for _, by := range []intake.Origin{intake.Person, intake.Script, intake.Unseen, intake.Agent} {
		if _, err := b.Add(t.Context(), intake.Arrival{Server: odd, Origin: by}); fault.KindOf(err) != fault.Invalid ||
			!strings.Contains(fault.MessageOf(err), "use stdio, streamable-http or sse") {
			t.Errorf("an unknown transport: %v", err)
		}
	}
	if out, err := b.Add(t.Context(), intake.Arrival{Server: odd, AnyTransport: true}); err != nil || out.Server.Transport != "htp" {
		t.Errorf("any transport: %+v, %v", out.Server, err)
	}
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	b := newBench(t, "ask", false)
	for address, kind := range map[string]fault.Kind{
		"notaurl": fault.Invalid, "ftp://host/": fault.Invalid, "http://": fault.Invalid, "https://host:${PORT}/mcp": fault.Internal,
		"${BASE}/mcp": fault.Internal,
	} {
		_, err := b.Check(t.Context(), intake.Arrival{Server: registry.Server{Name: "far", Transport: "streamable-http", URL: address}})
		if err != nil && fault.KindOf(err) != kind || err == nil && kind != fault.Internal {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAgentsAddWhatTheSettingsAllow(t *testing.T) {
	for policy, want := range map[registry.Permission]fault.Kind{registry.Deny: fault.Denied, registry.Allow: fault.Internal} {
		b := newBench(t, policy, false)
		err := b.propose(registry.Server{Name: "one"})
		if err != nil && fault.KindOf(err) != want || err == nil && want == fault.Denied {
			t.Errorf("%s: %v", policy, err)
		}
		if s, _ := b.servers.Get("one"); s.Approved != (policy == "allow") {
			t.Errorf("%s: approved is %v", policy, s.Approved)
		}
	}
}

func TestAServerThatIsSwitchedOffIsDisabled(t *testing.T) {
	b := newBench(t, "allow", false)
	for _, by := range []intake.Origin{intake.Person, intake.Unseen} {
		out, err := b.Check(t.Context(),
			intake.Arrival{Server: registry.Server{Name: "one", Command: "run"}, Origin: by, SwitchedOff: true})
		if err != nil || !out.Server.Disabled || !out.Server.Approved {
			t.Errorf("%+v, %v", out, err)
		}
	}
}

func TestSecretsThatComeWithAServerAreStoredOrTheServerIsNotAdded(t *testing.T) {
	a := intake.Arrival{
		Server: registry.Server{Name: "notes", Command: "run", Transport: "stdio"}, Origin: intake.Script, Readable: true,
		Values: map[string]string{"TOKEN": "open-sesame-1", "REGION": "north"},
	}
	b := newBench(t, "ask", false)
	out, err := b.Add(t.Context(), a)
	if err != nil || !slices.Equal(out.Notes(), []string{"Its secrets (REGION, TOKEN) are stored."}) {
		t.Errorf("got %q, %v", out.Notes(), err)
	}
	if names, err := b.vault.Names(t.Context(), "notes"); err != nil || !slices.Equal(names, []string{"REGION", "TOKEN"}) {
		t.Errorf("the vault has %v, %v", names, err)
	}
	b = newBench(t, "ask", true)
	if _, err := b.Add(t.Context(), a); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without a place for secrets: %v", err)
	}
	if servers := b.servers.List(); len(servers) != 0 {
		t.Errorf("the registry has %+v", servers)
	}
}

func TestAgentDiscoverIsNotOneOfItsOwnServers(t *testing.T) {
	b := newBench(t, "ask", false)
	for _, s := range []registry.Server{
		{Command: "/opt/bin/agent-discover", Args: []string{"mcp", "--client", "x"}},
		{Command: "agent-discover"},
		{Command: "sh", Args: []string{"-c", "exec agent-discover mcp"}},
		{URL: "http://127.0.0.1:40100/mcp"},
		{URL: "http://localhost:40100/server/a"},
		{URL: "http://[::1]:40100/sse"},
		{URL: "http://0.0.0.0:40100/mcp"},
	} {
		for _, origin := range []intake.Origin{intake.Person, intake.Script, intake.Unseen, intake.Agent} {
			s.Name = "loop"
			if _, err := b.Add(t.Context(), intake.Arrival{Server: s, Origin: origin}); fault.KindOf(err) != fault.Invalid ||
				!strings.Contains(fault.MessageOf(err), "Agent Discover itself") {
				t.Errorf("%+v by %d: %v", s, origin, err)
			}
		}
	}
	for n, s := range []registry.Server{
		{Command: "npx", Args: []string{"agent-discover", "mcp"}},
		{Command: "/opt/bin/agent-discover", Args: []string{"doctor"}},
		{URL: "http://127.0.0.1:40101/mcp"},
		{URL: "http://localhost/mcp"},
		{URL: "https://h.example:40100/mcp"},
	} {
		s.Name = fmt.Sprint("other", n)
		b.must(s)
	}
}
