package setup_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestServersOfASetupFileAreAdded(t *testing.T) {
	d := newFixture(t, "ask")
	d.variables["DIR"], d.variables["TOKEN"] = "/data", "tok-12345"
	file := d.write("setup.json", `{"servers":[
		{"name":"one","description":"first","command":"node","args":["$DIR/x"],"env":{"FILE":"$DIR/mem.json","REF":"${secret:TOKEN}"},"tags":["t"],"secrets":{"TOKEN":"$TOKEN","EMPTY":"$UNSET"}},
		{"command":"node"}]}`)
	d.write("setup.local.json", `{"servers":[{"name":"two","url":"http://127.0.0.1:9/mcp","headers":{"Authorization":"Bearer $TOKEN"}}]}`)

	r := d.sync(file)

	is(t, "registered", r.Registered, "one", "two")
	is(t, "activated", r.Activated)
	is(t, "skipped", r.Skipped)
	is(t, "variables that are not set", r.Unset, "UNSET")
	errs(t, r.Errors, [2]string{"(unnamed)", "missing name field"})
	one, two := d.server("one"), d.server("two")
	if one.Source != "setup-file" || !one.Approved || !one.Installed || one.AlwaysListed || one.Args[0] != "$DIR/x" ||
		!reflect.DeepEqual(one.Env, map[string]string{"FILE": "/data/mem.json", "REF": "${secret:TOKEN}"}) {
		t.Errorf("one is %+v", one)
	}
	if two.Transport != "streamable-http" || two.URL != "http://127.0.0.1:9/mcp" || two.Command != "" || !two.Installed ||
		two.Headers["Authorization"] != "${secret:Authorization}" {
		t.Errorf("two is %+v", two)
	}
	if !reflect.DeepEqual(r.Notes, []setup.SyncNote{{"two", "Its credentials (headers.Authorization) are stored as secrets."}}) {
		t.Errorf("the notes are %+v", r.Notes)
	}
	if !reflect.DeepEqual(d.vault.kept, map[string]string{"one/TOKEN": "tok-12345"}) {
		t.Errorf("the vault has %v", d.vault.kept)
	}
}

func TestExistingServersOnlyGetTheirSecrets(t *testing.T) {
	d := newFixture(t, "ask")
	d.variables["TOKEN"] = "old"
	file := d.write("setup.json", `{"servers":[{"name":"one","command":"mine","env":{"A":"1"},"secrets":{"TOKEN":"$TOKEN"}}]}`)
	errs(t, d.sync(file).Errors)
	d.variables["TOKEN"] = "new"

	r := d.sync(file)

	is(t, "skipped", r.Skipped, "one")
	is(t, "registered", r.Registered)
	errs(t, r.Errors)
	if d.vault.kept["one/TOKEN"] != "new" {
		t.Errorf("the vault has %v", d.vault.kept)
	}
}

func TestSecretsGoOnlyToTheServerThatTheFileDeclares(t *testing.T) {
	const declared = `"url":"https://git.example/mcp","headers":{"X-Team":"a"}`
	file := func(d *fixture) string {
		return d.write("setup.json", `{"servers":[{"name":"github",`+declared+`,"secrets":{"TOKEN":"$TOKEN"}}]}`)
	}
	server := func(change func(*registry.Server)) registry.Server {
		s := registry.Server{
			Name: "github", Source: "setup-file", Transport: "streamable-http", URL: "https://git.example/mcp",
			Headers: map[string]string{"X-Team": "a"},
		}
		change(&s)
		return s
	}
	for name, change := range map[string]func(*registry.Server){
		"another program": func(s *registry.Server) { s.Transport, s.Command, s.URL, s.Headers = "stdio", "sh", "", nil },
		"a variable":      func(s *registry.Server) { s.Env = map[string]string{"PATH": "/evil"} },
		"another URL":     func(s *registry.Server) { s.URL = "https://evil.example/mcp" },
		"another header":  func(s *registry.Server) { s.Headers = map[string]string{"X-Team": "b"} },
		"another source":  func(s *registry.Server) { s.Source = "manual" },
	} {
		d := newFixture(t, "ask")
		d.variables["TOKEN"] = "tok"
		proposed, err := d.intake.Add(t.Context(), intake.Arrival{Server: server(change), Origin: intake.Agent})
		if err == nil {
			_, err = d.lifecycle.Approve(t.Context(), "github", lifecycle.LaunchHash(proposed.Server))
		}
		if err != nil {
			t.Fatal(err)
		}
		errs(t, d.sync(file(d)).Errors, [2]string{"github", "is not the one that the file declares"})
		if len(d.vault.kept) > 0 {
			t.Errorf("%s: the vault has %v", name, d.vault.kept)
		}
	}
	d := newFixture(t, "ask")
	d.variables["TOKEN"] = "tok"
	if _, err := d.intake.Add(t.Context(), intake.Arrival{Server: server(func(*registry.Server) {})}); err != nil {
		t.Fatal(err)
	}
	errs(t, d.sync(file(d)).Errors)
	if d.vault.kept["github/TOKEN"] != "tok" {
		t.Errorf("the declared server got %v", d.vault.kept)
	}
}

func TestAnAgentLearnsNothingAboutFilesThatAreNoSetupFiles(t *testing.T) {
	d := newFixture(t, "ask")
	want, err := d.syncer().Propose(t.Context(), filepath.Join(d.dir, "absent.json"), "")
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(d.dir, "folder.json")
	if err := os.Mkdir(pipe, 0o700); err != nil {
		t.Fatal(err)
	}
	closed := d.write("closed.json", `{"servers":[]}`)
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	for _, policy := range []registry.Permission{registry.Ask, registry.Allow} {
		d := newFixture(t, policy)
		for _, file := range []string{
			pipe, closed, filepath.Join(pipe, "below.json"),
			d.write("token.json", "hvs.CAESIJ0123456789"), d.write("empty.json", ""),
			d.write("package.json", `{"name":"x","private":true}`),
			d.write("list.json", `[1]`), d.write("large.json", strings.Repeat(" ", 4<<20+10)),
		} {
			if got, err := d.syncer().Propose(t.Context(), file, ""); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: got %+v, %v", policy, filepath.Base(file), got, err)
			}
		}
		if log := d.log.String(); strings.Contains(log, "CAESIJ") || !strings.Contains(log, "token.json") {
			t.Errorf("the log is %s", log)
		}
	}
}

func TestServersOfAFileThatNoPersonNamedWaitForApproval(t *testing.T) {
	for _, policy := range []registry.Permission{"ask", "deny"} {
		d := newFixture(t, policy)
		d.variables["TOKEN"] = "tok"
		file := d.write("unseen.json", `{"servers":[
			{"name":"one","command":"no-such-program","auto_activate":true,"secrets":{"T":"v"}},
			{"name":"two","command":"x","env":{"NOTE":"$TOKEN"}}]}`)
		r, err := d.syncer().SyncUnseen(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		is(t, "waiting", r.Waiting, "one")
		is(t, "activated", r.Activated)
		errs(t, r.Errors, [2]string{"one", "no person has named the file"}, [2]string{"two", "uses variables"})
		if d.server("one").Approved || len(d.vault.kept) > 0 {
			t.Errorf("%s: more than a proposal was made: %+v, %v", policy, d.server("one"), d.vault.kept)
		}
	}
}

func TestServersAreAddedEvenIfTheirSecretsCannotBeSet(t *testing.T) {
	d := newFixture(t, "ask")
	d.vault.fail = fault.Wrap(errLocked, fault.Unavailable, "unlock it first")
	file := d.write("setup.json", `{"servers":[{"name":"one","command":"x","secrets":{"A":"hunter2","B":"hunter2"}}]}`)
	r := d.sync(file)
	is(t, "registered", r.Registered, "one")
	errs(t, r.Errors, [2]string{"one", "could not set secret A: unlock it first"}, [2]string{"one", "could not set secret B"})
	d.server("one")

	options := d.options()
	options.Secrets = nil
	r, err := setup.New(options).Sync(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	errs(t, r.Errors, [2]string{"one", "no keychain"})
	if strings.Contains(d.log.String(), "hunter2") {
		t.Errorf("the log shows a secret: %s", d.log)
	}
}

func TestServersThatFailToStartDoNotStopTheSync(t *testing.T) {
	d := newFixture(t, "ask")
	command := mcptest.Command(t)
	good := `"command":` + quote(command[0]) + `,"args":["mcptest"],"auto_activate":true`
	file := d.write("setup.json", `{"servers":[
		{"name":"broken","command":"no-such-program","auto_activate":true},
		{"name":"good",`+good+`},
		{"name":"bad name",`+good+`},
		{"name":"idle","command":"no-such-program"},
		{"name":"also",`+good+`}]}`)

	r := d.sync(file)

	is(t, "registered", r.Registered, "broken", "good", "idle", "also")
	is(t, "activated", r.Activated, "good", "also")
	errs(t, r.Errors, [2]string{"bad name", "Invalid name"}, [2]string{"broken", "not found on PATH"})
	if !d.server("good").AlwaysListed || d.server("broken").AlwaysListed || d.server("idle").Health.Errors != 0 {
		t.Error("the wrong servers are active")
	}
	if len(d.catalog.Snapshot().Of("good")) == 0 {
		t.Error("the tools of the started server are not in the catalog")
	}
	r = d.sync(file)
	is(t, "skipped", r.Skipped, "broken", "good", "idle", "also")
	is(t, "activated again", r.Activated)
}

func TestAMissingFileHasNoServers(t *testing.T) {
	d := newFixture(t, "allow")
	for _, file := range []string{"", filepath.Join(d.dir, "nope.json")} {
		r := d.sync(file)
		is(t, "registered", r.Registered)
		is(t, "activated", r.Activated)
		is(t, "skipped", r.Skipped)
		errs(t, r.Errors)
	}
	broken := d.write("broken.json", `{"servers":[`)
	errs(t, d.sync(broken).Errors, [2]string{broken, "not valid JSON"})
	if _, err := d.syncer().Sync(t.Context(), "setup.json"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("relative path: got %v", err)
	}
}

func TestServersOfAFileNamedByAnAgentAreProposed(t *testing.T) {
	d := newFixture(t, "ask")
	d.variables["TOKEN"] = "tok"
	if _, err := d.intake.Add(t.Context(), intake.Arrival{Server: registry.Server{Name: "mine", Command: "x"}}); err != nil {
		t.Fatal(err)
	}
	file := d.write("agents.json", `{"servers":[
		{"name":"evil","command":"no-such-program","auto_activate":true,"secrets":{"NODE_OPTIONS":"--require x"}},
		{"name":"mine","command":"y","auto_activate":true,"secrets":{"TOKEN":"stolen"}}]}`)

	r, err := d.syncer().Propose(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	is(t, "registered", r.Registered, "evil")
	is(t, "waiting", r.Waiting, "evil")
	is(t, "activated", r.Activated)
	errs(t, r.Errors, [2]string{"evil", "no person has named the file"}, [2]string{"mine", "no person has named the file"})
	if d.server("evil").Approved || d.server("mine").AlwaysListed || len(d.vault.kept) > 0 {
		t.Errorf("more than a proposal was made: %+v, %+v, %v", d.server("evil"), d.server("mine"), d.vault.kept)
	}

	// Secrets in the user's own file are not given to a server that an agent
	// proposed.
	own := d.write("own.json", `{"servers":[{"name":"evil","command":"good","secrets":{"TOKEN":"$TOKEN"}}]}`)
	r = d.sync(own)
	is(t, "skipped", r.Skipped, "evil")
	errs(t, r.Errors, [2]string{"evil", "waits for approval"})
	if len(d.vault.kept) > 0 {
		t.Errorf("the vault has %v", d.vault.kept)
	}
}

func TestFilesNamedByAgentsMayNotUseVariables(t *testing.T) {
	d := newFixture(t, "ask")
	d.variables["TOKEN"] = "tok"
	file := d.write("agents.json", `{"servers":[
		{"name":"remote","url":"https://evil.example/mcp","headers":{"X-Note":"a $TOKEN"}},
		{"name":"local","command":"x","env":{"NOTE":"${TOKEN}"}},
		{"name":"plain","command":"x","env":{"NOTE":"$$TOKEN ${secret:KEY} $5"}}]}`)

	r, err := d.syncer().Propose(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	is(t, "registered", r.Registered, "plain")
	errs(t, r.Errors, [2]string{"remote", "uses variables"}, [2]string{"local", "uses variables"})
	if got := d.server("plain").Env["NOTE"]; got != "$TOKEN ${secret:KEY} $5" {
		t.Errorf("the variable NOTE is %q", got)
	}

	r = d.sync(file)
	is(t, "registered by the person", r.Registered, "remote", "local")
	if got := d.server("remote").Headers["X-Note"]; got != "a tok" {
		t.Errorf("the header X-Note is %q", got)
	}
}

func TestAgentsMayNameFilesIfTheyMayInstallServers(t *testing.T) {
	d := newFixture(t, "allow")
	file := d.write("agents.json", `{"servers":[{"name":"one","command":"x","sandbox":"off","secrets":{"T":"v"}}]}`)
	r, err := d.syncer().Propose(t.Context(), file, "an agent")
	if err != nil {
		t.Fatal(err)
	}
	is(t, "registered", r.Registered, "one")
	errs(t, r.Errors)
	if !d.server("one").Approved || d.vault.kept["one/T"] != "v" || r.Waiting != nil {
		t.Errorf("got %+v, %v", r, d.vault.kept)
	}
	if one := d.server("one"); one.Sandbox != "guard" || one.ProposedBy != "an agent" {
		t.Errorf("the file of an agent chose the sandbox %q, proposed by %q", one.Sandbox, one.ProposedBy)
	}
	other := d.write("other.json", `{"servers":[{"name":"two","command":"x","sandbox":"off"}]}`)
	if _, err := d.syncer().SyncUnseen(t.Context(), other); err != nil || d.server("two").Sandbox != "guard" {
		t.Errorf("the file of a program chose the sandbox %q, %v", d.server("two").Sandbox, err)
	}

	d = newFixture(t, "deny")
	if _, err := d.syncer().Propose(t.Context(),
		d.write("agents.json", `{"servers":[{"name":"one","command":"x"}]}`), ""); fault.KindOf(err) != fault.Denied {
		t.Errorf("got %v", err)
	}
	if left := d.servers.List(); len(left) > 0 {
		t.Errorf("these servers were added: %v", left)
	}
}

func TestRunSyncsTheSetupFile(t *testing.T) {
	d := newFixture(t, "ask")
	if err := d.syncer().Run(t.Context()); err != nil || d.log.String() != "" {
		t.Errorf("without a setup file: %v, %s", err, d.log)
	}
	options := d.options()
	options.File = filepath.Join(d.dir, "setup.json")
	s := setup.New(options)
	if err := s.Run(t.Context()); err != nil || !strings.Contains(d.log.String(), "setup file does not exist") {
		t.Errorf("with a missing setup file: %v, %s", err, d.log)
	}
	d.write("setup.json", `{"servers":[{"name":"one","command":"x"},{}]}`)
	if err := s.Run(t.Context()); err != nil || !strings.Contains(d.log.String(), "missing name field") {
		t.Errorf("got %v, %s", err, d.log)
	}
	d.server("one")
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"` }
