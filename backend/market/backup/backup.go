package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// SettingsFile is the file with the settings.
type SettingsFile interface {
	// Read returns the content of the file, which is empty if there is none.
	Read() ([]byte, error)
	// Check returns an error if the file could not have this content.
	Check(data []byte) error
	// Replace writes the file and lets its settings apply. It returns the path of a copy of the former file, if any.
	Replace(data []byte) (former string, err error)
}

// Options are the dependencies of a Keeper.
type Options struct {
	Registry  *registry.Registry
	Intake    *intake.Intake
	Migrator  *secretmigration.Migrator
	Vault     *vault.Vault
	Toolsets  *toolset.Keeper
	Approvals *rules.Approvals
	Learning  *learning.Learning
	Personas  *persona.Personas
	Settings  SettingsFile
	// Expect announces the change of a server by a person.
	Expect  func(registry.Server)
	Version string // of this program
}

// Keeper exports and imports. It is safe for concurrent use.
type Keeper struct {
	options   Options
	importing sync.Mutex // held during an import
}

// New returns a keeper.
func New(o Options) *Keeper { return &Keeper{options: o} }

// Export returns everything that a person has configured. With a passphrase, it contains the secrets, encrypted.
func (k *Keeper) Export(ctx context.Context, passphrase string) (Export, error) {
	e := Export{
		Format: Format, Version: version, Program: k.options.Version, System: runtime.GOOS, Created: time.Now().UTC().Truncate(time.Second),
		LeftOut: []string{}, Servers: []ExportedServer{}, Toolsets: []json.RawMessage{}, Personas: []ExportedPersona{},
		Approvals: []ExportedApproval{}, Learned: []ExportedPair{},
	}
	private := vault.Exported{Values: make(map[string]map[string]string)}
	for _, add := range []func(context.Context, *Export, *vault.Exported) error{
		k.addServers, k.addToolsets, k.addPersonas, k.addUse, k.addSettings,
	} {
		if err := add(ctx, &e, &private); err != nil {
			return Export{}, err
		}
	}
	secrets := 0
	for _, s := range e.Servers {
		secrets += len(s.Secrets)
	}
	if passphrase == "" {
		if secrets > 0 {
			e.LeftOut = append(e.LeftOut, fmt.Sprintf("The values of %d secrets are left out.", secrets))
		}
		return e, nil
	}
	var err error
	e.Sealed, err = k.options.Vault.Export(ctx, passphrase, private)
	return e, err
}

func (k *Keeper) addServers(ctx context.Context, e *Export, private *vault.Exported) error {
	for _, s := range k.options.Registry.List() {
		names, err := k.options.Vault.Names(ctx, s.Name)
		if err != nil {
			return err
		}
		s, values, err := k.options.Migrator.Without(ctx, s)
		if err != nil {
			return err
		}
		if len(values) > 0 {
			private.Values[s.Name] = values
		}
		names = append(names, slices.Collect(maps.Keys(values))...)
		slices.Sort(names)
		e.Servers = append(e.Servers, ExportedServer{s, slices.Compact(names)})
	}
	return nil
}

func (k *Keeper) addToolsets(_ context.Context, e *Export, _ *vault.Exported) error {
	for _, t := range k.options.Toolsets.List() {
		if !t.Approved {
			e.LeftOut = append(e.LeftOut, "The toolset "+t.Name+" is left out, because it waits for approval.")
			continue
		}
		data, err := k.options.Toolsets.Export(t.Name)
		if err != nil {
			return err
		}
		e.Toolsets = append(e.Toolsets, data)
	}
	e.Equipped = k.options.Toolsets.AllEquipped()
	return nil
}

func (k *Keeper) addPersonas(ctx context.Context, e *Export, _ *vault.Exported) error {
	all, err := k.options.Personas.List(ctx)
	if err != nil {
		return err
	}
	active, err := k.options.Personas.Active(ctx)
	if err != nil {
		return err
	}
	for i, a := range active {
		if slices.ContainsFunc(all, func(p persona.Persona) bool { return p.Path == a.Path }) {
			continue
		}
		// The persona may have been activated before the data folder was moved.
		if place := k.options.Personas.Place(a.Name); slices.ContainsFunc(all, func(p persona.Persona) bool { return p.Path == place }) {
			active[i].Path = place
			continue
		}
		if one, err := k.options.Personas.Read(ctx, a.Path); err == nil {
			all = append(all, one)
		} else {
			e.Personas = append(e.Personas, ExportedPersona{Name: a.Name, Active: &a})
			e.LeftOut = append(e.LeftOut, "The files of the persona "+a.Name+" are left out, because they cannot be read: "+a.Path)
		}
	}
	for _, p := range all {
		one := ExportedPersona{Name: strings.TrimSuffix(filepath.Base(p.Path), ".zip")}
		if i := slices.IndexFunc(active, func(a persona.ActivePersona) bool { return a.Path == p.Path }); i >= 0 {
			one.Active = &active[i]
		}
		files, err := p.Files()
		switch {
		case err != nil:
			e.LeftOut = append(e.LeftOut, "The files of the persona "+one.Name+" are left out, because they cannot be read.")
		case p.HasCredentials():
			e.LeftOut = append(e.LeftOut, "The files of the persona "+one.Name+" are left out, because they contain credentials.")
		default:
			one.Files = files
		}
		if one.Files != nil || one.Active != nil {
			e.Personas = append(e.Personas, one)
		}
	}
	return nil
}

func (k *Keeper) addUse(_ context.Context, e *Export, _ *vault.Exported) error {
	for _, a := range k.options.Approvals.All() {
		e.Approvals = append(e.Approvals, ExportedApproval{a.Tool.Server, a.Tool.Tool, a.Hash, a.At.UTC()})
	}
	for _, p := range k.options.Learning.All() {
		e.Learned = append(e.Learned, ExportedPair{p.Query, p.Tool.Server, p.Tool.Tool, p.Times, p.Failed, p.Last.UTC()})
	}
	e.NoLearning = !k.options.Learning.On()
	return nil
}

func (k *Keeper) addSettings(_ context.Context, e *Export, private *vault.Exported) error {
	data, err := k.options.Settings.Read()
	if err != nil {
		return err
	}
	without, tools, err := settings.WithoutArguments(data)
	if err != nil {
		return err
	}
	e.Settings, private.Settings = string(without), string(data)
	if len(tools) > 0 {
		e.LeftOut = append(e.LeftOut, "Fixed arguments of tools may be secrets and are not readable here: "+strings.Join(tools, ", ")+".")
	}
	return nil
}
