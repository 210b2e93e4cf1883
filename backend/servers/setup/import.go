package setup

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Metrics stores the metrics of tools. AddMetric adds a metric unless its tool
// already has one, and reports whether the tool had none. If dry is set,
// AddMetric stores nothing.
type Metrics interface {
	AddMetric(ctx context.Context, m Metric, dry bool) (bool, error)
}

// Presets stores presets. AddPreset adds a preset unless one with the same name
// exists, and reports whether none existed. If dry is set, AddPreset stores
// nothing.
type Presets interface {
	AddPreset(ctx context.Context, p Preset, dry bool) (bool, error)
}

// ImportOptions configure an importer.
type ImportOptions struct {
	Registry *registry.Registry
	Intake   *intake.Intake
	Catalog  *catalog.Catalog
	Secrets  Secrets // nil if secrets cannot be stored
	Metrics  Metrics
	Presets  Presets
	// Imported is called for a server whose tools were imported, before the server itself has listed any. It may be
	// nil.
	Imported func(ctx context.Context, server string) error
	// Read reads a database that no other program has open. Its errors are
	// faults that do not name the file.
	Read   func(ctx context.Context, file string) (Original, error)
	Folder string // folder for copies of databases; other users must not have access to it
	Log    *slog.Logger
}

// Importer imports databases of the original product. It is safe for concurrent use.
type Importer struct {
	registry     *registry.Registry
	intake       *intake.Intake
	catalog      *catalog.Catalog
	secrets      Secrets
	metrics      Metrics
	presets      Presets
	imported     func(ctx context.Context, server string) error
	readDatabase func(ctx context.Context, file string) (Original, error)
	folder       string
	log          *slog.Logger

	importing sync.Mutex // held during an import
}

// NewImporter returns an importer.
func NewImporter(o ImportOptions) *Importer {
	if o.Imported == nil {
		o.Imported = func(context.Context, string) error { return nil }
	}
	return &Importer{
		registry: o.Registry, intake: o.Intake, catalog: o.Catalog, secrets: o.Secrets, metrics: o.Metrics, presets: o.Presets,
		imported: o.Imported, readDatabase: o.Read, folder: o.Folder, log: o.Log,
	}
}

// Run removes copies of databases that were left when a process was killed
// during an import. It logs a failure to remove them.
func (i *Importer) Run(context.Context) error {
	i.importing.Lock()
	defer i.importing.Unlock()
	if err := removeCopies(i.folder); err != nil {
		i.log.Warn("could not remove copies of an imported database", "folder", i.folder, "error", err)
	}
	return nil
}

// ImportRequest selects a database to import.
type ImportRequest struct {
	Path   string            `json:"path"` // absolute
	DryRun bool              `json:"dry_run"`
	Rename map[string]string `json:"rename"` // names in the database → names in this hub
	// Unseen marks a request of a program: no person has seen what the servers
	// run, so they have to wait for approval.
	Unseen bool `json:"-"`
}

// The values of ImportedServer.Status.
const (
	Imported = "imported"
	Skipped  = "skipped" // a server with this name exists already
	Failed   = "failed"
)

// ImportReport describes what an import did, or would do in a dry run.
type ImportReport struct {
	Servers  []ImportedServer `json:"servers"`
	Totals   ImportTotals     `json:"totals"`
	Problems []string         `json:"problems"` // problems that do not concern one of the servers
	DryRun   bool             `json:"dry_run"`
}

// ImportTotals sums up all servers of an import.
type ImportTotals struct {
	Imported int `json:"imported"`
	Skipped  int `json:"skipped"`
	Failed   int `json:"failed"`
	ImportCounts
}

// ImportCounts counts the imported items that belong to servers.
type ImportCounts struct {
	Tools   int `json:"tools"`
	Secrets int `json:"secrets"`
	Presets int `json:"presets"`
	Metrics int `json:"metrics"`
}

// ImportedServer describes the import of one server.
type ImportedServer struct {
	Name   string `json:"name"`         // name in the database
	As     string `json:"as,omitempty"` // name in this hub, if the request renames the server
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Proposed is a valid and free name, if the server's own name is invalid or
	// taken.
	Proposed string `json:"proposed_name,omitempty"`
	// Runs is the configuration for a person to review. It is nil unless the import is a dry run and the server does
	// not exist yet.
	Runs *Runs `json:"runs,omitempty"`
	// Waiting reports whether the imported server waits for approval.
	Waiting bool `json:"waiting_for_approval,omitempty"`
	ImportCounts
	Problems []string `json:"problems,omitempty"` // items that were not imported
}

// Runs is the part of a configuration that a person reviews before the server is added: it determines what a start
// runs.
type Runs struct {
	Transport string            `json:"transport"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Dir       string            `json:"cwd,omitempty"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
}

// RunsOf returns the part of a server's configuration that a person reviews.
func RunsOf(s registry.Server) Runs {
	return Runs{Transport: s.Transport, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Dir, URL: s.URL, Headers: s.Headers}
}

func (r *ImportedServer) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// Import adds the servers of a database, with their tools, secrets, presets and metrics. It skips items that exist
// already, so that an interrupted import can be repeated. It does not change the database and starts no server.
func (i *Importer) Import(ctx context.Context, q ImportRequest) (ImportReport, error) {
	if !filepath.IsAbs(q.Path) {
		return ImportReport{}, fault.New(fault.Invalid, "invalid path %q: use the absolute path of the database to import", q.Path)
	}
	i.importing.Lock()
	defer i.importing.Unlock()
	original, err := i.read(ctx, q.Path)
	if err != nil {
		return ImportReport{}, err
	}
	defer i.intake.Hold()()
	t := &transfer{
		Importer: i, ImportRequest: q, original: original, names: make(map[string]bool), reports: make(map[string]*ImportedServer),
	}
	report, err := t.run(ctx)
	if err == nil && !q.DryRun {
		i.log.Info("database was imported", "file", q.Path, "imported", report.Totals.Imported, "skipped", report.Totals.Skipped,
			"failed", report.Totals.Failed)
	}
	return report, err
}

// read reads a copy of the database and removes the copy afterwards.
func (i *Importer) read(ctx context.Context, file string) (o Original, err error) {
	copied, remove, err := copyDatabase(file, i.folder)
	if err != nil {
		return o, err
	}
	defer func() {
		if left := remove(); left != nil && err == nil {
			err = fault.Wrap(left, fault.Internal,
				"could not remove a copy of %s, which contains secrets, from %s; remove it by hand, then import again", file,
				filepath.Dir(copied))
		}
	}()
	if o, err = i.readDatabase(ctx, copied); err != nil {
		return o, fault.Wrap(err, fault.KindOf(err), "could not import %s: %s", file, fault.MessageOf(err))
	}
	return o, nil
}
