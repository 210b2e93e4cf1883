//go:build unix

package process

import (
	"os"
	"slices"
	"syscall"
	"time"
)

// reapTimeout is how long Reap waits for processes to end after SIGKILL. A
// process may be stuck in a system call.
const reapTimeout = 2 * time.Second

// execTimeout is how long Reap waits for programs that are being executed,
// because it does not see yet whether they belong to a tree.
const execTimeout = 200 * time.Millisecond

// relative is a process with its place in the tree of processes.
type relative struct {
	ID
	parent, group int
}

// Members returns the running processes of a tree. A process that has left the
// group, session and tree of parents of the command, and has changed its
// environment and its standard streams, is not found.
func (t Tree) Members() []ID { return members([]Tree{t}) }

func members(trees []Tree) []ID {
	all := processes()
	member := make(map[int]bool)
	for _, p := range all {
		if p.PID != os.Getpid() && p.PID > 1 && slices.ContainsFunc(trees, func(t Tree) bool { return t.has(p) }) {
			member[p.PID] = true
		}
	}
	for grown := len(member) > 0; grown; {
		grown = false
		for _, p := range all {
			if member[p.parent] && !member[p.PID] {
				member[p.PID], grown = true, true
			}
		}
	}
	var found []ID
	for _, p := range all {
		if member[p.PID] {
			found = append(found, p.ID)
		}
	}
	return found
}

// has reports whether a process belongs to the tree for a reason other than its
// parent.
func (t Tree) has(p relative) bool {
	return p.ID == t.ID || p.group == t.PID && t.ownsGroup() || slices.Contains(t.Seen, p.ID) ||
		t.Mark != "" && hasMark(p.PID, t.Mark) || len(t.Pipes) > 0 && uses(p.PID, t.Pipes)
}

// Reap ends the remaining processes of trees immediately, and waits until they
// have ended. It does nothing to another process that has the pid of an ended
// command now.
func Reap(trees ...Tree) {
	for began := time.Now(); time.Since(began) < reapTimeout; time.Sleep(time.Millisecond) {
		found := members(trees)
		if len(found) == 0 && (time.Since(began) > execTimeout || !slices.ContainsFunc(processes(), executing)) {
			return
		}
		for _, id := range found {
			if id.Alive() {
				_ = syscall.Kill(id.PID, syscall.SIGKILL)
			}
		}
	}
}
