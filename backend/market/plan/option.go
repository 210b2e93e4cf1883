package plan

import (
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Option is one of the ways in which a listing can be installed.
type Option struct {
	ID        string `json:"id"`                // such as npm, oci-2 or streamable-http
	Kind      string `json:"kind"`              // of the package, or remote
	Name      string `json:"name"`              // of the package, or the address
	Program   string `json:"program,omitempty"` // that starts the server
	Ready     bool   `json:"ready"`             // the program works on this machine; the remote server is not known to fail
	Missing   string `json:"missing,omitempty"` // a sentence that says why it is not ready
	Problem   string `json:"problem,omitempty"` // a sentence that says why it cannot be installed at all
	Secrets   int    `json:"secrets"`           // how many secrets it needs
	Required  int    `json:"required"`          // how many answers it needs
	Downloads bool   `json:"downloads"`
}

// Remote is the kind of options that are reached at an address.
const Remote = "remote"

// candidate is an option with the part of the listing that it is made from.
type candidate struct {
	id   string
	pkg  *listing.Package // nil for a remote server
	at   *listing.Remote  // nil for a package
	plan *Plan
}

// candidates returns the options of a listing in its order.
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

// classes order options that are otherwise equal: programs before remote servers, which see everything that agents send
// them, and those before containers, which start slowly, and programs that have to be compiled.
var classes = map[string]int{
	string(listing.KindNPM): 0, string(listing.KindPyPI): 0, string(listing.KindNuGet): 0, string(listing.KindMCPB): 0,
	Remote: 1, string(listing.KindOCI): 2, string(listing.KindCargo): 3,
}

// rank sorts options: those that work here before those that need a program, and those without secrets before others.
func rank(all []candidate) {
	key := func(c candidate) []int {
		o := c.plan.Option
		secret := o.Secrets > 0 || c.plan.Unresolved == File // whose questions are not known yet
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
