package catalog

import (
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// ChangeKind says whether a tool was added, updated or removed.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Updated ChangeKind = "updated"
	Removed ChangeKind = "removed"
)

// Change describes a tool that a server has added, updated or removed.
type Change struct {
	Tool     string     `json:"tool"`
	Kind     ChangeKind `json:"change" enum:"added,updated,removed"`
	Previous string     `json:"previousHash,omitempty" doc:"Hash before the change; missing for an added tool."`
	Current  string     `json:"currentHash,omitempty" doc:"Hash after the change; missing for a removed tool."`

	// Definition is the definition after the change; nil for a removed tool.
	Definition []byte `json:"-"`
}

// Summary counts the tools that the new list of a server has added, updated, removed and
// left unchanged.
type Summary struct {
	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Removed   int `json:"removed"`
	Unchanged int `json:"unchanged"`
}

// ToolsChanged is published when the tools of a server differ from those it listed before,
// and when a server is deleted. Tools with an unchanged hash are only counted, in Summary.
type ToolsChanged struct {
	Server  string
	Changes []Change // in the order of the new list, then the removed tools
	Summary Summary
	At      time.Time
}

// changesOf compares the tools that a server lists, including withheld ones, before and after a listing.
func changesOf(old, now []*Tool) (changes []Change, s Summary) {
	before := make(map[string]*Tool, len(old))
	for _, t := range old {
		before[t.Name] = t
	}
	for _, t := range now {
		was := before[t.Name]
		delete(before, t.Name)
		switch {
		case was == nil:
			s.Added++
			changes = append(changes, Change{Tool: t.Name, Kind: Added, Current: t.Hash, Definition: t.Definition})
		case was.Hash != t.Hash:
			s.Updated++
			changes = append(changes, Change{Tool: t.Name, Kind: Updated, Previous: was.Hash, Current: t.Hash, Definition: t.Definition})
		default:
			s.Unchanged++
		}
	}
	for _, t := range old {
		if before[t.Name] != nil {
			s.Removed++
			changes = append(changes, Change{Tool: t.Name, Kind: Removed, Previous: t.Hash})
		}
	}
	return changes, s
}

// announce publishes the changes of a listing.
func (c *Catalog) announce(server string, changes []Change, s Summary, at time.Time) {
	if len(changes) > 0 {
		events.Publish(c.bus, ToolsChanged{Server: server, Changes: changes, Summary: s, At: at})
	}
}

// Seen says when a tool was first listed and when its definition last changed, according to the stored history.
type Seen struct{ First, Changed time.Time }

// Past is a change from the stored history.
type Past struct {
	Change
	At      time.Time
	Version int // HashVersion of its hashes
}
