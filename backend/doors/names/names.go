// Package names maps the names of servers' tools, prompts, resources and tasks to the names that clients are shown, and
// back. A client of the hub reaches many servers through one connection, so each name that it is shown includes the
// server that the name belongs to.
//
// Tools and prompts are shown as server__name (Full, Cut); package resolve splits such a name again. URIs, URI
// templates and task ids contain the slug of their server (Slug). Outgoing and Servers.Incoming apply these rules to
// messages by splicing: they change the strings that the protocol defines as names and leave all other bytes as they
// are.
//
// The package has no state and does no I/O. The caller stores the slugs, and passes functions that say which servers
// exist.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// MinLimit is the smallest limit that Cut applies, in characters.
	MinLimit = 20
	// shortHash and longHash are how many hexadecimal digits of a hash end a
	// cut name. longHash is used for names that would otherwise be equal.
	shortHash, longHash = 6, 12
)

// Full returns the name under which a server's tool or prompt is shown, before Cut shortens it.
func Full(server, name string) string { return server + "__" + name }

// Cut shortens full names for a client with a limit on the length of names, and returns them in the order of full.
// limit is in characters; 0 means none, and a limit below MinLimit counts as MinLimit. A longer name is cut to the
// limit and ends in a hash of the full name, so that no two names are equal.
func Cut(full []string, limit int) []string {
	if limit <= 0 {
		return full
	}
	out, taken := make([]string, len(full)), make(map[string]int)
	for i, name := range full {
		out[i] = cut(name, limit, shortHash)
		taken[out[i]]++
	}
	for i, name := range full {
		if out[i] != name && taken[out[i]] > 1 {
			out[i] = cut(name, limit, longHash)
		}
	}
	return out
}

// CutTo reports whether Cut may shorten the name full to shown.
func CutTo(full, shown string, limit int) bool {
	return limit > 0 && shown != full && (shown == cut(full, limit, shortHash) || shown == cut(full, limit, longHash))
}

func cut(name string, limit, digits int) string {
	if limit = max(limit, MinLimit); utf8.RuneCountInString(name) <= limit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return string([]rune(name)[:limit-1-digits]) + "_" + hex.EncodeToString(sum[:])[:digits]
}

// OwnerError reports a name from a client that does not belong to exactly one
// server.
type OwnerError struct {
	Name       string
	Candidates []string // the names to use instead; empty if no server has Name
}

func newOwnerError(name string, owners []string, show func(owner, name string) string) *OwnerError {
	e := &OwnerError{Name: name}
	for _, owner := range owners {
		e.Candidates = append(e.Candidates, show(owner, name))
	}
	return e
}

// Error names the candidates.
func (e *OwnerError) Error() string {
	if len(e.Candidates) == 0 {
		return fmt.Sprintf("find the server of %q: no server has it; use a name from a list", e.Name)
	}
	return fmt.Sprintf("find the server of %q: several servers have it; use %s", e.Name, strings.Join(e.Candidates, " or "))
}
