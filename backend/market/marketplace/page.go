package marketplace

import (
	"context"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/npm"
	"github.com/agent-discover/agent-discover/backend/market/official"
)

// Page is a page of the official registry.
type Page struct {
	Listings []listing.Listing
	Next     string // the cursor of the next page; empty on the last one
}

// HasRegistry reports whether an official registry is configured.
func (m *Marketplace) HasRegistry() bool { return m.options.Official.Check() == nil }

// firstPageTime limits how long Page waits for the first page of the registry.
const firstPageTime = 6 * time.Second

// ofCopy is the prefix of cursors for pages of the copy. The name of the last server follows.
const ofCopy = "after:"

// Page returns a page of the latest versions of servers in the official registry. The empty cursor returns the first
// page. With a text, the page contains servers whose names contain it. If the registry does not answer, the first
// page without a text comes from the copy.
func (m *Marketplace) Page(ctx context.Context, text, cursor string, limit int) (Page, error) {
	after, copied := strings.CutPrefix(cursor, ofCopy)
	if copied {
		return m.copied(ctx, after, limit)
	}
	if cursor == "" { // limit the wait: the caller has other sources to show in place of the first page
		limited, cancel := context.WithTimeout(ctx, firstPageTime)
		defer cancel()
		ctx = limited
	}
	found, err := m.options.Official.List(ctx, official.Query{Search: text, Cursor: cursor, Limit: limit, Latest: true})
	if err != nil {
		if kind := fault.KindOf(err); text == "" && cursor == "" &&
			(kind == fault.Unavailable || kind == fault.Timeout || kind == fault.Busy) {
			if page, _ := m.copied(context.WithoutCancel(ctx), "", limit); len(page.Listings) > 0 {
				return page, nil
			}
		}
		return Page{}, err
	}
	page := Page{Next: found.Next}
	for _, e := range found.Entries {
		if e.Latest {
			page.Listings = append(page.Listings, e.Listing)
		}
	}
	return page, nil
}

// copied returns a page of the copy.
func (m *Marketplace) copied(ctx context.Context, after string, limit int) (Page, error) {
	all, err := m.options.Mirror.Page(ctx, after, limit)
	page := Page{Listings: all}
	if len(all) == limit {
		page.Next = ofCopy + all[limit-1].Name
	}
	return page, err
}

// OnNPM reports whether a package exists in the npm registry.
func (m *Marketplace) OnNPM(ctx context.Context, name string) (bool, error) {
	if !npm.ValidName(name) {
		return false, nil
	}
	_, err := m.options.NPM.Release(ctx, name, "")
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil, err
}
