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

// removalTimeout is how long Reap waits for podman to remove a container before it ends podman's processes too.
const removalTimeout = 5 * time.Second

// execTimeout is how long Reap waits for processes in the middle of execve. Until
// execve completes, Reap cannot tell whether such a process belongs to a tree.
const execTimeout = 200 * time.Millisecond

// relative is a process with its place in the tree of processes.
type relative struct {
	ID
	parent, group int
}

// Members returns the running processes of a tree. It does not find a process that has
// left the command's process group, has no ancestor in the tree any more, and has
// changed its environment and its standard streams, unless Seen lists it.
func (t Tree) Members() []ID {
	var ids []ID
	for _, p := range members([]Tree{t}) {
		ids = append(ids, p.ID)
	}
	return ids
}

func members(trees []Tree) []relative {
	all := processes()
	member := make(map[int]bool)
	for _, p := range all {
		if p.PID != os.Getpid() && p.PID > 1 && slices.ContainsFunc(trees, func(t Tree) bool { return t.has(p) }) &&
			!servesAllContainers(p) {
			member[p.PID] = true
		}
	}
	grow(member, all)
	var found []relative
	for _, p := range all {
		if member[p.PID] {
			found = append(found, p)
		}
	}
	return found
}

// grow adds the descendants of members.
func grow(member map[int]bool, all []relative) {
	for grown := len(member) > 0; grown; {
		grown = false
		for _, p := range all {
			if member[p.parent] && !member[p.PID] {
				member[p.PID], grown = true, true
			}
		}
	}
}

// Descendants returns the running processes that descend from this one.
func Descendants() (ids []ID) {
	all, member := processes(), map[int]bool{os.Getpid(): true}
	grow(member, all)
	for _, p := range all {
		if member[p.PID] && p.PID != os.Getpid() {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// has reports whether a process belongs to the tree for a reason other than its
// parent.
func (t Tree) has(p relative) bool {
	return p.ID == t.ID || p.group == t.PID && t.ownsGroup() || slices.Contains(t.Seen, p.ID) ||
		t.Mark != "" && hasMark(p.PID, t.Mark) || len(t.Pipes) > 0 && uses(p.PID, t.Pipes)
}

// Reap ends the remaining processes of trees immediately, and waits until they
// have ended. Processes of podman that remove a container get removalTimeout to do
// so. Reap does not touch a process that has reused the pid of an ended command.
func Reap(trees ...Tree) {
	timeout, pause := reapTimeout, time.Millisecond
	var killed []ID // members no longer finds a process that is ending, because it has lost its mark and pipes
	for began := time.Now(); time.Since(began) < timeout; time.Sleep(pause) {
		found := members(trees)
		killed = slices.DeleteFunc(killed, func(id ID) bool { return !id.Alive() })
		if len(found)+len(killed) == 0 && (time.Since(began) > execTimeout || !slices.ContainsFunc(processes(), executing)) {
			return
		}
		for _, p := range found {
			switch {
			case !p.Alive():
			case time.Since(began) < removalTimeout && removesContainer(p, trees):
				timeout, pause = removalTimeout+reapTimeout, 10*time.Millisecond
			default:
				_ = syscall.Kill(p.PID, syscall.SIGKILL)
				if !slices.Contains(killed, p.ID) {
					killed = append(killed, p.ID)
				}
			}
		}
	}
}
