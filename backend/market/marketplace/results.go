package marketplace

import (
	"context"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/federation"
)

// ofSearch is the prefix of cursors for further results of a search. The number of results before them follows.
const ofSearch = "results:"

// maxSkipped limits the results before a page of a search.
const maxSkipped = 10000

// OfSearch reports whether Results has returned a cursor; otherwise it is one of Page.
func OfSearch(cursor string) bool { return strings.HasPrefix(cursor, ofSearch) }

// Results searches all sources and returns at most q.Limit results: the first ones or, with a cursor, those after it. next
// is the cursor of the following results, empty if there are none. q.Limit must be positive.
func (m *Marketplace) Results(ctx context.Context, q federation.Query, cursor string) (page federation.Answer, next string, err error) {
	skipped := 0
	if cursor != "" {
		skipped, err = strconv.Atoi(strings.TrimPrefix(cursor, ofSearch))
		if err != nil || skipped < 0 || skipped > maxSkipped {
			return page, "", fault.New(fault.Invalid, "unknown cursor; use next_cursor of the previous page with the same query")
		}
	}
	limit := q.Limit
	q.Limit += skipped
	if page, err = m.Search(ctx, q); err != nil {
		return page, "", err
	}
	if page.Total > q.Limit {
		next = ofSearch + strconv.Itoa(q.Limit)
	}
	page.Results = page.Results[min(skipped, len(page.Results)):]
	page.Results = page.Results[:min(limit, len(page.Results))]
	return page, next, nil
}
