package confinement

import (
	"os"

	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// sandboxExec is the program of macOS that starts other programs in a sandbox.
const sandboxExec = "/usr/bin/sandbox-exec"

// This returns what this system can enforce.
func This([]string) Machine {
	m := Machine{OS: "darwin"}
	if info, err := os.Stat(sandboxExec); err == nil && info.Mode()&0o111 != 0 {
		m.Helper = []string{sandboxExec}
	}
	return m
}

// Confine returns the launch of sandbox-exec, which enforces a policy and becomes
// the program of l.
func (m Machine) Confine(p Policy, l upstream.Launch) (upstream.Launch, error) {
	program := l.Environment().LookPath(l.Command)
	if program == "" {
		return l, nil // the start fails and says that the program is missing
	}
	l.Env = p.moved(l.Env)
	l.Command, l.Args = m.Helper[0], append([]string{"-p", p.seatbelt(), program}, l.Args...)
	return l, nil
}

// LimitStarted does nothing: macOS writes core dumps only if the user enables them.
func LimitStarted(int) {}

// ThisProgram returns nil: the helper is sandbox-exec.
func ThisProgram() []string { return nil }

// Exec always fails: only Linux has a helper that calls it.
func Exec() (status int) { return 126 }
