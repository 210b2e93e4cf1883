package cli

import "syscall"

// leaveTerminal detaches the tests and the programs that they start from the
// controlling terminal, so that no program asks the person who runs the tests. It
// has no effect if this process leads a process group.
func leaveTerminal() { _, _ = syscall.Setsid() }
