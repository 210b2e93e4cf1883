package upstream

import (
	"encoding/json"
	"log/slog"
	"os"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// childList keeps a file with the processes that are running, so that the next
// hub can end them if this one is killed.
type childList struct {
	file string
	log  *slog.Logger

	mu   sync.Mutex
	live map[process.ID]struct{}
}

// openChildList ends what the last hub left behind.
func openChildList(file string, log *slog.Logger) *childList {
	c := &childList{file: file, log: log, live: make(map[process.ID]struct{})}
	data, err := os.ReadFile(file)
	if err != nil {
		return c
	}
	var left []process.ID
	if err := json.Unmarshal(data, &left); err != nil {
		log.Warn("list of children is malformed", "file", file, "error", err)
	}
	for _, id := range left {
		process.Reap(id)
	}
	c.save()
	return c
}

func (c *childList) add(id process.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live[id] = struct{}{}
	c.save()
}

func (c *childList) remove(id process.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, id)
	c.save()
}

func (c *childList) save() {
	ids := make([]process.ID, 0, len(c.live))
	for id := range c.live {
		ids = append(ids, id)
	}
	data, _ := json.Marshal(ids)
	if err := paths.WriteFile(c.file, data); err != nil {
		c.log.Warn("list of children not written", "error", err)
	}
}
