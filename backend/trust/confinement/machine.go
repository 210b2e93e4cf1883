package confinement

import "github.com/agent-discover/agent-discover/backend/base/process"

// Machine says what a system can enforce. Its fields are set by This, or by tests.
type Machine struct {
	OS    string // as runtime.GOOS
	ABI   int    // version of Linux's Landlock; 0 without it
	Calls bool   // whether system calls can be filtered
	// Helper is the command that confines itself and then becomes the program.
	Helper []string
	// Trees starts processes in file trees of their own on Linux. It may be nil.
	Trees *Bubblewrap
	// AppContainer starts processes in app containers on Windows. It may be nil.
	AppContainer *AppContainer
}

// Confines reports whether processes can be confined at all.
func (m Machine) Confines() bool {
	switch m.OS {
	case "linux":
		return len(m.Helper) > 0 && (m.ABI > 0 || m.Calls)
	case "darwin":
		return len(m.Helper) > 0
	}
	return m.OS == "windows"
}

// OwnTree reports whether a confined process gets a file tree, processes and sockets of its own.
func (m Machine) OwnTree() bool { return len(m.Helper) > 0 && m.Trees.Works() }

// Versions of Linux's Landlock ABI, each with the name of a feature that it introduced.
const (
	ABITruncate = 3
	ABITCP      = 4
	ABIIoctl    = 5
	ABIScopes   = 6
	ABISockets  = 9
)

// moved returns the environment of a process that has no file tree of its own: the variables of its home folder and of
// its folder for temporary files name those of the policy.
func (p Policy) moved(env process.Env) process.Env {
	env = env.Without(func(name string) bool { return name == "XDG_RUNTIME_DIR" })
	if p.Temporary != "" {
		env = env.With("TMPDIR", p.Temporary)
	}
	if p.Private != "" {
		env = env.With("HOME", p.Private)
	}
	return env
}
