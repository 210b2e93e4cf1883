package upstream

import (
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// childList stores the running child processes in a file, so that the next hub
// can end them if this hub is killed.
type childList struct {
	file       string
	log        *slog.Logger
	orphans    sync.Once
	containers sync.Once

	mu   sync.Mutex
	live map[process.ID]listed
	left []listed // clients of a previous hub whose containers may still run
}

// listed is a child process in the file.
type listed struct {
	process.Tree
	// List is the file in which the hub that started the process lists it; empty for processes of older versions.
	List      string     `json:"list,omitempty"`
	Container *container `json:"container,omitempty"`
}

func newChildList(file string, log *slog.Logger) *childList {
	return &childList{file: file, log: log, live: make(map[process.ID]listed)}
}

// endOrphans ends the processes in the file, which a previous hub has left
// running. Only the first call does so; calls that come meanwhile wait for it. It
// must be called before a child is started, because add overwrites the file, and
// because an orphan may use a port or lock that the new child needs.
func (c *childList) endOrphans() {
	c.orphans.Do(func() {
		data, err := paths.ReadFile(c.file)
		if err != nil {
			return
		}
		var left []listed
		if err := json.Unmarshal(data, &left); err != nil {
			c.log.Warn("the list of child processes is malformed", "file", c.file, "error", err)
		}
		left = slices.DeleteFunc(left, func(l listed) bool { return c.copied(l) })
		var trees []process.Tree
		for _, l := range left {
			if l.PID > 0 { // otherwise it ended before the previous hub
				trees = append(trees, l.Tree)
			}
		}
		if len(trees) > 0 {
			process.Reap(trees...)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, l := range left {
			if l.Container != nil {
				c.left = append(c.left, listed{Container: l.Container})
			}
		}
		c.save()
	})
}

// copied reports whether a process belongs to the hub of another data folder, of which this one is a copy. The process may
// be in use there. It is not so if the folder was moved: then the file with the former path is gone.
func (c *childList) copied(l listed) bool {
	if l.List == "" || l.List == c.file {
		return false
	}
	theirs, moved := os.Stat(l.List)
	ours, err := os.Stat(c.file)
	return moved == nil && err == nil && !os.SameFile(theirs, ours)
}

// endContainers ends the containers that a previous hub has left running. env is the environment of the user's programs.
// Only the first call does so; calls that come meanwhile wait for it. It must be called before a container is started,
// because all containers of this data folder have the same label. The file keeps those that could not be ended.
func (c *childList) endContainers(env func() process.Env) {
	c.endOrphans()
	c.containers.Do(func() {
		c.mu.Lock()
		left := c.left
		c.mu.Unlock()
		if len(left) == 0 {
			return
		}
		var failed []listed
		user := env()
		for _, l := range left {
			box := *l.Container
			box.args = box.Before
			if box.env = user; len(box.Steering) > 0 {
				box.env = Launch{Env: user, Own: box.Steering}.Environment()
			}
			ids, err := box.running(labelOfHub + "=" + hubLabel(c.file))
			if err == nil && len(ids) > 0 {
				_, err = box.run(append([]string{"kill"}, ids...)...)
			}
			if err != nil {
				c.log.Warn("containers of the previous hub may still run", "engine", box.Engine, "error", err)
				failed = append(failed, l)
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left = failed
		c.save()
	})
}

// add lists a child. container may be nil.
func (c *childList) add(tree process.Tree, container *container) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live[tree.ID] = listed{tree, c.file, container}
	c.save()
}

func (c *childList) remove(id process.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, id)
	c.save()
}

// save writes the file. The caller holds mu.
func (c *childList) save() {
	data, _ := json.Marshal(slices.AppendSeq(append(make([]listed, 0, len(c.live)+len(c.left)), c.left...), maps.Values(c.live)))
	if err := paths.WriteFile(c.file, data); err != nil {
		c.log.Warn("could not write the list of child processes", "error", err)
	}
}
