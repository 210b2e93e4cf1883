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

// terminal is one that a test sits before.
type terminal struct {
	*os.File // its keys and its screen
	t        *testing.T
	line     *os.File // what a program has of it
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

// run starts a command that reads from the terminal and shows on it.
func (term *terminal) run(cmd *exec.Cmd) {
	term.t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.line, term.line, term.line
	if err := cmd.Start(); err != nil {
		term.t.Fatal(err)
	}
}

// shows reports whether typed keys show on the screen.
func (term *terminal) shows() bool {
	term.t.Helper()
	state, err := unix.IoctlGetTermios(int(term.line.Fd()), unix.TCGETS)
	if err != nil {
		term.t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// answer types a line when a question is on the screen for the nth time and
// keys are hidden.
func (term *terminal) answer(question string, nth int, line string) {
	term.t.Helper()
	programtest.Eventually(term.t, "it asks: "+question, func() bool {
		return strings.Count(term.screen.String(), question) == nth && !term.shows()
	})
	if _, err := term.WriteString(line + "\n"); err != nil {
		term.t.Fatal(err)
	}
}

// says waits until a text is on the screen.
func (term *terminal) says(text string) {
	term.t.Helper()
	programtest.Eventually(term.t, "it says: "+text, func() bool { return strings.Contains(term.screen.String(), text) })
}

func TestTypedSecretIsNotShown(t *testing.T) {
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
	ends := func(cmd *exec.Cmd, code int) {
		t.Helper()
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%v ended with %d, not %d", cmd.Args, cmd.ProcessState.ExitCode(), code)
		}
		if !term.shows() {
			t.Error("the terminal hides keys afterwards")
		}
	}

	unlock := secrets("unlock")
	term.answer("Choose a passphrase", 1, "a passphrase")
	term.answer("Once more", 1, "another passphrase")
	ends(unlock, 1)
	term.says("the two differ; nothing was changed")
	unlock = secrets("unlock")
	term.answer("Choose a passphrase", 2, "a passphrase")
	term.answer("Once more", 2, "a passphrase")
	ends(unlock, 0)
	unlock = secrets("unlock")
	term.answer("Passphrase: ", 1, "another passphrase")
	ends(unlock, 4)
	set := secrets("set", "one", "KEY")
	term.answer("Value of KEY for one: ", 1, "correct-horse ünïcode ")
	ends(set, 0)
	set = secrets("set", "one", "KEY")
	programtest.Eventually(t, "it asks again", func() bool {
		return strings.Count(term.screen.String(), "Value of KEY") == 2 && !term.shows()
	})
	programtest.Signal(t, set.Process.Pid, syscall.SIGINT)
	ends(set, 1)
	term.says("interrupted; nothing was changed")

	for _, typed := range []string{"a passphrase", "another", "correct-horse"} {
		if strings.Contains(strings.ReplaceAll(term.screen.String(), "Choose a passphrase", ""), typed) {
			t.Errorf("%q is on the screen:\n%s", typed, term.screen)
		}
	}
	h.SetSecret("one", "SAME", "correct-horse ünïcode ")
	programtest.Contains(t, h.Must("secrets", "list", "one"), "KEY", "SAME", "corr****")
}
