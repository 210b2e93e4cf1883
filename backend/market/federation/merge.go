package federation

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Result is a server that was found, in one source or in several.
type Result struct {
	listing.Listing
	// IDs are the IDs of all listings of this server, that of Listing first.
	IDs        []string `json:"ids" nullable:"false"`
	Installed  bool     `json:"installed"`
	Updatable  bool     `json:"updatable"` // the server is installed and has a newer version
	Categories []string `json:"categories,omitempty"`
	Score      float64  `json:"score"` // from 0 to 1; results are sorted by it

	unrelated bool // no word of the searched text occurs in the listing
}

// merge makes one result of each listing, with one exception: it merges the listing of a package in its own registry
// into the best entry of the official registry that offers the package. The entry describes the server, because the
// entry lists the inputs that the server needs. The result does not depend on the order of the listings.
func merge(all []listing.Listing) []Result {
	var out []Result
	offered := make(map[string][]int) // indexes of official results in out, by package
	all = distinct(all)
	for i := range all {
		if all[i].Source != listing.Official {
			continue
		}
		out = append(out, Result{Listing: all[i], IDs: []string{all[i].ID()}})
		for _, p := range all[i].Packages {
			if key := packageKey(&p); key != "" && !slices.Contains(offered[key], len(out)-1) {
				offered[key] = append(offered[key], len(out)-1)
			}
		}
	}
	for i := range all {
		l := &all[i]
		if l.Source == listing.Official {
			continue
		}
		var by []int
		if len(l.Packages) == 1 {
			by = offered[packageKey(&l.Packages[0])]
		}
		if len(by) > 0 {
			// Entries that are not deprecated come first, then those whose publishers are verified, then the latest.
			best := slices.MinFunc(by, func(i, j int) int {
				a, b := &out[i].Listing, &out[j].Listing
				return cmp.Or(
					compareFlags(a.Status == listing.Active, b.Status == listing.Active), compareFlags(a.Verified, b.Verified),
					b.Updated.Compare(a.Updated), strings.Compare(a.Name, b.Name),
				)
			})
			out[best].absorb(l)
			continue
		}
		out = append(out, Result{Listing: *l, IDs: []string{l.ID()}})
	}
	return out
}

// distinct returns one listing for each ID, the newest one, sorted by ID. It omits deleted listings and those without
// a name.
func distinct(all []listing.Listing) []listing.Listing {
	all = slices.DeleteFunc(slices.Clone(all), func(l listing.Listing) bool {
		return l.Status == listing.Deleted || l.Source == "" || l.Name == ""
	})
	slices.SortStableFunc(all, func(a, b listing.Listing) int {
		return cmp.Or(strings.Compare(a.ID(), b.ID()), b.Updated.Compare(a.Updated),
			cmp.Compare(len(b.Packages)+len(b.Remotes), len(a.Packages)+len(a.Remotes)),
			strings.Compare(b.Version, a.Version), strings.Compare(a.Description, b.Description))
	})
	return slices.CompactFunc(all, func(a, b listing.Listing) bool { return a.ID() == b.ID() })
}

// compareFlags orders true before false.
func compareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// absorb adds the ID of a package's own listing to the entry that offers the package, and fills in fields that the
// entry lacks. If the package is deprecated, the entry becomes deprecated too.
func (r *Result) absorb(l *listing.Listing) {
	r.IDs = append(r.IDs, l.ID())
	r.License = cmp.Or(r.License, l.License)
	r.Repository = cmp.Or(r.Repository, l.Repository)
	r.Website = cmp.Or(r.Website, l.Website)
	r.Downloads = max(r.Downloads, l.Downloads)
	if len(r.Keywords) == 0 {
		r.Keywords = l.Keywords
	}
	if !l.Published.IsZero() && (r.Published.IsZero() || l.Published.Before(r.Published)) {
		r.Published = l.Published
	}
	if l.Status == listing.Deprecated && r.Status == listing.Active {
		r.Status, r.Message = l.Status, l.Message
	}
}

var separators = regexp.MustCompile(`[-_.]+`)

// packageKey identifies a package in a registry that is also a source. It returns "" for other packages.
func packageKey(p *listing.Package) string {
	switch p.Kind {
	case listing.KindNPM:
		return "npm:" + p.Identifier
	case listing.KindPyPI:
		return "pypi:" + strings.ToLower(separators.ReplaceAllString(p.Identifier, "-"))
	}
	return ""
}
