package upstream

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// These are the names of the settings that limit processes and memory, for error messages.
const (
	processesSetting = "limits.processes in config.yaml"
	memorySetting    = "limits.server_memory_mb in config.yaml"
)

// memoryEvery is how often the memory of servers is measured.
const memoryEvery = 5 * time.Second

// errFull means that the limit of processes is reached.
var errFull = errors.New("too many processes")

// capacity keeps the servers within the limits of processes and memory. It is safe for
// concurrent use.
type capacity struct {
	slots    *slotTable
	registry *registry.Registry
	limits   *liveLimits
	work     *sync.WaitGroup

	mu        sync.Mutex
	processes int // number of child processes that run or are about to start; guarded by mu
}

// occupy counts a child process that is about to start. If as many processes run as the settings allow, occupy stops
// the process that has been idle for longest or, if none is idle, returns an error. The caller calls vacate when the
// process has ended.
func (c *capacity) occupy(server registry.Server) error {
	for !c.count() {
		if !c.stopLongestIdle() {
			if c.count() { // a process has ended meanwhile
				return nil
			}
			return notStarted(errFull, fault.Busy,
				"server %q was not started: %d server processes run, which is the limit (%s), and all of them are in use; try again "+
					"later, stop a server or raise the limit",
				server.Name, c.limits.get().Processes, processesSetting)
		}
	}
	return nil
}

// count adds a process, unless the limit is reached.
func (c *capacity) count() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit := c.limits.get().Processes; limit > 0 && c.processes >= limit {
		return false
	}
	c.processes++
	return true
}

// vacate undoes occupy after the child process has ended.
func (c *capacity) vacate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.processes--
}

// stopLongestIdle stops the child process that has been idle for longest, or waits for its end if it is being stopped
// already. It reports whether there was an idle process. A server with KeepRunning does not count as idle.
func (c *capacity) stopLongestIdle() bool {
	for {
		var longest *session
		var in *slot
		for _, s := range c.slots.all() {
			session := s.running()
			if session == nil || session.link.pid() == 0 {
				continue
			}
			if v, err := c.registry.Get(s.target.Server); err == nil && v.KeepRunning && !s.spare() {
				continue
			}
			if idle := session.use.idleFor(); idle > 0 && (longest == nil || idle > longest.use.idleFor()) {
				longest, in = session, s
			}
		}
		if longest == nil {
			return false
		}
		if longest.use.retire() || longest.use.ending() { // otherwise a call has arrived meanwhile
			in.shutdown(longest, "")
			return true
		}
	}
}

// limitMemory stops the servers whose processes take more memory than the settings allow.
func (c *capacity) limitMemory() {
	limit := uint64(c.limits.get().ServerMemoryMB) << 20
	running, pids := make(map[int]*session), []int(nil)
	for _, s := range c.slots.all() {
		if session := s.running(); session != nil && session.link.pid() != 0 {
			running[session.link.pid()] = session
			pids = append(pids, session.link.pid())
		}
	}
	if limit == 0 || len(pids) == 0 {
		return
	}
	for pid, taken := range process.Memory(pids) {
		if taken <= limit {
			continue
		}
		c.work.Go(func() {
			s := running[pid]
			cause := fmt.Sprintf("it took %d MB of memory, more than %s allows (%d MB)", taken>>20, memorySetting, limit>>20)
			s.log.Warn("server takes too much memory and is stopped", "server", s.server.Name, "bytes", taken)
			s.manager.health.death(s.server,
				fault.New(fault.Failed, "server %q was stopped: %s; it starts again with the next call", s.server.Name, cause))
			s.abandon(cause)
		})
	}
}
