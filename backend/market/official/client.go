// Package official reads the official registry of MCP servers, and other registries with the same API (version 0.1).
// It reads the one registry whose address is configured, and turns its entries into listings. Package mirror keeps a
// copy of a whole registry and searches it.
//
// A registry is not trusted: answers are limited in size and time, entries whose name or version is not valid are
// left out, and values of a wrong type count as missing.
package official

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

const (
	// PageSize is the maximum number of entries on a page of the registry.
	PageSize = 100
	// maxAnswer is the maximum size of an answer in bytes. 100 entries with long texts have about 1 MB.
	maxAnswer = 16 << 20
	// minSearch is the minimum number of characters in a word to search for.
	minSearch = 3
)

// Options configure a Client.
type Options struct {
	// URL is the address of the registry, such as https://registry.example.com; empty if none is configured.
	URL string
	// Proxy returns the proxy for an address; nil connects directly.
	Proxy func(*url.URL) (*url.URL, error)
	// CAs are the trusted certificate authorities; nil means those of the system.
	CAs *x509.CertPool
	// Network replaces Proxy and CAs, as in fetch.Options.
	Network func() (proxy func(*url.URL) (*url.URL, error), authorities *x509.CertPool)
}

// Client reads a registry. Its methods are safe for concurrent use. Their errors are faults that name the registry
// and say what to do.
type Client struct {
	base    *url.URL // nil if no registry is configured
	invalid error    // why the configured address cannot be used
	fetch   *fetch.Client
}

// New returns a client. If the address is missing or not valid, the methods of the client return an error, so that
// the rest of the hub works without a registry.
func New(o Options) *Client {
	c := &Client{fetch: fetch.New(fetch.Options{Source: "the MCP registry", Proxy: o.Proxy, CAs: o.CAs, Network: o.Network})}
	c.base, c.invalid = parse(o.URL)
	return c
}

// parse parses the address of a registry. It removes the path of the API, such as /v0.1/servers, which people often
// copy too.
func parse(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, fault.New(fault.Unavailable,
			"the official registry is switched off; to search it, remove market.registry_url from config.yaml, or set "+
				"market.registry_url to an address")
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Invalid,
			"market.registry_url is not the address of a registry; it must look like https://registry.example.com, without user, "+
				"password or query")
	}
	path := strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/servers", "/v0.1", "/v0"} {
		path = strings.TrimSuffix(path, end)
	}
	u.Path, u.RawPath = strings.TrimRight(path, "/"), ""
	return u, nil
}

// URL returns the address of the registry; empty if none is configured.
func (c *Client) URL() string {
	if c.base == nil {
		return ""
	}
	return c.base.String()
}

// Check returns an error if no registry is configured, or its address is not valid. It sends no request.
func (c *Client) Check() error { return c.invalid }

// Query selects entries of the registry. The zero value selects all versions of all servers that are not deleted.
type Query struct {
	Search  string    // part of the name, at least 3 characters; empty for all
	Cursor  string    // Page.Next of the page before; empty for the first page
	Limit   int       // the largest number of entries on the page; 0 means PageSize
	Latest  bool      // only the latest version of each server
	Since   time.Time // only entries that have changed since then, including deleted ones
	Deleted bool      // include deleted entries
}

// Entry is an entry of the registry: one version of a server.
type Entry struct {
	listing.Listing
	Latest bool // this is the latest version of the server
}

// Page is a page of the answer to a query.
type Page struct {
	Entries []Entry
	Next    string    // the cursor of the next page; empty on the last one
	Skipped int       // number of entries that were left out because they are not valid
	Date    time.Time // time on the registry's clock; zero if the answer does not contain it
}

// List returns a page of the entries that a query selects. It returns an error if the cursor of the next page is that
// of this page, because the caller would read the same page for ever.
func (c *Client) List(ctx context.Context, q Query) (Page, error) {
	values := url.Values{"limit": {strconv.Itoa(PageSize)}}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(min(q.Limit, PageSize)))
	}
	if q.Search != "" {
		values.Set("search", q.Search)
	}
	if q.Cursor != "" {
		values.Set("cursor", q.Cursor)
	}
	if q.Latest {
		values.Set("version", "latest")
	}
	if !q.Since.IsZero() {
		values.Set("updated_since", q.Since.UTC().Format(time.RFC3339Nano))
	} else if q.Deleted {
		values.Set("include_deleted", "true")
	}
	answer, err := c.get(ctx, "", values)
	if err != nil {
		return Page{}, err
	}
	page, ok := readPage(answer.body)
	if !ok {
		return Page{}, c.unreadable()
	}
	if page.Next != "" && page.Next == q.Cursor {
		return Page{}, fault.New(fault.Failed,
			"the registry at %s answers with the same page again and again; nothing more can be read from it. If this goes on, tell its "+
				"operator", c.base)
	}
	page.Date = answer.date
	return page, nil
}

// LatestVersion is the argument with which Version returns the latest version.
const LatestVersion = "latest"

// Version returns one version of a server, even a deleted one.
func (c *Client) Version(ctx context.Context, name, version string) (Entry, error) {
	if err := checkName(name); err != nil {
		return Entry{}, err
	}
	if !isVersion(version) {
		return Entry{}, fault.New(fault.Invalid, "invalid version; use at most %d characters without spaces", maxVersion)
	}
	answer, err := c.get(ctx, "/"+url.PathEscape(name)+"/versions/"+url.PathEscape(version), url.Values{"include_deleted": {"true"}})
	if err != nil {
		return Entry{}, c.missing(err, name, version)
	}
	entry, ok := readEntry(answer.body)
	if !ok || entry.Name != name {
		return Entry{}, c.unreadable()
	}
	return entry, nil
}

// Search returns the latest versions of at most limit servers whose names contain words of a text. Those with the
// most words come first. The registry searches names only.
func (c *Client) Search(ctx context.Context, text string, limit int) ([]listing.Listing, error) {
	words := searchable(text)
	if len(words) == 0 {
		return nil, fault.New(fault.Invalid, "search for a word of at least %d characters", minSearch)
	}
	var found []Entry
	for _, word := range words {
		page, err := c.List(ctx, Query{Search: word, Limit: limit, Latest: true})
		if err != nil {
			return nil, err
		}
		found = append(found, page.Entries...)
	}
	return mostWords(found, words, limit), nil
}

// answer is a response of the registry with status 200.
type answer struct {
	body []byte
	date time.Time
}

// get requests a path below /v0.1/servers. The caller must have escaped the path.
func (c *Client) get(ctx context.Context, path string, values url.Values) (answer, error) {
	if c.invalid != nil {
		return answer{}, c.invalid
	}
	target := c.base.String() + "/v0.1/servers" + path
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	got, err := c.fetch.Get(ctx, target, "application/json", maxAnswer)
	switch {
	case err != nil:
		return answer{}, err
	case got.Status != http.StatusOK:
		return answer{}, c.refused(got.Status, got.Body)
	case got.IsPage() || !json.Valid(got.Body):
		return answer{}, c.unreadable()
	}
	date, _ := http.ParseTime(got.Header.Get("Date")) // zero if it is missing
	return answer{got.Body, date}, nil
}

// codeMissing is the code of faults for entries that do not exist.
const codeMissing = "not_in_registry"

// refused returns the fault for a response whose status is not 200.
func (c *Client) refused(status int, body []byte) error {
	detail := ""
	if o, ok := readObject(body); ok {
		if text := safetext.Clip(safetext.Label(o.text("detail")), 200); text != "" {
			detail = ": " + text
		}
	}
	switch {
	case status == http.StatusNotFound && detail != "":
		e := fault.New(fault.NotFound, "the registry at %s has no such entry%s", c.base, detail)
		e.Code = codeMissing
		return e
	case status == http.StatusNotFound:
		return fault.New(fault.Failed, "the server at %s is not a registry of MCP servers (404); check market.registry_url in config.yaml",
			c.base)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.New(fault.Denied,
			"the registry at %s refuses requests without credentials (%d)%s; check market.registry_url in config.yaml",
			c.base, status, detail)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.Busy, "the registry at %s has had too many requests (429)%s; try again later", c.base, detail)
	case status >= 500:
		return fault.New(fault.Unavailable, "the registry at %s has a problem (%d)%s; try again later", c.base, status, detail)
	default:
		return fault.New(fault.Failed, "the registry at %s refused the request (%d)%s", c.base, status, detail)
	}
}

// missing replaces a fault with codeMissing by one that names the entry.
func (c *Client) missing(err error, name, version string) error {
	if fault.CodeOf(err) != codeMissing {
		return err
	}
	if version == LatestVersion {
		return fault.New(fault.NotFound, "the registry at %s has no server %q", c.base, name)
	}
	return fault.New(fault.NotFound, "the registry at %s has no version %q of %q", c.base, version, name)
}

func (c *Client) unreadable() error {
	return fault.New(fault.Failed,
		"the server at %s does not answer like a registry of MCP servers; check market.registry_url in config.yaml", c.base)
}
