package upstream

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// The settings that limit what servers take of the machine, as errors name them.
const (
	processesSetting = "limits.processes in config.yaml"
	memorySetting    = "limits.server_memory_mb in config.yaml"
)

// memoryEvery is how often the memory of servers is measured.
const memoryEvery = 5 * time.Second

// errFull means that no process may be started.
var errFull = errors.New("too many processes")

// occupy counts a child process that is about to start. If as many run as the settings
// allow, it stops the one that has been idle for longest; if none is idle, the error says
// so. The caller calls vacate when the process has ended.
func (m *Manager) occupy(server registry.Server) error {
	for !m.count() {
		if !m.stopLongestIdle() {
			if m.count() { // a process has ended meanwhile
				return nil
			}
			return notStarted(errFull, fault.Busy,
				"server %q was not started: %d server processes run, which is the limit (%s), and all of them are in use; try again later, stop a server or raise the limit",
				server.Name, m.limits.Processes, processesSetting)
		}
	}
	return nil
}

// count adds a process, unless the limit is reached.
func (m *Manager) count() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limits.Processes > 0 && m.processes >= m.limits.Processes {
		return false
	}
	m.processes++
	return true
}

// vacate is called when a child process has ended.
func (m *Manager) vacate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.processes--
}

// stopLongestIdle stops the child process that has been idle for longest, or waits for its
// end if it is being stopped already. It reports whether there was one.
func (m *Manager) stopLongestIdle() bool {
	for {
		var longest *session
		var in *slot
		for _, s := range m.allSlots() {
			session := s.running()
			if session == nil || session.link.pid() == 0 || m.keeps(s.target.Server) && !s.spare() {
				continue
			}
			if idle := session.use.idleFor(); idle > 0 && (longest == nil || idle > longest.use.idleFor()) {
				longest, in = session, s
			}
		}
		if longest == nil {
			return false
		}
		if longest.use.retire() || longest.use.ending() { // otherwise it has got a call
			in.shutdown(longest, "")
			return true
		}
	}
}

// keeps reports whether a server is not stopped when it is idle.
func (m *Manager) keeps(server string) bool {
	v, err := m.registry.Get(server)
	return err == nil && v.KeepRunning
}

func (m *Manager) allSlots() []*slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]*slot, 0, len(m.slots))
	for _, s := range m.slots {
		all = append(all, s)
	}
	return all
}

// limitMemory stops the servers whose processes take more memory than the settings allow.
func (m *Manager) limitMemory() {
	limit := uint64(m.limits.ServerMemoryMB) << 20
	running, pids := make(map[int]*session), []int(nil)
	for _, s := range m.allSlots() {
		if session := s.running(); session != nil && session.link.pid() != 0 {
			running[session.link.pid()] = session
			pids = append(pids, session.link.pid())
		}
	}
	if limit == 0 || len(pids) == 0 {
		return
	}
	for pid, taken := range process.Memory(pids) {
		if taken > limit {
			session := running[pid]
			m.work.Go(func() { session.stopForMemory(taken) })
		}
	}
}

// stopForMemory stops a server that takes too many bytes.
func (s *session) stopForMemory(taken uint64) {
	cause := fmt.Sprintf("it took %d MB of memory, more than %s allows (%d MB)", taken>>20, memorySetting, s.manager.limits.ServerMemoryMB)
	s.log.Warn("server takes too much memory and is stopped", "server", s.server.Name, "bytes", taken)
	s.manager.noteDeath(s.server, fault.New(fault.Failed, "server %q was stopped: %s; it starts again with the next call", s.server.Name, cause))
	s.abandon(cause)
}
