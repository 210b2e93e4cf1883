package mirror

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Store persists the copy.
type Store interface {
	// MirrorState returns the stored state, zero if there is none.
	MirrorState(ctx context.Context) (State, error)
	// ChangeMirror makes a change, and stores the state after it, in one transaction.
	ChangeMirror(ctx context.Context, c Change) error
	// MirrorVersions returns the stored versions of servers by name, without those that are not stored.
	MirrorVersions(ctx context.Context, names []string) (map[string]string, error)
	// CountMirror returns the number of entries that are not deleted, and of those that a round has not seen.
	CountMirror(ctx context.Context, round int64) (all, unseen int, err error)
	// MirrorDocuments calls visit for each entry that is not deleted, in the order in which they were added.
	MirrorDocuments(ctx context.Context, visit func(id int64, d Document)) error
	// MirrorListing returns a listing, even a deleted one, and whether it is stored.
	MirrorListing(ctx context.Context, name string) (l listing.Listing, ok bool, err error)
	// MirrorByID returns the listings of documents, in this order.
	MirrorByID(ctx context.Context, ids []int64) ([]listing.Listing, error)
	// MirrorPage returns listings that are not deleted, in the order of their names.
	MirrorPage(ctx context.Context, after string, limit int) ([]listing.Listing, error)
}

// State is the progress of a copy. A round reads either the latest versions of all servers, or what has changed.
type State struct {
	URL    string // of the registry
	Format int    // how listings are stored; those of another format are read again
	Round  int64  // number of the last round
	Open   bool   // the round is not complete
	Full   bool   // it reads all servers
	Since  time.Time
	Cursor string    // of the next page; empty for the first one
	Began  time.Time // when the round began, on the registry's clock
	Read   int       // number of entries that the round has read

	Refreshed time.Time // when a round was last completed
	Known     time.Time // Began of the last completed round
	FullAt    time.Time // when all servers were last read
	Problem   string    // why the last attempt failed
	FailedAt  time.Time
	Failures  int  // number of failed attempts since the last success
	Doubted   bool // the last complete list was much shorter than the copy, and was not believed
}

// Change is a change to the copy. Its parts are made in the order of the fields.
type Change struct {
	State State
	Reset bool     // delete all entries
	Put   []Stored // add entries, or replace those with the same names
	Gone  []string // mark these as deleted
	// Unseen marks the entries that State.Round has not seen as deleted.
	Unseen bool
	// Prune deletes the entries that are marked as deleted, except those named in Keep.
	Prune bool
	Keep  []string
}

// Stored is an entry of the copy. A deleted listing replaces an entry, but is not added.
type Stored struct {
	Listing  listing.Listing
	Document Document
}
