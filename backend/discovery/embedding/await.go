package embedding

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Complete reports whether all tools of the catalog that can have a vector have one. It also returns true while the provider
// fails and with the provider "none", because no more vectors are computed then.
func (x *Index) Complete() bool {
	if x.provider == nil || x.health.failing() {
		return true
	}
	snapshot := x.catalog.Snapshot()
	if x.complete.Load() == snapshot {
		return true
	}
	vectors := x.Vectors()
	for _, t := range snapshot.Tools {
		if _, ok := vectors.Of(t.Hash); !ok {
			return false
		}
	}
	return true
}

// Await returns when Complete is true, or when ctx ends.
func (x *Index) Await(ctx context.Context) {
	changed := make(chan struct{}, 1)
	defer events.Signal[Changed](x.bus, changed)()
	defer events.Signal[catalog.Changed](x.bus, changed)()
	defer events.Signal[catalog.ShownChanged](x.bus, changed)()
	for !x.Complete() {
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
