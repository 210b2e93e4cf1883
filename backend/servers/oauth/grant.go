package oauth

import (
	"slices"
	"time"
)

// grant is a token with everything that is needed to renew and revoke it. Grants are
// immutable.
type grant struct {
	Server   int64     `json:"server"`
	Issuer   string    `json:"issuer"`
	Resource string    `json:"resource"`
	Address  string    `json:"address"` // hash of the server's URL; the token is sent to no other URL
	Access   string    `json:"access"`
	Refresh  string    `json:"refresh,omitempty"`
	Obtained time.Time `json:"obtained"`
	Expires  time.Time `json:"expires,omitzero"` // zero if the server did not say
	Scopes   []string  `json:"scopes,omitempty"`
	Client   client    `json:"client"`
	Token    string    `json:"token_endpoint"`
	Revoke   string    `json:"revocation_endpoint,omitempty"`
	// Entered is the issuer that the user has entered for a client of their own, or empty.
	Entered string `json:"entered,omitempty"`
	// Machine marks a token of the program itself, for which no person signed in.
	Machine bool `json:"machine,omitempty"`

	forced bool // renewed because the server had rejected the token before
}

// ahead is how long before its expiry a token is renewed. A token that is valid for less
// than four minutes is renewed in the last quarter of that time.
const ahead = time.Minute

// due reports whether the token must be renewed before it is used.
func (g *grant) due(now time.Time) bool {
	if g.Expires.IsZero() {
		return false
	}
	early := min(ahead, g.Expires.Sub(g.Obtained)/4)
	return !now.Before(g.Expires.Add(-early))
}

// ended reports whether the token is no longer valid.
func (g *grant) ended(now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }

// renewable reports whether the program can get a new token without a person.
func (g *grant) renewable() bool { return g.Refresh != "" || g.Machine }

// header returns the value of the Authorization header.
func (g *grant) header() string { return "Bearer " + g.Access }

// union returns the scopes of all lists, sorted.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
