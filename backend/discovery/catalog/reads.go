package catalog

import "sync/atomic"

// reads counts the look-ups of tools and lists in snapshots. No look-up sends a request to a server.
type reads struct{ hits, misses atomic.Int64 }

func (r *reads) count(hit bool) {
	switch {
	case r == nil: // a snapshot made by a test
	case hit:
		r.hits.Add(1)
	default:
		r.misses.Add(1)
	}
}

// Known reports whether a snapshot has tools of a server. It counts as a look-up, for callers that otherwise ask the server.
func (s *Snapshot) Known(server string) bool {
	known := len(s.Of(server)) > 0
	s.reads.count(known)
	return known
}

// Reads counts the look-ups of tools and lists in snapshots of a catalog since the start of the hub.
type Reads struct {
	Hits   int64 // the catalog had the tool or the list
	Misses int64
}

// Rate returns the share of look-ups that were hits; 0 if there were no look-ups.
func (r Reads) Rate() float64 {
	if r.Hits+r.Misses == 0 {
		return 0
	}
	return float64(r.Hits) / float64(r.Hits+r.Misses)
}

// Reads returns how often tools were looked up in the snapshots of the catalog so far.
func (c *Catalog) Reads() Reads { return Reads{c.reads.hits.Load(), c.reads.misses.Load()} }
