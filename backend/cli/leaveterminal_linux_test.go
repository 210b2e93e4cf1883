package cli

import "syscall"

// leaveTerminal gives the tests and their programs no controlling terminal, so
// that no program asks the person who runs the tests. It does nothing if this
// process leads a process group, which it does only without a terminal.
func leaveTerminal() { _, _ = syscall.Setsid() }
