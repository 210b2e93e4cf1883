// Package toolset keeps named lists of tools across servers, and says in which state each of their tools is. A
// toolset holds the definition of each tool that a person has accepted. If the server changes the definition, the
// tool has drifted: it cannot be called through the toolset until a person accepts, or pins, it again. Package
// gateway shows toolsets to clients.
package toolset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	maxTools       = 100
	maxDescription = 200 // characters
	maxNote        = 500 // characters
	maxName        = 250 // characters of the name of a server or a tool
	maxToolsets    = 200
	maxWaiting     = 20 // toolsets of agents that wait for approval
)

// Toolset is a named list of tools. Its order is kept.
type Toolset struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Tools       []Reference `json:"tools"`
	Approved    bool        `json:"approved"`              // a person has accepted it; until then, no client is shown it
	ProposedBy  string      `json:"proposed_by,omitempty"` // the client whose agent has built it
	EquipFor    *string     `json:"equip_for,omitempty"`   // the client that equips it once it is approved
	Created     time.Time   `json:"created"`
	Updated     time.Time   `json:"updated"`
}

// Reference is a tool of a toolset.
type Reference struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Hash is the hash of the accepted definition; empty if no definition was accepted.
	Hash string `json:"hash,omitempty"`
	// Pinned is the accepted definition; empty if it is not known, as after an import.
	Pinned json.RawMessage `json:"pinned,omitempty"`
	// Note is appended to the description of the tool.
	Note string `json:"note,omitempty"`
	// Proposed is a note that an agent has proposed and that a person has not approved yet.
	Proposed   string `json:"proposed_note,omitempty"`
	ProposedBy string `json:"proposed_note_by,omitempty"`
}

// Key returns the key of the tool.
func (r Reference) Key() catalog.Key { return catalog.Key{Server: r.Server, Tool: r.Tool} }

// Qualified returns the tool as SERVER.TOOL.
func (r Reference) Qualified() string { return r.Server + "." + r.Tool }

// pin returns r with the definition of t as the accepted one.
func pin(r Reference, t *catalog.Tool) Reference {
	r.Hash, r.Pinned = t.Hash, t.Definition
	return r
}

// Hash returns a hash of everything that a person accepts with the toolset: its name, description, tools and EquipFor.
func (t Toolset) Hash() string {
	content, _ := json.Marshal(struct { // cannot fail: the definitions are valid JSON
		Name, Description string
		Tools             []Reference
		EquipFor          *string
	}{t.Name, t.Description, t.Tools, t.EquipFor})
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Keys returns the keys of the tools, in their order.
func (t Toolset) Keys() []catalog.Key {
	keys := make([]catalog.Key, len(t.Tools))
	for i, r := range t.Tools {
		keys[i] = r.Key()
	}
	return keys
}

// index returns the position of a tool, -1 if the toolset does not have it.
func (t Toolset) index(tool catalog.Key) int {
	return slices.IndexFunc(t.Tools, func(r Reference) bool { return r.Key() == tool })
}

// has reports whether the toolset has a tool of the server with an accepted definition.
func (t Toolset) has(server string) bool {
	return slices.ContainsFunc(t.Tools, func(r Reference) bool { return r.Server == server && r.Hash != "" })
}

// clone returns a copy whose Tools may be changed.
func (t Toolset) clone() Toolset {
	t.Tools = slices.Clone(t.Tools)
	return t
}

var validName = regexp.MustCompile(`^[a-z0-9-]{2,50}$`)

// CheckName returns a fault.Invalid if name is not a valid name for a toolset.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fault.New(fault.Invalid, "invalid toolset name %q: use 2 to 50 lower-case letters, digits and hyphens",
			safetext.Clip(name, 60))
	}
	return nil
}

// Check returns an error if a toolset has an invalid name, note or description, or too few or too many tools.
func Check(t Toolset) error { return t.check() }

func (t Toolset) check() error {
	if err := CheckName(t.Name); err != nil {
		return err
	}
	if err := checkText("description", t.Description, maxDescription); err != nil {
		return err
	}
	if len(t.Tools) == 0 || len(t.Tools) > maxTools {
		return fault.New(fault.Invalid, "a toolset has 1 to %d tools, not %d", maxTools, len(t.Tools))
	}
	seen := make(map[catalog.Key]bool)
	for _, r := range t.Tools {
		if r.Server == "" || r.Tool == "" || !plain(r.Server) || !plain(r.Tool) {
			return fault.New(fault.Invalid, "invalid tool: use the name of a server and of its tool, at most %d characters each", maxName)
		}
		if seen[r.Key()] {
			return fault.New(fault.Invalid, "the tool %s is in the toolset twice", r.Qualified())
		}
		seen[r.Key()] = true
		if err := checkText("note on "+r.Qualified(), r.Note, maxNote); err != nil {
			return err
		}
	}
	return nil
}

func plain(name string) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName && name == safetext.Visible(name)
}

// checkText returns an error for a text that is too long or contains hidden characters.
func checkText(what, text string, limit int) error {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > limit {
		return fault.New(fault.Invalid, "the %s is too long: use at most %d characters", what, limit)
	}
	if text != safetext.Prose(text) {
		return fault.New(fault.Invalid, "the %s contains hidden characters", what)
	}
	return nil
}
