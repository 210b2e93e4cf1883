// Package setup adds servers that were configured elsewhere: in a setup file, or in the database of the original
// product. It adds servers that do not exist yet and never changes or removes one.
//
// A Syncer reads setup files: servers, their secrets, and which of them to start. An Importer reads a database of the
// original product: servers with their tools, secrets, presets and metrics.
package setup

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Lifecycle starts servers.
type Lifecycle interface {
	// Activate makes a server always listed, starts it, and reports whether it was always listed already.
	Activate(ctx context.Context, name string) (tools []*catalog.Tool, already bool, err error)
}

// Secrets keeps the secrets of servers.
type Secrets interface {
	Set(ctx context.Context, server, name, value string) error
	// Names returns the names of a server's secrets.
	Names(ctx context.Context, server string) ([]string, error)
}

// Options configure a syncer.
type Options struct {
	Registry  *registry.Registry
	Intake    *intake.Intake
	Lifecycle Lifecycle
	Secrets   Secrets // nil if secrets cannot be stored
	File      string  // the user's setup file; empty if there is none
	// Variable returns the value of a variable of the user's environment, or "" if it is not set.
	Variable func(ctx context.Context, name string) string
	Log      *slog.Logger
}

// Syncer adds the servers of setup files. It is safe for concurrent use.
type Syncer struct {
	registry  *registry.Registry
	intake    *intake.Intake
	lifecycle Lifecycle
	secrets   Secrets
	file      string
	variable  func(ctx context.Context, name string) string
	log       *slog.Logger

	syncing sync.Mutex // held while the servers of a file are added
}

// New returns a syncer.
func New(o Options) *Syncer {
	return &Syncer{
		registry: o.Registry, intake: o.Intake, lifecycle: o.Lifecycle, secrets: o.Secrets, file: o.File, variable: o.Variable, log: o.Log,
	}
}

// SyncResult lists the servers of a setup file by the outcome of the sync. Only Waiting, Unset and Notes may be nil.
type SyncResult struct {
	Registered []string      `json:"registered"`
	Activated  []string      `json:"activated"`
	Skipped    []string      `json:"skipped"` // servers that existed before
	Errors     []SyncFailure `json:"errors"`
	// Waiting lists those servers in Registered that a person has to approve.
	Waiting []string `json:"waiting_for_approval,omitempty"`
	// Unset lists the variables that the file uses and that are not set; each
	// became an empty text.
	Unset []string `json:"unset_variables,omitempty"`
	// Notes are what a person should know of the servers in Registered.
	Notes []SyncNote `json:"notes,omitempty"`
}

// SyncNote is a remark about a server.
type SyncNote struct {
	Name string `json:"name"` // name of the server
	Note string `json:"note"` // a sentence
}

// SyncFailure is a problem with an entry of a file, or with a whole file.
type SyncFailure struct {
	Name  string `json:"name"` // name of the server or the file
	Error string `json:"error"`
}

func (r *SyncResult) failed(name string, err error) {
	r.Errors = append(r.Errors, SyncFailure{Name: name, Error: fault.MessageOf(err)})
}

// Run syncs the user's setup file once. Failures are logged.
func (s *Syncer) Run(ctx context.Context) error {
	if s.file == "" {
		return nil
	}
	if _, err := os.Stat(s.file); err != nil {
		s.log.Warn("setup file does not exist", "file", s.file, "error", err)
	}
	r, err := s.Sync(ctx, "")
	if err != nil {
		s.log.Warn("setup file could not be read", "file", s.file, "error", err)
		return nil
	}
	s.log.Info("setup file was read", "file", s.file, "registered", len(r.Registered), "activated", len(r.Activated),
		"skipped", len(r.Skipped))
	for _, failure := range r.Errors {
		s.log.Warn("setup file has an entry with a problem", "file", s.file, "name", failure.Name, "error", failure.Error)
	}
	for _, one := range r.Notes {
		s.log.Info("server of the setup file was added", "file", s.file, "name", one.Name, "note", one.Note)
	}
	if len(r.Unset) > 0 {
		s.log.Warn("setup file uses variables that are not set, so they are empty; set them in your login shell, or in the editor's "+
			"entry that starts the hub",
			"file", s.file, "variables", r.Unset)
	}
	return nil
}

// Sync adds the servers of a file that a person chose, or of the user's setup
// file if file is "". A file that does not exist has no servers.
func (s *Syncer) Sync(ctx context.Context, file string) (SyncResult, error) {
	return s.sync(ctx, cmp.Or(file, s.file), origin{kind: intake.Person})
}

// SyncUnseen adds the servers of a file that a program chose, and whose servers no
// person has seen. The user's setup file is added as by Sync. The servers of another
// file wait for a person's approval, their secrets are left out, and entries that use
// variables of the user's environment are rejected. If the setting agents.install is
// allow, none of this applies, but the servers start in the sandbox.
func (s *Syncer) SyncUnseen(ctx context.Context, file string) (SyncResult, error) {
	if file == "" || pathname.Here.Equal(file, s.file) {
		return s.Sync(ctx, file)
	}
	return s.sync(ctx, file, origin{kind: intake.Unseen, waits: !s.intake.Policy().Alone()})
}

// Propose is like SyncUnseen, but for a file that an agent chose. It makes no exception for the user's setup file. by
// is the name of the agent's client. If the setting agents.install is deny, the error is a fault.Denied. The result is
// the same whether the file does not exist, cannot be read or is no setup file, so that an agent cannot look into other
// files of the user. The hub's log contains the reason.
func (s *Syncer) Propose(ctx context.Context, file, by string) (SyncResult, error) {
	policy := s.intake.Policy()
	if err := policy.Refusal("name a setup file", "add its servers"); err != nil {
		return SyncResult{}, err
	}
	return s.sync(ctx, file, origin{kind: intake.Agent, waits: !policy.Alone(), by: by})
}

// origin says who chose the file of a sync.
type origin struct {
	kind  intake.Origin
	waits bool   // the servers wait for approval, and get no secrets and no variables of the user
	by    string // name of the agent's client
}

func (s *Syncer) sync(ctx context.Context, file string, from origin) (SyncResult, error) {
	b := &batch{Syncer: s, origin: from, SyncResult: SyncResult{
		Registered: []string{}, Activated: []string{}, Skipped: []string{}, Errors: []SyncFailure{},
	}}
	if file == "" {
		return b.SyncResult, nil
	}
	if !filepath.IsAbs(file) {
		return b.SyncResult, fault.New(fault.Invalid, "invalid path %q: use the absolute path of a setup file", file)
	}
	b.addServers(ctx, file)
	b.activate(ctx)
	return b.SyncResult, nil
}

// batch is one sync of a setup file and its local file.
type batch struct {
	*Syncer
	SyncResult
	origin
	starts []string // servers to activate
}

// addServers adds the servers of a setup file and of its local file.
func (b *batch) addServers(ctx context.Context, file string) {
	b.syncing.Lock()
	defer b.syncing.Unlock()
	defer b.intake.Hold()()
	for _, name := range []string{file, local(file)} {
		if name == "" {
			continue
		}
		entries, err := readFile(name)
		switch {
		case err != nil && b.kind == intake.Agent:
			b.log.Warn("an agent named a file that is no setup file", "file", name, "error", fault.MessageOf(err))
		case err != nil:
			b.failed(name, err)
		}
		for _, e := range entries {
			if e.err != nil {
				b.failed(e.Name, e.err)
			} else if err := b.register(ctx, e); err != nil {
				b.failed(e.Name, err)
			} else {
				b.noteUnset(ctx, e)
			}
		}
	}
}

// register adds the server of an entry, unless a server with its name exists. In both cases, register sets the secrets
// of the entry as keepSecrets allows, and notes whether to activate the server.
func (b *batch) register(ctx context.Context, e entry) error {
	server, err := b.registry.Get(e.Name)
	if err == nil {
		b.Skipped = append(b.Skipped, e.Name)
	} else {
		server, err = b.add(ctx, e)
		if fault.KindOf(err) == fault.Conflict { // another caller has added the server meanwhile
			b.Skipped = append(b.Skipped, e.Name)
			return nil
		}
		if err != nil {
			return err
		}
		b.Registered = append(b.Registered, e.Name)
		if !server.Approved {
			b.Waiting = append(b.Waiting, e.Name)
		}
	}
	b.keepSecrets(ctx, server, e)
	if e.AutoActivate && server.Approved && !server.Disabled && !b.waits && !slices.Contains(b.starts, e.Name) {
		b.starts = append(b.starts, e.Name)
	}
	return nil
}

func (b *batch) add(ctx context.Context, e entry) (registry.Server, error) {
	if b.waits && (takesVariables(e.Env) || takesVariables(e.Headers) || takesVariables(map[string]string{"cwd": e.Dir})) {
		return registry.Server{}, fault.New(fault.Denied,
			"it uses variables of the user's environment, and no person has named the file; a person can add it in the dashboard or in "+
				"a terminal")
	}
	a := intake.Arrival{Server: b.declared(ctx, e), Origin: b.kind, Readable: true}
	a.Server.ProposedBy = b.by
	out, err := b.intake.Add(ctx, a)
	if err == nil {
		for _, note := range out.Notes() {
			b.Notes = append(b.Notes, SyncNote{e.Name, note})
		}
	}
	return out.Server, err
}

// declared returns the server that an entry declares.
func (b *batch) declared(ctx context.Context, e entry) registry.Server {
	return registry.Server{
		Name: e.Name, Description: e.Description, Source: registry.FromFile, Transport: e.Transport,
		Command: e.Command, Args: e.Args, Env: b.expandAll(ctx, e.Env), Tags: e.Tags,
		URL: e.URL, Headers: b.expandAll(ctx, e.Headers), Installed: true,
		Isolation: e.Isolation, Account: e.Account, Sandbox: e.Sandbox,
		Dir: b.expand(ctx, e.Dir), Timeouts: e.timeouts,
	}
}

// keepSecrets stores the secrets of an entry. It leaves them out if the server is not approved, or if the server's
// launch differs from that of the entry, because an agent may have proposed a different server under the same name.
func (b *batch) keepSecrets(ctx context.Context, server registry.Server, e entry) {
	given := b.expandAll(ctx, e.Secrets)
	maps.DeleteFunc(given, func(_, value string) bool { return value == "" })
	switch {
	case len(given) == 0:
	case b.waits:
		b.failed(e.Name, fault.New(fault.Denied,
			"its secrets were left out, because no person has named the file; a person can set them in the dashboard or in a terminal"))
	case !server.Approved:
		b.failed(e.Name, fault.New(fault.Denied,
			"its secrets were left out, because a server with this name was proposed and waits for approval; approve or remove that "+
				"server, then sync again"))
	case !b.intake.Runs(ctx, server, b.declared(ctx, e)):
		b.failed(e.Name, fault.New(fault.Denied,
			"its secrets were left out, because the server with this name is not the one that the file declares: its command, "+
				"arguments, variables, URL, headers or origin differ; remove that server, then sync again"))
	case b.secrets == nil:
		b.failed(e.Name, fault.New(fault.Unavailable, "there is no keychain for its secrets; the server was added without them"))
	default:
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if err := b.secrets.Set(ctx, e.Name, name, given[name]); err != nil {
				b.failed(e.Name, fault.Wrap(err, fault.KindOf(err), "could not set secret %s: %s", name, fault.MessageOf(err)))
			}
		}
	}
}

// activate activates servers concurrently. Package upstream limits how many of them
// start at once.
func (b *batch) activate(ctx context.Context) {
	type outcome struct {
		already bool
		err     error
	}
	outcomes := make([]outcome, len(b.starts))
	var starting sync.WaitGroup
	for i, name := range b.starts {
		starting.Go(func() { _, outcomes[i].already, outcomes[i].err = b.lifecycle.Activate(ctx, name) })
	}
	starting.Wait()
	for i, name := range b.starts {
		if err := outcomes[i].err; err != nil {
			b.failed(name, err)
		} else if !outcomes[i].already {
			b.Activated = append(b.Activated, name)
		}
	}
}
