package federation

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
)

const (
	// trustShare is the share of trust in a score. Trust ranks a result above others that match the text nearly as
	// well.
	trustShare = 0.25
	// related is the minimum relevance of a result that contains a word of the text. Sources also find results without
	// such a word, by meaning or by texts that they do not return.
	related = 0.05
	// fitting is the relevance from which a result matches so well that results without a word of the text are left
	// out.
	fitting = 4 * related
	// deprecatedShare multiplies the trust in deprecated servers.
	deprecatedShare = 0.5

	settledAge    = 180 * 24 * time.Hour // trust does not grow beyond this age
	manyDownloads = 1e6                  // per month; trust does not grow beyond it
)

// rank scores the results of a search and sorts them, the best first. Equal scores are in the order of the IDs. If
// one result matches the text well, rank leaves out those that contain no word of it.
func rank(text string, results []Result, installed map[string]bool, now time.Time) []Result {
	tools := make([]*catalog.Tool, len(results))
	for i := range results {
		tools[i] = mirror.Tool(&results[i].Listing, int64(i))
	}
	relevance := search.Scores(text, tools)
	for i := range results {
		r := &results[i]
		r.Installed = slices.ContainsFunc(r.IDs, func(id string) bool { return installed[id] })
		r.Categories = categoriesOf(&r.Listing)
		r.unrelated = text != "" && relevance[i] < related
		trust := r.trust(now)
		switch {
		case text != "":
			r.Score = max(relevance[i], related) * (1 - trustShare + trustShare*trust)
		case r.Status == listing.Deprecated:
			r.Score = trust * deprecatedShare // the relevance to a text is already lower for deprecated servers
		default:
			r.Score = trust
		}
	}
	if text != "" && len(results) > 0 && slices.Max(relevance) >= fitting {
		results = slices.DeleteFunc(results, func(r Result) bool { return r.unrelated })
	}
	slices.SortFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.IDs[0], b.IDs[0]))
	})
	return results
}

// trust returns a score from 0 to 1 for the trustworthiness of a server: a verified publisher, downloads, age, and
// being installed on this machine raise it.
func (r *Result) trust(now time.Time) float64 {
	trust := 0.0
	if r.Verified {
		trust += 0.35
	}
	if r.Installed {
		trust += 0.15
	}
	if first := r.Published; !first.IsZero() && first.Before(now) {
		trust += 0.15 * min(float64(now.Sub(first))/float64(settledAge), 1)
	}
	users := 0.3 // not known: assume neither many nor none
	if r.Downloads > 0 {
		users = min(math.Log10(float64(r.Downloads)+1)/math.Log10(manyDownloads), 1)
	}
	return trust + 0.35*users
}
