// Package onboarding sets up a new user's machine in one run: it adds the hub's entry to the editors, imports the servers
// that the editors have, removes their entries from the editors, and remembers what it did, so that the whole run can be
// undone. Package registration changes the files of editors, and package importer adds the servers.
package onboarding

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Editors changes the files of editors.
type Editors interface {
	Plan(ctx context.Context, q registration.Request) ([]registration.Plan, error)
	Apply(ctx context.Context, q registration.Request) ([]registration.Outcome, error)
	Undo(ctx context.Context, changes []string, expect map[string]string) ([]registration.Outcome, error)
}

// Options are the dependencies of a Guide.
type Options struct {
	Editors  Editors
	Importer *importer.Importer
	Registry *registry.Registry
	Remove   func(ctx context.Context, server string) error // removes a server with its secrets
	State    func(registry.Server) readiness.State
	Tools    interface{ Snapshot() *catalog.Snapshot }
	// Find returns the tool that find_tool gives an agent first for a need; nil if it finds none.
	Find func(ctx context.Context, need string) *search.Hit
	// Danger says how much harm a tool may do. It is higher for tools that write than for those that read, and highest for
	// those that destroy something.
	Danger func(*catalog.Tool) int
	File   string // stores the last run
	Log    *slog.Logger
}

// Guide makes and undoes runs. It is safe for concurrent use.
type Guide struct {
	options Options
	running sync.Mutex // held during a run and an undo
}

// New returns a guide.
func New(o Options) *Guide { return &Guide{options: o} }

// SetupPlan says what a run would do.
type SetupPlan struct {
	Editors []registration.Plan `json:"editors" nullable:"false" doc:"Changes of the files of editors that add the hub's entry."`
	Found   importer.Scan       `json:"found" doc:"All servers that the editors have, also those that would not be imported."`
	Import  importer.Report     `json:"import" doc:"The servers that would be imported, and the entries that would be removed from editors."`
}

// Request selects what a run does.
type Request struct {
	Editors       []string          // editors that get the entry; nil for all that were detected
	Expect        map[string]string // as in registration.Request
	Program       string            // as in registration.Request
	Servers       []importer.Choice // servers to import; nil for all that are not configured
	RemoveEntries bool              // remove the entries of imported servers from the editors
	PlainText     bool              // keep credentials readable that cannot be stored as secrets
	Unseen        bool              // no person has seen what would run, so the servers wait for approval
}

// SetupRun is what a run did. It contains no configuration, because that may contain credentials.
type SetupRun struct {
	At      time.Time              `json:"at,omitzero" doc:"Missing if there was no run."`
	Editors []registration.Outcome `json:"editors" nullable:"false" doc:"The changes that added the hub's entry to editors."`
	Servers []SetupServer          `json:"servers" nullable:"false" doc:"The servers of the editors."`
	Removed []importer.Removal     `json:"removed" nullable:"false" doc:"The entries that were removed from editors."`
	Undone  *time.Time             `json:"undone,omitempty" doc:"When the run was undone; missing if it was not."`
	// Undoable is set by Run and Last.
	Undoable bool `json:"undoable" doc:"Whether there is something to undo."`
}

// SetupServer is a server of an editor in a run.
type SetupServer struct {
	ID      int64  `json:"id,omitempty" doc:"Identifier of an imported server."`
	Name    string `json:"name"`
	Status  string `json:"status" enum:"imported,here,failed" doc:"imported, here (configured before the run) or failed."`
	Problem string `json:"problem,omitempty" doc:"Why the server was not imported."`
}

// SetupResult is what a run did, with details that are not stored.
type SetupResult struct {
	SetupRun
	Import importer.Report `json:"import"`
}

// Plan returns what a run would do.
func (g *Guide) Plan(ctx context.Context, q Request) (p SetupPlan, err error) {
	if p.Editors, err = g.options.Editors.Plan(ctx, g.register(q)); err != nil {
		return p, err
	}
	imports := q.imports()
	imports.Connected = []string{}
	for _, plan := range p.Editors {
		if plan.Problem == "" {
			imports.Connected = append(append(imports.Connected, plan.Editor), plan.Shared...)
		}
	}
	if p.Found, err = g.options.Importer.Scan(ctx, nil); err != nil {
		return p, err
	}
	p.Import, err = g.importServers(ctx, imports, true)
	return p, err
}

// importServers imports the servers of a request; with dry it only reports what it would do.
func (g *Guide) importServers(ctx context.Context, q importer.Request, dry bool) (importer.Report, error) {
	if q.Choices != nil && len(q.Choices) == 0 { // the importer would import all
		return importer.Report{Servers: []importer.Result{}, Removed: []importer.Removal{}, DryRun: dry}, nil
	}
	return g.options.Importer.Import(ctx, q, dry)
}

func (g *Guide) register(q Request) registration.Request {
	return registration.Request{
		Action: registration.Register, Editors: q.Editors, All: q.Editors == nil, Expect: q.Expect, By: "person",
		Program: q.Program,
	}
}

func (q Request) imports() importer.Request {
	return importer.Request{Choices: q.Servers, RemoveEntries: q.RemoveEntries, PlainText: q.PlainText, Unseen: q.Unseen}
}

// connected returns the request for the import after the editors have got the hub's entry.
func (q Request) connected(outcomes []registration.Outcome) importer.Request {
	imports := q.imports()
	imports.Connected = []string{}
	for _, o := range outcomes {
		if o.Status != "refused" && o.Status != "failed" {
			imports.Connected = append(append(imports.Connected, o.Editor), o.Shared...)
		}
	}
	return imports
}

// Run adds the hub's entry to the editors and imports servers. It stores what it did even if a part of it has failed. The
// hub starts each imported server once.
func (g *Guide) Run(ctx context.Context, q Request) (r SetupResult, err error) {
	g.running.Lock()
	defer g.running.Unlock()
	r.SetupRun = SetupRun{At: time.Now().UTC().Truncate(time.Second), Editors: []registration.Outcome{}, Servers: []SetupServer{}}
	// First the entries: an import changes the same files, so that the shown plan would be outdated.
	outcomes, err := g.options.Editors.Apply(ctx, g.register(q))
	if err == nil {
		r.Editors = outcomes
		r.Import, err = g.importServers(ctx, q.connected(outcomes), false)
	}
	for _, s := range r.Import.Servers {
		one := SetupServer{Name: s.Name, Status: s.Status, Problem: s.Problem}
		if server, missing := g.options.Registry.Get(s.Name); s.Status == importer.Imported && missing == nil {
			one.ID = server.ID
		}
		r.Servers = append(r.Servers, one)
	}
	r.Removed = append([]importer.Removal{}, r.Import.Removed...)
	r.Undoable = r.didAnything()
	if last, unknown := g.Last(); !r.Undoable && unknown == nil && last.Undoable {
		return r, err // the earlier run can still be undone
	}
	if saving := g.save(r.SetupRun); saving != nil {
		g.options.Log.Warn("could not store what the setup did, so it can be undone only step by step", "error", saving)
	}
	return r, err
}

// didAnything reports whether a run has changed a file or added a server.
func (r SetupRun) didAnything() bool {
	return len(r.changes()) > 0 || slices.ContainsFunc(r.Servers, func(s SetupServer) bool { return s.ID != 0 })
}

// Last returns the last run. If there was none, the time of the run is zero.
func (g *Guide) Last() (SetupRun, error) {
	data, err := paths.ReadFile(g.options.File)
	if errors.Is(err, fs.ErrNotExist) {
		return SetupRun{Editors: []registration.Outcome{}, Servers: []SetupServer{}, Removed: []importer.Removal{}}, nil
	}
	var r SetupRun
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return SetupRun{}, fault.Wrap(err, fault.Failed, "could not read %s", g.options.File)
	}
	r.Undoable = r.Undone == nil && r.didAnything()
	return r, nil
}

func (g *Guide) save(r SetupRun) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = paths.MakeFolder(filepath.Dir(g.options.File))
	}
	if err != nil {
		return err
	}
	return paths.WriteDurable(g.options.File, data)
}
