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
	// trustShare is the largest part of a score that trust decides. It moves a result past others that fit nearly as well.
	trustShare = 0.25
	// related is the relevance of a result that has no word of the text: its source found it by meaning, or by texts that
	// it did not send.
	related = 0.05
	// fitting is the relevance of a result that fits so well that those without a word of the text are left out.
	fitting = 4 * related
	// deprecatedShare multiplies the trust in deprecated servers.
	deprecatedShare = 0.5

	settledAge    = 180 * 24 * time.Hour // from which age says nothing more
	manyDownloads = 1e6                  // per month, from which more say nothing
)

// rank scores the results of a search and sorts them, the best first. Equal scores are in the order of the IDs. If one fits
// clearly, it leaves out those that have no word of the text.
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
			r.Score = trust * deprecatedShare // with a text, its relevance is lower already
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

// trust returns from 0 to 1 how trustworthy a server appears: it rises with a verified publisher, downloads and age, and if
// the server is installed here.
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
	users := 0.3 // unknown: neither many nor none
	if r.Downloads > 0 {
		users = min(math.Log10(float64(r.Downloads)+1)/math.Log10(manyDownloads), 1)
	}
	return trust + 0.35*users
}
