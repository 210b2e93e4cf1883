package upstream

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Launch contains the command, the environment and the folder with which a child process is started.
type Launch struct {
	Command string
	Args    []string
	Env     process.Env       // environment of the user's programs; does not contain Own
	Own     map[string]string // variables of the server's configuration and vault
	Dir     string            // folder in which the process starts
	// Moved is called while a long preparation, such as the installation of a package, goes on. It may be nil.
	Moved func()
	// Files are inherited as descriptors 3, 4 and so on. They are closed after the
	// start.
	Files []*os.File
	// Advice is added to the error of a start that fails, for example what a person can grant the server. It may be empty.
	Advice string
	// Wrapped is set if the command is a program that waits for the server's own, which alone reacts to SIGTERM.
	Wrapped bool
	// Reaps is set if the command ends all its descendants when the server has ended, when this program ends, and when it
	// gets SIGHUP.
	Reaps bool
	// Started is called with the pid of the process right after its start. It may
	// be nil.
	Started func(pid int)
}

// Environment returns the environment of the server: Env, to which the variables in Own are added.
func (l Launch) Environment() process.Env {
	env := l.Env
	for name, value := range l.Own {
		env = env.With(name, value)
	}
	return env
}

// Kill ends the started command of the launch with its children immediately.
func (l Launch) Kill(pid int) {
	if l.Reaps {
		process.KillReaper(pid)
		return
	}
	process.Kill(pid)
}

// Confiner restricts what child processes may do.
type Confiner interface {
	// Confine returns the launch that starts a server like l, but with the restrictions
	// in the server's configuration. name is the name of the server whose secrets the
	// process gets. It differs from server.Name for a private copy. Confine may first
	// install a package, which takes long. The error is a fault.
	Confine(ctx context.Context, name string, server registry.Server, l Launch) (Launch, error)
	// Stop ends what still runs for a server although its start has failed, such as the installation of its package. It
	// returns when that has ended. An empty name means all servers.
	Stop(server string)
}

// stopConfiner ends what the confiner still runs for a server, or for all servers if the name is empty.
func (m *Manager) stopConfiner(server string) {
	if m.confiner != nil {
		m.confiner.Stop(server)
	}
}

// confined returns the launch of the session's child process. at is the slot of the session.
func (s *session) confined(ctx *starting, at *slot, env process.Env) (Launch, error) {
	l := Launch{Command: s.filled.Command, Args: s.filled.Args, Env: env, Own: make(map[string]string), Moved: ctx.moved}
	for name, value := range s.filled.Env {
		if !process.OwnVariable(name) {
			l.Own[name] = value
		}
	}
	l.Dir = registry.DirIn(s.filled.Dir, l.Environment().Home())
	if s.filled.Dir != "" {
		if err := checkFolder(l.Dir); err != nil {
			return l, err
		}
	}
	if s.manager.confiner == nil {
		return l, nil
	}
	return s.manager.confiner.Confine(ctx, at.owner(), s.server, l)
}

// checkFolder returns a fault unless a server can start in a folder.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir() && filepath.IsAbs(dir):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Failed, "its working folder %s cannot be read; %s", dir, changeFolder)
	case err == nil && info.IsDir():
		return fault.New(fault.Failed, "its working folder %s is not an absolute path; %s", dir, changeFolder)
	case err == nil:
		return fault.New(fault.Failed, "its working folder %s is not a folder; %s", dir, changeFolder)
	}
	return fault.Wrap(err, fault.Failed, "its working folder %s does not exist; create it, or %s", dir, changeFolder)
}

// changeFolder says how a person changes the working folder of a server.
const changeFolder = "change the working folder on the page of the server in the dashboard"
