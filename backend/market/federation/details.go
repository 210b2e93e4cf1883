package federation

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// readmeTime limits how long Get waits for a package registry to add a README and other facts to an entry.
const readmeTime = 5 * time.Second

// Details are the details of one server and the IDs of the listings that describe it.
type Details struct {
	listing.Details
	IDs []string `json:"ids" nullable:"false"`
}

// Get returns a server by its ID. If the server's listing has no README, Get adds the README and other missing facts
// from the registry of its package, if that registry answers in time. The inputs of the listing are kept.
func (f *Federation) Get(ctx context.Context, id string) (Details, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	name, own, ok := listing.SplitID(id)
	source := f.source(name)
	if source == nil || !ok {
		return Details{}, fault.New(fault.NotFound, "there is no server with the ID %s; an ID is SOURCE:NAME, such as npm:@scope/name",
			safetext.Clip(safetext.Visible(id), 200))
	}
	found, err := source.Get(ctx, own)
	if err != nil {
		return Details{}, err
	}
	d := Details{Details: found, IDs: []string{found.ID()}}
	if d.Readme == "" {
		f.complete(ctx, &d)
	}
	return d, nil
}

// source returns the source with a name, or nil if there is none or it cannot return details.
func (f *Federation) source(name string) *Source {
	for i := range f.options.Sources {
		if s := &f.options.Sources[i]; s.Name == name && s.Get != nil {
			return s
		}
	}
	return nil
}

// complete adds facts from a package registry about a package of the server. It uses the first package whose registry
// is one of the sources and answers.
func (f *Federation) complete(ctx context.Context, d *Details) {
	ctx, cancel := context.WithTimeout(ctx, readmeTime)
	defer cancel()
	for _, p := range d.Packages {
		source := f.source(string(p.Kind)) // a source of packages has the name of their kind
		if source == nil || source.Name == d.Source || p.BaseURL != "" {
			continue
		}
		other, err := source.Get(ctx, p.Identifier)
		if err != nil {
			continue // the details are usable without these additions
		}
		r := Result{Listing: d.Listing, IDs: d.IDs}
		r.absorb(&other.Listing)
		d.Listing, d.IDs, d.Readme, d.Signs = r.Listing, r.IDs, other.Readme, other.Signs
		return
	}
}
