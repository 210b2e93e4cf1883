package federation

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// readmeTime is how long details wait for the registry of a package, which has the README of an entry that offers it.
const readmeTime = 5 * time.Second

// Details are one server, and the IDs of the listings that describe it.
type Details struct {
	listing.Details
	IDs []string `json:"ids" nullable:"false"`
}

// Get returns a server by its ID. The README and other facts that the entry of a registry lacks come from the registry of
// its package, if that answers. The entry's own inputs are kept.
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

// source returns the source with a name, nil if there is none that can return details.
func (f *Federation) source(name string) *Source {
	for i := range f.options.Sources {
		if s := &f.options.Sources[i]; s.Name == name && s.Get != nil {
			return s
		}
	}
	return nil
}

// complete adds what the registry of the first package knows that is in one of the sources.
func (f *Federation) complete(ctx context.Context, d *Details) {
	ctx, cancel := context.WithTimeout(ctx, readmeTime)
	defer cancel()
	for _, p := range d.Packages {
		source := f.source(string(p.Kind)) // package registries are named as the kinds of their packages
		if source == nil || source.Name == d.Source || p.BaseURL != "" {
			continue
		}
		other, err := source.Get(ctx, p.Identifier)
		if err != nil {
			continue // an addition: the entry is complete without it
		}
		r := Result{Listing: d.Listing, IDs: d.IDs}
		r.absorb(&other.Listing)
		d.Listing, d.IDs, d.Readme, d.Signs = r.Listing, r.IDs, other.Readme, other.Signs
		return
	}
}
