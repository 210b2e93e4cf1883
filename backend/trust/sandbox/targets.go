package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// targets remembers to which files and folders the paths of grants and of MCP roots led when a person named them. A
// server, or another user who may change a folder on the way, could put a symbolic link there later. Such a path then
// gives no access. It is safe for concurrent use.
type targets struct {
	file string // keeps the targets while the hub does not run
	log  *slog.Logger

	mu    sync.Mutex
	known map[string]map[string]string // target by path, by the name of the server; the server of the MCP roots is ""
}

// openTargets returns the targets in a file, which is created when there is one to remember.
func openTargets(file string, log *slog.Logger) *targets {
	t := &targets{file: file, log: log}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &t.known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Error("could not read where the paths of grants led; they count as granted now", "file", file, "error", err)
	}
	if t.known == nil {
		t.known = make(map[string]map[string]string)
	}
	return t
}

// keep remembers where the paths of a server lead now, except for those that it remembers already, and forgets all other
// paths of the server.
func (t *targets) keep(server string, paths []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := make(map[string]string)
	for _, path := range paths {
		target, ok := t.known[server][path]
		if !ok {
			target = real(path)
		}
		now[path] = target
	}
	if maps.Equal(now, t.known[server]) {
		return
	}
	t.known[server] = now
	t.save()
}

// same reports whether a path led to this target when it was named.
func (t *targets) same(server, path, target string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.known[server][path]
	return !ok || known == target
}

// moved returns the paths of a server that lead elsewhere now.
func (t *targets) moved(server string) (out []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(t.known[server])) {
		if t.known[server][path] != real(path) {
			out = append(out, path)
		}
	}
	return out
}

// rename gives the paths of a server to the server with another name. If to is "", it forgets them.
func (t *targets) rename(server, to string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known[server] == nil {
		return
	}
	if to != "" {
		t.known[to] = t.known[server]
	}
	delete(t.known, server)
	t.save()
}

// save writes the file. The caller must hold t.mu.
func (t *targets) save() {
	data, err := json.Marshal(t.known)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(t.file), 0o700)
	}
	if err == nil {
		err = paths.WriteDurable(t.file, data)
	}
	if err != nil {
		t.log.Error("could not save where the paths of grants lead", "file", t.file, "error", err)
	}
}

// Granted remembers where the granted paths of a server lead. Call it when a person has changed the grants. For grants
// from elsewhere, the first start of the server does the same.
func (s *Sandbox) Granted(server registry.Server) {
	if home, err := os.UserHomeDir(); err == nil {
		s.targets.keep(server.Name, granted(place{home: home}, server.Grants))
	}
}

// granted returns the paths of grants.
func granted(at place, grants registry.Grants) []string {
	return at.expandAll(slices.Concat(grants.Read, grants.Write))
}

// checkTargets returns a fault.Denied if a granted path of a server leads elsewhere than when it was granted.
func (s *Sandbox) checkTargets(server registry.Server, at place) error {
	s.targets.keep(server.Name, granted(at, server.Grants))
	moved := s.targets.moved(server.Name)
	if len(moved) == 0 {
		return nil
	}
	var lead []string
	for _, path := range moved {
		lead = append(lead, fmt.Sprintf("%s leads to %s", path, real(path)))
	}
	return fault.New(fault.Denied, "%s now, and not where it led when you granted it: a symbolic link was put there. It was not "+
		"started. If the link is right, remove the grant and add it again: agent-discover servers grant %s --remove --read PATH or "+
		"--remove --write PATH", strings.Join(lead, " and "), server.Name)
}
