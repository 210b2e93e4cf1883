// Package updates finds out which installed servers have a newer version and what would change with it. It updates
// servers, and returns them to their previous version.
//
// listings ── check ── latest version of each server
// plan ── compare ── the newer version runs beside the current one: tools, recorded calls ── apply, roll back
//
// Only servers that were installed from a listing have versions. Package installer runs the downloads and the change
// itself as jobs. Package plan decides how a version is configured.
package updates

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Options are the dependencies of Updates.
type Options struct {
	Registry  Registry
	Listings  Listings
	Images    Images // may be nil
	Installer Installer
	Processes *upstream.Manager
	Catalog   *catalog.Catalog
	Trust     Trust // may be nil
	Vault     Vault
	Journal   *journal.Journal
	Store     Store
	Bus       *events.Bus
	Log       *slog.Logger
	Now       func() time.Time // nil means time.Now
}

// Trust withholds the tools that servers list until a person has approved them.
type Trust interface {
	// Expect announces an approved configuration that a server is about to get.
	Expect(s registry.Server)
	// AcceptVersion records that a person has approved the current configuration of a server. shown means that the
	// person has seen how its tools differ from the former ones.
	AcceptVersion(ctx context.Context, server string, tools []json.RawMessage, shown bool) error
}

// Registry has the configured servers.
type Registry interface {
	Get(name string) (registry.Server, error)
	ByID(id int64) (registry.Server, error)
	Update(ctx context.Context, name string, edit func(*registry.Server)) (registry.Server, error)
}

// Listings returns the latest version of a listing, or a fault.NotFound if it is no longer listed.
type Listings interface {
	Latest(ctx context.Context, id string) (listing.Listing, error)
}

// Images looks up container images.
type Images interface {
	// Digest returns the digest of an image in its registry, such as sha256:…, without downloading the image.
	Digest(ctx context.Context, reference string) (string, error)
}

// Installer makes plans and runs jobs; see installer.Installer.
type Installer interface {
	Plan(ctx context.Context, r plan.Request) (*plan.Plan, error)
	Start(p installer.Progress, do func(ctx context.Context, w *installer.Work) error) (installer.Progress, error)
}

// Vault lists the names of secrets.
type Vault interface {
	Names(ctx context.Context, server string) ([]string, error)
}

// Store stores the records of installations and the results of checks.
type Store interface {
	Installs(ctx context.Context, server int64) ([]installer.Install, error)
	SaveLatest(ctx context.Context, server int64, l Latest) error
	Latests(ctx context.Context) (map[int64]Latest, error)
}

// Latest is the result of the last check of a server.
type Latest struct {
	Version string         `json:"version"` // empty if it is not known
	Status  listing.Status `json:"status,omitempty"`
	Message string         `json:"message,omitempty"` // the publisher's reason for the status
	Problem string         `json:"problem,omitempty"` // why the check has failed, or ""
	Checked time.Time      `json:"checked"`
}

// Server describes the versions that an installed server has and could have.
type Server struct {
	Name      string         `json:"server"`
	Listing   string         `json:"listing"` // ID of the listing
	Title     string         `json:"title,omitempty"`
	Option    string         `json:"option"`
	Version   string         `json:"version"`
	Latest    string         `json:"latest,omitempty"` // empty if it is not known
	Updatable bool           `json:"updatable"`
	Former    string         `json:"former,omitempty"` // the version to which Rollback returns, or ""
	Status    listing.Status `json:"status,omitempty"`
	Message   string         `json:"message,omitempty"` // the publisher's reason for the status
	Problem   string         `json:"problem,omitempty"` // why the last check has failed, or ""
	Checked   time.Time      `json:"checked,omitzero"`
}

// Changed is published after a check, a comparison, an update or a rollback. Servers has all installed servers.
type Changed struct {
	Servers []Server `json:"servers"`
}

// Updates checks and changes the versions of servers. It is safe for concurrent use.
type Updates struct {
	options  Options
	checking chan struct{} // holds an element during a check

	mu          sync.Mutex
	comparisons map[string]*compared // the last comparison of each server, by name
}

// New returns Updates. Versions are checked daily only while Run is running.
func New(o Options) *Updates {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Updates{options: o, checking: make(chan struct{}, 1), comparisons: make(map[string]*compared)}
}

// List returns the installed servers, sorted by name. It sends no requests to registries.
func (u *Updates) List(ctx context.Context) ([]Server, error) {
	installs, err := u.options.Store.Installs(ctx, 0)
	if err != nil {
		return nil, err
	}
	latests, err := u.options.Store.Latests(ctx)
	if err != nil {
		return nil, err
	}
	out := []Server{}
	for _, i := range installs {
		s, err := u.options.Registry.ByID(i.Server)
		if err != nil {
			continue // the server has been removed meanwhile
		}
		one, err := u.describe(ctx, s, i, latests[i.Server])
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (u *Updates) describe(ctx context.Context, s registry.Server, i installer.Install, l Latest) (Server, error) {
	one := Server{
		Name: s.Name, Listing: i.Listing.ID(), Title: i.Listing.Title, Option: i.Option, Version: i.Version,
		Latest: l.Version, Updatable: newer(l.Version, i.Version), Status: l.Status, Message: l.Message, Problem: l.Problem,
		Checked: l.Checked,
	}
	former, err := u.former(ctx, i)
	one.Former = former.Version
	return one, err
}

// Updatable returns the IDs of the listings of installed servers that have a newer version.
func (u *Updates) Updatable(ctx context.Context) map[string]bool {
	all, err := u.List(ctx)
	if err != nil {
		u.options.Log.Warn("could not read which servers have newer versions", "error", err)
	}
	out := make(map[string]bool)
	for _, s := range all {
		if s.Updatable {
			out[s.Listing] = true
		}
	}
	return out
}

// installed returns a server and its current install. If the server was not installed from a listing, the error is a
// fault.NotFound.
func (u *Updates) installed(ctx context.Context, name string) (registry.Server, installer.Install, error) {
	s, err := u.options.Registry.Get(name)
	if err != nil {
		return s, installer.Install{}, err
	}
	all, err := u.options.Store.Installs(ctx, s.ID)
	if err != nil {
		return s, installer.Install{}, err
	}
	for _, i := range all {
		if i.Current {
			return s, i, nil
		}
	}
	return s, installer.Install{}, fault.New(fault.NotFound,
		"server %q was not installed from the marketplace, so it has no versions to choose from", name)
}

// former returns the install before i, or the zero Install if there is none.
func (u *Updates) former(ctx context.Context, i installer.Install) (installer.Install, error) {
	all, err := u.options.Store.Installs(ctx, i.Server)
	for _, one := range all {
		if one.ID < i.ID {
			return one, err
		}
	}
	return installer.Install{}, err
}

func (u *Updates) publish(ctx context.Context) {
	all, err := u.List(context.WithoutCancel(ctx))
	if err != nil {
		u.options.Log.Warn("could not read which versions servers have", "error", err)
		return
	}
	events.Publish(u.options.Bus, Changed{all})
}
