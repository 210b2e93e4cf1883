// Package setup answers what a user had declared before this hub knew it: the
// servers of a setup file, and those of the product that this one follows. It
// brings in what is not there yet and never takes away or changes a server.
//
//	Syncer    setup file ─→ servers, their secrets, and a start of some
//	Importer  database of the original product ─→ servers and all that is theirs
package setup

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Secrets keeps the secrets of servers.
type Secrets interface {
	Set(ctx context.Context, server, name, value string) error
}

// Options are what a syncer works with.
type Options struct {
	Registry  *registry.Registry
	Lifecycle *lifecycle.Manager
	Secrets   Secrets // nil: there is no place for secrets
	File      string  // what the user configured; empty for none
	// Variable returns a variable of the user's environment, "" for none.
	Variable func(ctx context.Context, name string) string
	Log      *slog.Logger
}

// Syncer brings in the servers of setup files. It is safe for concurrent use.
type Syncer struct {
	Options
	bringing sync.Mutex // one file at a time
}

// New returns a syncer.
func New(o Options) *Syncer { return &Syncer{Options: o} }

// SyncResult says what became of the entries of a setup file, by the names of
// their servers. No list is nil.
type SyncResult struct {
	Registered []string      `json:"registered"`
	Activated  []string      `json:"activated"`
	Skipped    []string      `json:"skipped"` // were there already
	Errors     []SyncFailure `json:"errors"`
	// Waiting are those of Registered that a person has to approve.
	Waiting []string `json:"waiting_for_approval,omitempty"`
}

// SyncFailure is what went wrong with an entry, or with a file as a whole.
type SyncFailure struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

func (r *SyncResult) failed(name string, err error) {
	r.Errors = append(r.Errors, SyncFailure{Name: name, Error: fault.MessageOf(err)})
}

// Run brings in the user's own file once.
func (s *Syncer) Run(ctx context.Context) error {
	if s.File == "" {
		return nil
	}
	if _, err := os.Stat(s.File); err != nil {
		s.Log.Warn("setup file is not there", "file", s.File, "error", err)
	}
	r, err := s.Sync(ctx, "")
	if err != nil {
		s.Log.Warn("setup file is not read", "file", s.File, "error", err)
		return nil
	}
	s.Log.Info("setup file is read", "file", s.File, "registered", len(r.Registered), "activated", len(r.Activated), "skipped", len(r.Skipped))
	for _, failure := range r.Errors {
		s.Log.Warn("setup file: an entry failed", "file", s.File, "name", failure.Name, "error", failure.Error)
	}
	return nil
}

// Sync brings in a file that a person names, or with "" the one that they
// configured. One that is not there declares nothing.
func (s *Syncer) Sync(ctx context.Context, file string) (SyncResult, error) {
	if file == "" {
		file = s.File
	}
	return s.sync(ctx, file, false)
}

// Propose brings in a file that an agent names. What agents may install alone
// they may declare in a file; else its servers wait for a person, nothing in it
// reaches the secrets of a server, and it takes no variable of the user's.
func (s *Syncer) Propose(ctx context.Context, file string) (SyncResult, error) {
	switch s.Lifecycle.InstallPolicy() {
	case "allow":
		return s.sync(ctx, file, false)
	case "deny":
		return SyncResult{}, fault.New(fault.Denied, "agents may not name a setup file here (agents.install is deny); ask the user to run: agent-discover sync FILE")
	}
	return s.sync(ctx, file, true)
}

func (s *Syncer) sync(ctx context.Context, file string, proposed bool) (SyncResult, error) {
	b := &batch{Syncer: s, proposed: proposed, SyncResult: SyncResult{
		Registered: []string{}, Activated: []string{}, Skipped: []string{}, Errors: []SyncFailure{},
	}}
	if file == "" {
		return b.SyncResult, nil
	}
	if !filepath.IsAbs(file) {
		return b.SyncResult, fault.New(fault.Invalid, "%q must be the whole path of a setup file: the hub has no folder of its own to look in", file)
	}
	b.bring(ctx, file)
	b.activate(ctx)
	return b.SyncResult, nil
}

// batch is one run over a file and the local one beside it.
type batch struct {
	*Syncer
	SyncResult
	proposed bool // by an agent
	starts   []string
}

func (b *batch) bring(ctx context.Context, file string) {
	b.bringing.Lock()
	defer b.bringing.Unlock()
	for _, name := range []string{file, local(file)} {
		if name == "" {
			continue
		}
		entries, err := readFile(name)
		if err != nil {
			b.failed(name, err)
		}
		for _, e := range entries {
			if e.wrong != nil {
				b.failed(e.Name, e.wrong)
			} else if err := b.register(ctx, e); err != nil {
				b.failed(e.Name, err)
			}
		}
	}
}

// register brings in one server, or the secrets of one that is there.
func (b *batch) register(ctx context.Context, e entry) error {
	server, err := b.Registry.Get(e.Name)
	if err == nil {
		b.Skipped = append(b.Skipped, e.Name)
	} else {
		server, err = b.add(ctx, e)
		if fault.KindOf(err) == fault.Conflict { // came in meanwhile
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
	if e.AutoActivate && server.Approved && !b.proposed && !slices.Contains(b.starts, e.Name) {
		b.starts = append(b.starts, e.Name)
	}
	return nil
}

func (b *batch) add(ctx context.Context, e entry) (registry.Server, error) {
	if b.proposed && (takesVariables(e.Env) || takesVariables(e.Headers)) {
		return registry.Server{}, fault.New(fault.Denied, "it takes variables of the user's environment, and an agent named the file. To bring it in run: agent-discover sync FILE")
	}
	server := registry.Server{
		Name: e.Name, Description: e.Description, Source: "setup-file", Transport: e.Transport,
		Command: e.Command, Args: e.Args, Env: b.expandAll(ctx, e.Env), Tags: e.Tags,
		URL: e.URL, Headers: b.expandAll(ctx, e.Headers), Installed: true,
	}
	if b.proposed {
		return b.Lifecycle.Propose(ctx, server)
	}
	return b.Lifecycle.Add(ctx, server)
}

// keepSecrets sets what the entry has of secrets. Those of a server that no
// person has approved are left out: it may only have the name of the one that
// the user means.
func (b *batch) keepSecrets(ctx context.Context, server registry.Server, e entry) {
	given := b.expandAll(ctx, e.Secrets)
	maps.DeleteFunc(given, func(_, value string) bool { return value == "" })
	switch {
	case len(given) == 0:
	case b.proposed:
		b.failed(e.Name, fault.New(fault.Denied, "its secrets are left out: an agent named the file. To apply them run: agent-discover sync FILE"))
	case !server.Approved:
		b.failed(e.Name, fault.New(fault.Denied, "its secrets are left out: a server of this name, proposed by an agent, waits for approval. Approve or remove that one (agent-discover servers approve %s), then sync again", e.Name))
	case b.Secrets == nil:
		b.failed(e.Name, errNoKeychain)
	default:
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if err := b.Secrets.Set(ctx, e.Name, name, given[name]); err != nil {
				b.failed(e.Name, fault.Wrap(err, fault.KindOf(err), "secret %s is not kept: %s", name, fault.MessageOf(err)))
			}
		}
	}
}

var errNoKeychain = fault.New(fault.Unavailable, "there is no keychain to keep its secrets in; the server is there without them")

// activate starts all that the file wants active, side by side: how many start
// at once is bounded where they start.
func (b *batch) activate(ctx context.Context) {
	type outcome struct {
		already bool
		err     error
	}
	outcomes := make([]outcome, len(b.starts))
	var starting sync.WaitGroup
	for i, name := range b.starts {
		starting.Go(func() { _, outcomes[i].already, outcomes[i].err = b.Lifecycle.Activate(ctx, name) })
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
