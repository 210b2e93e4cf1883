//go:build linux

package cli_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal in the role of a person at a keyboard.
type terminal struct {
	*os.File // the controlling end: writes type keys, reads return the screen
	t        *testing.T
	line     *os.File // the end that a program uses as its terminal
	screen   *programtest.Output
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	line, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = line.Close() })
	term := &terminal{keys, t, line, &programtest.Output{}}
	go func() {
		buffer := make([]byte, 1024)
		for {
			n, err := keys.Read(buffer)
			_, _ = term.screen.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	return term
}

// run starts a command with the terminal as its standard streams.
func (term *terminal) run(cmd *exec.Cmd) {
	term.t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.line, term.line, term.line
	if err := cmd.Start(); err != nil {
		term.t.Fatal(err)
	}
}

// echoes reports whether the terminal prints typed keys.
func (term *terminal) echoes() bool {
	term.t.Helper()
	state, err := unix.IoctlGetTermios(int(term.line.Fd()), unix.TCGETS)
	if err != nil {
		term.t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// answer waits until a question is on the screen for the nth time and echo is
// off, and types a line.
func (term *terminal) answer(question string, nth int, line string) {
	term.t.Helper()
	term.reply(question, line, func() bool { return strings.Count(term.screen.String(), question) == nth && !term.echoes() })
}

// confirm waits until a question is on the screen for the nth time, and types a
// line.
func (term *terminal) confirm(question string, nth int, line string) {
	term.t.Helper()
	term.reply(question, line, func() bool { return strings.Count(term.screen.String(), question) == nth })
}

func (term *terminal) reply(question, line string, asked func() bool) {
	term.t.Helper()
	term.eventually("the question is asked: "+question, asked)
	if _, err := term.WriteString(line + "\n"); err != nil {
		term.t.Fatal(err)
	}
}

// awaitText waits until a text is on the screen.
func (term *terminal) awaitText(text string) {
	term.t.Helper()
	term.eventually("the screen shows: "+text, func() bool { return strings.Contains(term.screen.String(), text) })
}

// shows waits until each of the texts is on the screen. The end of a command may appear there after the command has ended.
func (term *terminal) shows(texts ...string) {
	term.t.Helper()
	for _, text := range texts {
		term.awaitText(text)
	}
}

// eventually waits until a condition holds; a failure shows the screen.
func (term *terminal) eventually(what string, holds func() bool) {
	term.t.Helper()
	if err := programtest.Await(func() (bool, error) { return holds(), nil }); err != nil {
		term.t.Fatalf("%v: waiting until %s; the screen shows:\n%s", err, what, term.screen)
	}
}

func TestRemovalsAskFirstInATerminal(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Must("servers", "add", "one", "--no-start", "--", "true")
	h.Must("servers", "add", "two", "--no-start", "--", "true")
	term := newTerminal(t)
	exits := func(code int, question string, nth int, answer string, args ...string) {
		t.Helper()
		cmd := h.Command(args...)
		term.run(cmd)
		if question != "" {
			term.confirm(question, nth, answer)
		}
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%v exited with %d, want %d:\n%s", args, cmd.ProcessState.ExitCode(), code, term.screen)
		}
	}
	const question = "Remove server one with 0 tools and 0 secrets? This cannot be undone."
	exits(4, question, 1, "", "servers", "remove", "one")
	term.awaitText("nothing was removed")
	programtest.Contains(t, h.Must("servers", "list"), "one", "two")
	exits(0, question, 2, "y", "servers", "remove", "one")
	exits(0, "", 0, "", "servers", "remove", "two", "--yes")
	programtest.Contains(t, h.Must("servers", "list"), "No server is configured")
	if asked := strings.Count(term.screen.String(), "[y/N]"); asked != 2 {
		t.Errorf("asked %d times, want 2:\n%s", asked, term.screen)
	}
}

func TestTypedSecretsAreNotEchoed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Must("servers", "add", "one", "--no-start", "--", "true")
	term := newTerminal(t)
	secrets := func(args ...string) *exec.Cmd {
		cmd := h.Command(append([]string{"secrets"}, args...)...)
		term.run(cmd)
		return cmd
	}
	exits := func(cmd *exec.Cmd, code int) {
		t.Helper()
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%v exited with %d, want %d", cmd.Args, cmd.ProcessState.ExitCode(), code)
		}
		if !term.echoes() {
			t.Error("the terminal does not echo after the command")
		}
	}

	unlock := secrets("unlock")
	term.answer("Choose a passphrase", 1, "a passphrase")
	term.answer("Repeat the passphrase", 1, "another passphrase")
	exits(unlock, 1)
	term.awaitText("the passphrases differ; nothing was changed")
	unlock = secrets("unlock")
	term.answer("Choose a passphrase", 2, "a passphrase")
	term.answer("Repeat the passphrase", 2, "a passphrase")
	exits(unlock, 0)
	unlock = secrets("unlock")
	term.answer("Passphrase: ", 1, "another passphrase")
	exits(unlock, 4)
	set := secrets("set", "one", "KEY")
	term.answer("Value of KEY for one: ", 1, "correct-horse ünïcode ")
	exits(set, 0)
	set = secrets("set", "one", "KEY")
	programtest.Eventually(t, "the question is asked again", func() bool {
		return strings.Count(term.screen.String(), "Value of KEY") == 2 && !term.echoes()
	})
	programtest.Signal(t, set.Process.Pid, syscall.SIGINT)
	exits(set, 1)
	term.awaitText("interrupted; nothing was changed")

	for _, typed := range []string{"a passphrase", "another", "correct-horse"} {
		if strings.Contains(strings.ReplaceAll(term.screen.String(), "Choose a passphrase", ""), typed) {
			t.Errorf("%q is on the screen:\n%s", typed, term.screen)
		}
	}
	h.SetSecret("one", "SAME", "correct-horse ünïcode ")
	programtest.Contains(t, h.Must("secrets", "list", "one"), "KEY", "SAME", "********")
}

// runAsSession starts a command whose controlling terminal is this one, as a
// shell in a terminal does.
func (term *terminal) runAsSession(cmd *exec.Cmd) {
	term.t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	term.run(cmd)
}

func TestOnlyAPersonOrTheirCodeApproves(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	info := h.Serve().Info
	agent := h.Attach()
	propose := func(name string) string {
		t.Helper()
		return agent.Ask("tools/call",
			`{"name":"registry","arguments":{"action":"install","name":"`+name+`","command":"no-such-program","args":["--flag"]}}`).Line
	}
	answer := propose("typed")
	programtest.Contains(t, answer, "waiting_for_approval", "tray or dashboard")
	if strings.Contains(answer, "servers approve") {
		t.Errorf("the agent is told how to approve its own proposal: %s", answer)
	}
	propose("coded")
	propose("kept")
	server := func(name string) operations.Server {
		t.Helper()
		var all []operations.Server
		if err := instance.NewClient(info).Do(t.Context(), http.MethodGet, "/api/servers", nil, &all); err != nil {
			t.Fatal(err)
		}
		return all[slices.IndexFunc(all, func(s operations.Server) bool { return s.Name == name })]
	}

	// A person answers on the controlling terminal, whatever the standard streams are.
	term := newTerminal(t)
	run := func(name, typed string) *exec.Cmd {
		t.Helper()
		cmd := h.Command("servers", "approve", name)
		term.runAsSession(cmd)
		term.confirm("Approve server "+name+"?", 1, typed)
		_ = cmd.Wait()
		return cmd
	}
	if code := run("kept", "n").ProcessState.ExitCode(); code != 4 || server("kept").Approved {
		t.Errorf("after the answer no: exit code %d, approved %v", code, server("kept").Approved)
	}
	if run("typed", "y"); !server("typed").Approved {
		t.Errorf("after the answer yes the server still waits; the screen shows %s", term.screen)
	}
	term.shows("typed, proposed by an agent in test-editor 9", "argument 1   --flag")

	// A program that has the token needs the code that only a person is shown.
	path := fmt.Sprintf("/api/servers/%d/", server("coded").ID)
	program := instance.NewClient(info)
	if err := program.Do(t.Context(), http.MethodPost, path+"approve",
		map[string]string{"launch_hash": server("coded").LaunchHash}, nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("approval without a code: %v", err)
	}
	if err := program.Do(t.Context(), http.MethodPost, path+"code", nil, nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("a program got the code: %v", err)
	}
	person, end, err := program.Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	var made struct{ Code string }
	if err := person.Do(t.Context(), http.MethodPost, path+"code", nil, &made); err != nil {
		t.Fatal(err)
	}
	// The approval succeeds, but the program of the server does not exist.
	if out := h.Run("servers", "approve", "coded", "--code", strings.ToLower(made.Code)); out.Code != 3 || !server("coded").Approved {
		t.Errorf("with the code: %+v", out)
	}
	if out := h.Run("servers", "approve", "kept", "--code", made.Code); out.Code != 4 || server("kept").Approved {
		t.Errorf("the code of another server: %+v", out)
	}
}

func TestAnImportThatAPersonHasSeenLeavesNothingWaiting(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Set("AGENT_DISCOVER_PASSPHRASE", "a long passphrase")
	h.Serve()
	file := filepath.Join(t.TempDir(), "original.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE servers (id INTEGER PRIMARY KEY, name TEXT UNIQUE, command TEXT, args TEXT, env TEXT,
		installed BOOLEAN, active BOOLEAN);
		CREATE TABLE server_tools (id INTEGER PRIMARY KEY, server_id INTEGER, name TEXT, description TEXT, input_schema TEXT);
		INSERT INTO servers VALUES (1, 'memory', 'true', '[]', '{}', 1, 0)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	term := newTerminal(t)
	cmd := h.Command("import", file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	term.run(cmd)
	term.confirm("Import these servers?", 1, "y")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, term.screen)
	}
	term.awaitText("1 imported, 0 skipped")
	if strings.Contains(term.screen.String(), "for approval") {
		t.Errorf("the command says that a server waits:\n%s", term.screen)
	}
}
