//go:build !linux && !darwin && !windows

package confinement

import "github.com/agent-discover/agent-discover/backend/servers/upstream"

// This returns what this system can enforce.
func This([]string) Machine { return Machine{OS: "other"} }

// Confine returns l, because nothing can be enforced.
func (Machine) Confine(_ Policy, l upstream.Launch) (upstream.Launch, error) { return l, nil }

func LimitStarted(int) {}

// ThisProgram returns nil: there is no helper.
func ThisProgram() []string { return nil }

// Exec always fails: only Linux has a helper that calls it.
func Exec() (status int) { return 126 }
