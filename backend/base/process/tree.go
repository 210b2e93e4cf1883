package process

import (
	"crypto/rand"
	"os"
	"os/exec"
)

// Tree identifies an isolated command and the processes that descend from it, including
// those that have left its process group and session.
type Tree struct {
	ID
	// Mark is the value of the environment variable that the function Mark has set.
	// Child processes inherit it.
	Mark string `json:"mark,omitempty"`
	// Seen lists descendants that an earlier call of Members returned.
	Seen []ID `json:"-"`
	// Pipes are pipes of this process. A process that uses the other end of one
	// as standard input, output or error belongs to the tree.
	Pipes []*os.File `json:"-"`
}

// markName is the variable by which descendants of a command are recognized.
const markName = "MCP_PROCESS_TREE"

// Mark adds a variable to the environment of a command that has not been started, and
// returns its value. The descendants of the command are recognized by this variable.
func Mark(cmd *exec.Cmd) string {
	mark := rand.Text()
	cmd.Env = append(cmd.Environ(), markName+"="+mark)
	return mark
}

// Marked returns env with the marks of this process, so that this process is still recognized after it executes another
// program with that environment.
func Marked(env Env) Env {
	marks := Env(os.Environ()).Without(func(name string) bool { return name != markName })
	return append(env.Without(func(name string) bool { return name == markName }), marks...)
}
