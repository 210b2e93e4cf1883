package persona

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// Files returns the contents of a persona's files by name.
func (p Persona) Files() (map[string]string, error) {
	read, err := open(p.Path)
	files := make(map[string]string)
	for name, data := range read {
		files[name] = string(data)
	}
	return files, err
}

// HasCredentials reports whether the servers of a persona have credentials in plain text.
func (p Persona) HasCredentials() bool {
	return slices.ContainsFunc(p.Servers, func(s IncludedServer) bool {
		return len(launch.Plaintext(s.parsed.Env, s.parsed.Args, s.parsed.Headers, s.parsed.URL)) > 0
	})
}

// Place returns the folder that a persona of this name has in the folder of personas.
func (p *Personas) Place(name string) string { return filepath.Join(p.options.Folder, name) }

// Save writes the files of a persona to its place, and removes those that files does not have.
func (p *Personas) Save(name string, files map[string]string) error {
	if err := toolset.CheckName(name); err != nil {
		return fault.New(fault.Invalid, "invalid persona name: use 2 to 50 lower-case letters, digits and hyphens")
	}
	for file := range files {
		if file != aboutFile && file != serversFile {
			return fault.New(fault.Invalid, "a persona has the files %s and %s only", aboutFile, serversFile)
		}
	}
	if err := os.MkdirAll(p.Place(name), 0o700); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not create the folder %s: %s", p.Place(name), paths.Reason(err))
	}
	for _, file := range []string{aboutFile, serversFile} {
		text, ok := files[file]
		if !ok {
			if err := paths.Remove(filepath.Join(p.Place(name), file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fault.Wrap(err, fault.Unavailable, "could not remove %s of the persona: %s", file, paths.Reason(err))
			}
			continue
		}
		if err := paths.WriteDurable(filepath.Join(p.Place(name), file), []byte(text)); err != nil {
			return fault.Wrap(err, fault.Unavailable, "could not write %s of the persona: %s", file, paths.Reason(err))
		}
	}
	return nil
}

// Restore records a persona as active, with the servers and toolsets that exist already. The error is a fault.Conflict
// if it is active.
func (p *Personas) Restore(ctx context.Context, a ActivePersona) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	active, err := p.Active(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(active, func(other ActivePersona) bool { return other.Name == a.Name }) {
		return fault.New(fault.Conflict, "the persona %s is active already", a.Name)
	}
	return p.options.Store.SavePersona(ctx, a)
}

// Discard deletes the files of a persona that is not active.
func (p *Personas) Discard(ctx context.Context, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := toolset.CheckName(name); err != nil {
		return fault.New(fault.Invalid, "invalid persona name %q", name)
	}
	active, err := p.Active(ctx)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(active, func(a ActivePersona) bool { return a.Path == p.Place(name) }); i >= 0 {
		return fault.New(fault.Conflict, "the persona is active; deactivate it first: agent-discover persona deactivate %s", active[i].Name)
	}
	for _, file := range []string{filepath.Join(p.Place(name), aboutFile), filepath.Join(p.Place(name), serversFile), p.Place(name)} {
		if err := paths.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "could not remove %s: %s", file, paths.Reason(err))
		}
	}
	return nil
}
