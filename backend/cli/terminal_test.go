//go:build linux

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

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
	programtest.Eventually(term.t, "the question is asked: "+question, func() bool {
		return strings.Count(term.screen.String(), question) == nth && !term.echoes()
	})
	if _, err := term.WriteString(line + "\n"); err != nil {
		term.t.Fatal(err)
	}
}

// awaitText waits until a text is on the screen.
func (term *terminal) awaitText(text string) {
	term.t.Helper()
	programtest.Eventually(term.t, "the screen shows: "+text, func() bool { return strings.Contains(term.screen.String(), text) })
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
	programtest.Contains(t, h.Must("secrets", "list", "one"), "KEY", "SAME", "corr****")
}
