package setup

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Names tells which secrets are kept, by name.
type Names interface {
	HasSecret(ctx context.Context, server, name string) (bool, error)
}

// Metrics keeps what was called. AddMetric adds the numbers of a tool that has
// none yet and reports whether that is so; a dry one only reports.
type Metrics interface {
	AddMetric(ctx context.Context, m Metric, dry bool) (bool, error)
}

// Presets keeps presets. AddPreset adds one unless there is one of that name,
// and reports whether that is so; a dry one only reports.
type Presets interface {
	AddPreset(ctx context.Context, p Preset, dry bool) (bool, error)
}

// ImportOptions are what an importer works with.
type ImportOptions struct {
	Registry  *registry.Registry
	Lifecycle *lifecycle.Manager
	Catalog   *catalog.Catalog
	Secrets   Secrets // nil: there is no place for secrets
	Names     Names
	Metrics   Metrics
	Presets   Presets
	// Read reads a database that nobody else has open. Its errors are faults
	// without the name of the file.
	Read   func(ctx context.Context, file string) (Original, error)
	Folder string // closed to others, where a copy lies while it is read
	Log    *slog.Logger
}

// Importer brings in what the database of the original product holds. It is
// safe for concurrent use.
type Importer struct {
	ImportOptions
	importing sync.Mutex
}

// NewImporter returns an importer, and removes what a killed one left behind.
func NewImporter(o ImportOptions) *Importer {
	if err := forgetCopies(o.Folder); err != nil {
		o.Log.Warn("copies of an imported database are left", "folder", o.Folder, "error", err)
	}
	return &Importer{ImportOptions: o}
}

// ImportRequest says what to import.
type ImportRequest struct {
	Path   string            `json:"path"` // absolute
	DryRun bool              `json:"dry_run"`
	Rename map[string]string `json:"rename"` // names there → names here
}

// What became of a server.
const (
	Imported = "imported"
	Skipped  = "skipped" // one of its name is here already
	Failed   = "failed"
)

// ImportReport says what an import did, or what it would do.
type ImportReport struct {
	Servers  []ImportedServer `json:"servers"`
	Totals   ImportTotals     `json:"totals"`
	Problems []string         `json:"problems"` // that belong to no server
	DryRun   bool             `json:"dry_run"`
}

// ImportTotals count what came in.
type ImportTotals struct {
	Imported int `json:"imported"`
	Skipped  int `json:"skipped"`
	Failed   int `json:"failed"`
	ImportCounts
}

// ImportCounts are things of servers that came in.
type ImportCounts struct {
	Tools   int `json:"tools"`
	Secrets int `json:"secrets"`
	Presets int `json:"presets"`
	Metrics int `json:"metrics"`
}

// ImportedServer says what became of a server.
type ImportedServer struct {
	Name   string `json:"name"` // there
	As     string `json:"as,omitempty"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Proposed is a name that could be taken instead of one that cannot.
	Proposed string `json:"proposed_name,omitempty"`
	ImportCounts
	Problems []string `json:"problems,omitempty"` // with what is its
}

func (r *ImportedServer) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// Import brings in what a file holds and is not here yet. The file, and what
// lies beside it, stays as it is. Nothing is started. An import that was cut
// short can be run again.
func (i *Importer) Import(ctx context.Context, q ImportRequest) (ImportReport, error) {
	if !filepath.IsAbs(q.Path) {
		return ImportReport{}, fault.New(fault.Invalid, "path is %q; it must be the whole path of the database to import", q.Path)
	}
	i.importing.Lock()
	defer i.importing.Unlock()
	original, err := i.read(ctx, q.Path)
	if err != nil {
		return ImportReport{}, err
	}
	report, err := newTransfer(i, q, original).run(ctx)
	if err == nil && !q.DryRun {
		i.Log.Info("database is imported", "file", q.Path, "imported", report.Totals.Imported, "skipped", report.Totals.Skipped, "failed", report.Totals.Failed)
	}
	return report, err
}

// read reads a copy of the file, and removes the copy whatever comes.
func (i *Importer) read(ctx context.Context, file string) (o Original, err error) {
	copied, remove, err := copyDatabase(file, i.Folder)
	if err != nil {
		return o, err
	}
	defer func() {
		if left := remove(); left != nil && err == nil {
			err = fault.Wrap(left, fault.Internal, "a copy of %s could not be removed from %s; it holds secrets: remove it by hand, then import again", file, filepath.Dir(copied))
		}
	}()
	if o, err = i.Read(ctx, copied); err != nil {
		return o, fault.Wrap(err, fault.KindOf(err), "%s cannot be imported: %s", file, fault.MessageOf(err))
	}
	return o, nil
}
