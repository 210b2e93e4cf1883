package persona

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// ActivePersona is an active persona, with the servers and toolsets that its activation has added.
type ActivePersona struct {
	Name     string        `json:"name"`
	Version  string        `json:"version"`
	Path     string        `json:"path"`
	Servers  []AddedServer `json:"servers" nullable:"false"`
	Toolsets []string      `json:"toolsets" nullable:"false"`
	At       time.Time     `json:"at"`
}

// AddedServer is a server that an activation has added.
type AddedServer struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Store persists active personas.
type Store interface {
	Personas(ctx context.Context) ([]ActivePersona, error)
	SavePersona(ctx context.Context, a ActivePersona) error
	DeletePersona(ctx context.Context, name string) error
}

// Lifecycle removes servers.
type Lifecycle interface {
	Remove(ctx context.Context, name string) error
}

type Options struct {
	Folder    string // folder with the user's personas
	Parser    Parser
	Store     Store
	Intake    *intake.Intake
	Lifecycle Lifecycle
	Registry  *registry.Registry
	Toolsets  *toolset.Keeper
}

// Personas activates personas. It is safe for concurrent use.
type Personas struct {
	options Options
	mu      sync.Mutex // held while a persona is activated or deactivated
}

// New returns the Personas with these options.
func New(o Options) *Personas { return &Personas{options: o} }

// Folder returns the folder whose personas List returns.
func (p *Personas) Folder() string { return p.options.Folder }

// Read reads the persona at an absolute path, or the one with this name in the folder of personas.
func (p *Personas) Read(ctx context.Context, path string) (Persona, error) {
	if !filepath.IsAbs(path) {
		if !filepath.IsLocal(path) || strings.ContainsAny(path, `/\`) {
			return Persona{}, fault.New(fault.Invalid, "use an absolute path, or the name of a persona in %s", p.options.Folder)
		}
		name := filepath.Join(p.options.Folder, path)
		if _, err := os.Stat(name); err != nil {
			name += ".zip"
		}
		path = name
	}
	return Read(ctx, path, p.options.Parser, func(server string) bool {
		_, err := p.options.Registry.Get(server)
		return err == nil
	})
}

// List returns the personas in the folder. For a persona that cannot be read, Problems says why.
func (p *Personas) List(ctx context.Context) ([]Persona, error) {
	entries, err := os.ReadDir(p.options.Folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fault.Wrap(err, fault.Unavailable, "could not read the folder %s", p.options.Folder)
	}
	out := []Persona{}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || !entry.IsDir() && !strings.EqualFold(filepath.Ext(entry.Name()), ".zip") {
			continue
		}
		path := filepath.Join(p.options.Folder, entry.Name())
		one, err := p.Read(ctx, path)
		if err != nil {
			one = Persona{
				Name: strings.TrimSuffix(entry.Name(), ".zip"), Path: path, Toolsets: []IncludedToolset{}, Servers: []IncludedServer{},
				Problems: []string{fault.MessageOf(err)},
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// Active returns the active personas, sorted by name.
func (p *Personas) Active(ctx context.Context) ([]ActivePersona, error) {
	return p.options.Store.Personas(ctx)
}

// Activate adds the servers and toolsets of a persona, and equips a client with its default toolset unless client is
// nil. hash is the hash of the persona that a person has seen; an empty hash matches any. If a part cannot be added,
// Activate removes the parts that it has added. If the client cannot be equipped, the persona stays active.
func (p *Personas) Activate(ctx context.Context, path, hash string, client *string) (ActivePersona, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one, err := p.Read(ctx, path)
	if err != nil {
		return ActivePersona{}, err
	}
	if err := p.admit(ctx, one, hash); err != nil {
		return ActivePersona{}, err
	}
	a := ActivePersona{
		Name: one.Name, Version: one.Version, Path: one.Path, Servers: []AddedServer{}, Toolsets: []string{}, At: time.Now().UTC(),
	}
	if err := p.add(ctx, one, &a); err != nil {
		return ActivePersona{}, errors.Join(err, p.remove(context.WithoutCancel(ctx), a))
	}
	if client != nil && one.Default != "" {
		err = p.options.Toolsets.Equip(ctx, *client, one.Default)
	}
	return a, err
}

// admit returns an error if a persona cannot be activated.
func (p *Personas) admit(ctx context.Context, one Persona, hash string) error {
	if len(one.Problems) > 0 {
		return fault.New(fault.Invalid, "the persona cannot be activated: %s", strings.Join(one.Problems, "; "))
	}
	if hash != "" && hash != one.Hash {
		return fault.New(fault.Conflict, "the persona has changed since it was shown; look at it once more")
	}
	active, err := p.Active(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(active, func(a ActivePersona) bool { return a.Name == one.Name }) {
		return fault.New(fault.Conflict, "the persona %s is active already; deactivate it first", one.Name)
	}
	for _, set := range one.Toolsets {
		if _, err := p.options.Toolsets.Get(set.Name); err == nil {
			return fault.New(fault.Conflict, "there is a toolset %q already; delete it first", set.Name)
		}
	}
	return nil
}

// add adds the parts of a persona, and records them in a.
func (p *Personas) add(ctx context.Context, one Persona, a *ActivePersona) error {
	for _, s := range one.Servers {
		if s.Existing {
			continue
		}
		v := s.parsed
		out, err := p.options.Intake.Add(ctx, intake.Arrival{Origin: intake.Unseen, SwitchedOff: v.Disabled, Server: registry.Server{
			Name: v.Name, Description: v.Description, Source: registry.FromPersona + one.Name, Transport: v.Transport, Command: v.Command,
			Args: v.Args, Env: v.Env, URL: v.URL, Headers: v.Headers, Tags: v.Tags, ProposedBy: "the persona " + one.Name,
		}})
		if err != nil {
			return err
		}
		a.Servers = append(a.Servers, AddedServer{out.Server.ID, out.Server.Name})
	}
	for _, set := range one.Toolsets {
		if _, err := p.options.Toolsets.Adopt(ctx, one.toolset(set)); err != nil {
			return err
		}
		a.Toolsets = append(a.Toolsets, set.Name)
	}
	return p.options.Store.SavePersona(ctx, *a)
}

// Deactivate removes the servers and toolsets that the activation of a persona has added, as far as they still exist.
func (p *Personas) Deactivate(ctx context.Context, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	active, err := p.Active(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(active, func(a ActivePersona) bool { return a.Name == name })
	if at < 0 {
		return fault.New(fault.NotFound, "the persona %q is not active; see: agent-discover persona list", name)
	}
	if err := p.remove(ctx, active[at]); err != nil {
		return err
	}
	return p.options.Store.DeletePersona(ctx, name)
}

// remove removes the parts of a persona that still exist.
func (p *Personas) remove(ctx context.Context, a ActivePersona) error {
	var errs []error
	for _, name := range a.Toolsets {
		if err := p.options.Toolsets.Delete(ctx, name); err != nil && fault.KindOf(err) != fault.NotFound {
			errs = append(errs, err)
		}
	}
	for _, added := range a.Servers {
		if s, err := p.options.Registry.ByID(added.ID); err == nil {
			errs = append(errs, p.options.Lifecycle.Remove(ctx, s.Name))
		}
	}
	return errors.Join(errs...)
}
