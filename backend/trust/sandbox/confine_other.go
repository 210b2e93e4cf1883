//go:build !linux && !darwin && !windows

package sandbox

import "github.com/agent-discover/agent-discover/backend/servers/upstream"

func thisMachine([]string) machine { return machine{os: "other"} }

func (machine) confine(_ policy, l upstream.Launch) (upstream.Launch, error) { return l, nil }

func limitStarted(int) {}

// ThisProgram returns nil: there is no helper.
func ThisProgram() []string { return nil }

// Exec always fails: only Linux has a helper that calls it.
func Exec() (status int) { return 126 }
