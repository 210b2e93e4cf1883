package confinement

import (
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// The limits of the job of a confined server.
const (
	jobMemory    = 4 << 30 // bytes
	jobProcesses = 256
)

// This returns what this system can enforce.
func This([]string) Machine { return Machine{OS: "windows"} }

// Confine limits the memory and the number of processes of the server's job.
func (Machine) Confine(_ Policy, l upstream.Launch) (upstream.Launch, error) {
	l.Started = func(pid int) { _ = process.LimitJob(pid, jobMemory, jobProcesses) } // the process may have ended
	return l, nil
}

// LimitStarted does nothing: Windows writes no core dumps.
func LimitStarted(int) {}

// ThisProgram returns nil: there is no helper.
func ThisProgram() []string { return nil }

// Exec always fails: only Linux has a helper that calls it.
func Exec() (status int) { return 126 }
