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
	// ChangeMirror applies a change and stores c.State in one transaction.
	ChangeMirror(ctx context.Context, c Change) error
	// MirrorVersions returns the stored versions of servers by name. Servers that are not stored are missing from the
	// map.
	MirrorVersions(ctx context.Context, names []string) (map[string]string, error)
	// CountMirror returns the number of entries that are not deleted, and how many of them the round has not seen.
	CountMirror(ctx context.Context, round int64) (all, unseen int, err error)
	// MirrorDocuments calls visit for each entry that is not deleted, in the order in which the entries were added.
	MirrorDocuments(ctx context.Context, visit func(id int64, d Document)) error
	// MirrorListing returns a listing and whether it is stored. Deleted listings are included.
	MirrorListing(ctx context.Context, name string) (l listing.Listing, ok bool, err error)
	// MirrorByID returns the listings of documents in the order of ids.
	MirrorByID(ctx context.Context, ids []int64) ([]listing.Listing, error)
	// MirrorPage returns at most limit listings that are not deleted, in the order of their names, beginning after a
	// name.
	MirrorPage(ctx context.Context, after string, limit int) ([]listing.Listing, error)
}

// State is the progress of the copy. A round of reading pages reads either the latest versions of all servers, or
// only changes.
type State struct {
	URL    string // address of the registry
	Format int    // version of the form in which listings are stored
	Round  int64  // number of the last round
	Open   bool   // the round is not complete
	Full   bool   // the round reads all servers, not only changes
	Since  time.Time
	Cursor string    // cursor of the next page; empty for the first one
	Began  time.Time // when the round began, on the registry's clock
	Read   int       // number of entries that the round has read

	Refreshed time.Time // when the last round was completed
	Known     time.Time // Began of the last completed round
	FullAt    time.Time // when the last full round was completed
	Problem   string    // why the last attempt failed
	FailedAt  time.Time
	Failures  int  // number of failed attempts since the last success
	Doubted   bool // the last complete list was rejected because it was much shorter than the copy
}

// Change is a change to the copy. It is applied in the order of the fields.
type Change struct {
	State State
	Reset bool     // delete all entries
	Put   []Stored // add entries, or replace those with the same names
	Gone  []string // names of entries to mark as deleted
	// Unseen means that all entries that State.Round has not seen are marked as deleted.
	Unseen bool
	// Prune deletes the entries that are marked as deleted, except those named in Keep.
	Prune bool
	Keep  []string
}

// Stored is an entry of the copy. An entry with a deleted listing replaces an existing entry, but is not added as a
// new one.
type Stored struct {
	Listing  listing.Listing
	Document Document
}
