package plan

import (
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Option is one of the ways in which a listing can be installed.
type Option struct {
	ID        string `json:"id"`                // such as npm, oci-2 or streamable-http
	Kind      string `json:"kind"`              // kind of the package, or remote
	Name      string `json:"name"`              // name of the package, or the address
	Program   string `json:"program,omitempty"` // program that starts the server
	Ready     bool   `json:"ready"`             // the program works, or the remote server is not known to fail
	Missing   string `json:"missing,omitempty"` // a sentence that says why Ready is false
	Problem   string `json:"problem,omitempty"` // a sentence that says why the option cannot be installed
	Secrets   int    `json:"secrets"`           // number of required secrets
	Required  int    `json:"required"`          // number of required answers
	Downloads bool   `json:"downloads"`
}

// Remote is Option.Kind of remote servers.
const Remote = "remote"

// candidate is an option and the part of the listing from which it is made.
type candidate struct {
	id   string
	pkg  *listing.Package // nil for a remote server
	at   *listing.Remote  // nil for a package
	plan *Plan
}

// candidates returns the options of a listing in the order of the listing.
func candidates(l *listing.Listing) []candidate {
	var out []candidate
	taken := make(map[string]int)
	name := func(kind string) string {
		if taken[kind]++; taken[kind] > 1 {
			return fmt.Sprintf("%s-%d", kind, taken[kind])
		}
		return kind
	}
	for i := range l.Packages {
		out = append(out, candidate{id: name(string(l.Packages[i].Kind)), pkg: &l.Packages[i]})
	}
	for i := range l.Remotes {
		out = append(out, candidate{id: name(l.Remotes[i].Type), at: &l.Remotes[i]})
	}
	return out
}

// classes order options that are otherwise equal: first programs, then remote servers, which see everything that
// agents send to them, then containers, which start slowly, then programs that must be compiled.
var classes = map[string]int{
	string(listing.KindNPM): 0, string(listing.KindPyPI): 0, string(listing.KindNuGet): 0, string(listing.KindMCPB): 0,
	Remote: 1, string(listing.KindOCI): 2, string(listing.KindCargo): 3,
}

// rank sorts options by these criteria, of which the first counts most: the option can be installed, it works on this
// machine, it needs no secrets, and it has a low number in classes.
func rank(all []candidate) {
	key := func(c candidate) []int {
		o := c.plan.Option
		secret := o.Secrets > 0 || c.plan.Unresolved == File // the questions of a bundle are unknown before its download
		return []int{truth(o.Problem != ""), truth(!o.Ready), truth(secret), classes[o.Kind]}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return slices.Compare(key(a), key(b))
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
