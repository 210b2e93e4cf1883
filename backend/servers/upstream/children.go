package upstream

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// childList stores the running child processes in a file, so that the next hub
// can end them if this hub is killed.
type childList struct {
	file    string
	log     *slog.Logger
	orphans sync.Once

	mu   sync.Mutex
	live map[process.ID]process.Tree
}

func newChildList(file string, log *slog.Logger) *childList {
	return &childList{file: file, log: log, live: make(map[process.ID]process.Tree)}
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
		var left []process.Tree
		if err := json.Unmarshal(data, &left); err != nil {
			c.log.Warn("the list of child processes is malformed", "file", c.file, "error", err)
		}
		if len(left) > 0 {
			process.Reap(left...)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.save()
	})
}

func (c *childList) add(tree process.Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live[tree.ID] = tree
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
	data, _ := json.Marshal(slices.AppendSeq(make([]process.Tree, 0, len(c.live)), maps.Values(c.live)))
	if err := paths.WriteFile(c.file, data); err != nil {
		c.log.Warn("could not write the list of child processes", "error", err)
	}
}
