// Package npm finds MCP servers in the registry that the user's npm is configured for. Address, credentials, proxy
// and certificates come from npm's own settings; no address is built in. Answers of a registry are not trusted: names
// and versions that npm would not accept are left out, and texts are only for display.
package npm

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

const (
	maxSearch   = 4 << 20  // bytes of an answer to a search
	maxDocument = 24 << 20 // bytes of the document of a package, which has all its versions
	maxManifest = 2 << 20  // bytes of the document of one version
	maxResults  = 100      // of a query
	askTime     = 20 * time.Second
)

// Options are the dependencies of a Source.
type Options struct {
	Environment func(ctx context.Context) process.Env
	// Project is a folder whose .npmrc applies, or "".
	Project string
}

// Source searches npm. Its methods may be called concurrently.
type Source struct {
	options Options
	// fallback holds the registry that npm uses by default, or "" until npm has been asked for it. A search that asks
	// npm empties the channel, so that others wait for the answer.
	fallback chan string
}

// New returns a source.
func New(o Options) *Source {
	s := &Source{options: o, fallback: make(chan string, 1)}
	s.fallback <- ""
	return s
}

// Name returns the name of the source.
func (s *Source) Name() string { return listing.NPM }

var (
	validName    = regexp.MustCompile(`^(?:@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)
	validVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]*)?$`)
)

// ValidName reports whether name is a valid package name, such as left-pad or @scope/name. Names that look like
// options are not valid.
func ValidName(name string) bool {
	return len(name) <= 214 && validName.MatchString(name) && !strings.HasPrefix(name, "-") && !strings.Contains(name, "/-")
}

// Search returns at most limit servers that match a text: those that npm finds, and well-known ones. If npm cannot be
// searched, it returns the well-known ones together with an error.
func (s *Source) Search(ctx context.Context, text string, limit int) ([]listing.Listing, error) {
	text = strings.Join(strings.Fields(text), " ")
	found, err := s.find(ctx, text, limit)
	for _, l := range listing.Fitting(curated, text) {
		same := func(other listing.Listing) bool { return other.Name == l.Name }
		if text != "" && len(found) < limit && !slices.ContainsFunc(found, same) {
			found = append(found, l)
		}
	}
	return found, err
}

// find returns at most limit servers that npm finds for a text. It searches by keyword and by word. If the text is
// the name of a package, it also looks that package up. It fails only if all searches fail.
func (s *Source) find(ctx context.Context, text string, limit int) ([]listing.Listing, error) {
	scope, _, _ := strings.Cut(text, "/")
	if !strings.HasPrefix(text, "@") || strings.Contains(scope, " ") {
		scope = ""
	}
	c, err := s.connect(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer c.http.Close()
	searches := []func() ([]listing.Listing, error){}
	for _, query := range queries(text) {
		searches = append(searches, func() ([]listing.Listing, error) { return c.search(ctx, query, min(limit, maxResults)) })
	}
	if ValidName(text) && strings.ContainsAny(text, "/-") {
		searches = append(searches, func() ([]listing.Listing, error) { return c.lookUp(ctx, text) })
	}
	return merge(searches, limit)
}

// queries returns the queries for a text.
func queries(text string) []string {
	all := []string{
		strings.TrimSpace(text + " keywords:mcp-server"),
		strings.TrimSpace(text + " keywords:mcp"),
	}
	if text != "" {
		all = append(all, text+" mcp")
	}
	return all
}

// merge runs searches at the same time and merges their results: the first of each search, then the second of each,
// without duplicates.
func merge(searches []func() ([]listing.Listing, error), limit int) ([]listing.Listing, error) {
	found, failures := make([][]listing.Listing, len(searches)), make([]error, len(searches))
	var group sync.WaitGroup
	for i, search := range searches {
		group.Go(func() { found[i], failures[i] = search() })
	}
	group.Wait()
	if !slices.Contains(failures, nil) {
		return nil, failures[0]
	}
	var out []listing.Listing
	seen := make(map[string]bool)
	for rank := 0; len(out) < limit; rank++ {
		more := false
		for _, list := range found {
			if rank >= len(list) {
				continue
			}
			more = true
			if l := list[rank]; !seen[l.Name] && len(out) < limit {
				seen[l.Name] = true
				out = append(out, l)
			}
		}
		if !more {
			break
		}
	}
	return out, nil
}

// connection is a client for one registry and the address of that registry.
type connection struct {
	http *fetch.Client
	base string
}

// connect reads npm's settings, which may have changed since the last search, and returns a connection to the
// registry for a package or scope.
func (s *Source) connect(ctx context.Context, name string) (*connection, error) {
	env := s.options.Environment(ctx)
	settings, err := readSettings(env, s.options.Project)
	if err != nil {
		return nil, err
	}
	base, err := settings.registry(name)
	if err != nil {
		return nil, err
	}
	if base == "" {
		if base, err = s.ask(ctx, env); err != nil {
			return nil, err
		}
	}
	options, err := settings.options()
	if err != nil {
		return nil, err
	}
	return &connection{fetch.New(options), base}, nil
}

// ask returns the registry that npm uses if no setting names one. It runs npm once and remembers the answer.
func (s *Source) ask(ctx context.Context, env process.Env) (base string, err error) {
	select {
	case base = <-s.fallback:
		defer func() { s.fallback <- base }()
	case <-ctx.Done():
		return "", fault.Wrap(ctx.Err(), fault.Timeout, "npm did not say in time which registry it uses")
	}
	if base != "" {
		return base, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	command, err := program.Command(ctx, env, "npm", "config", "get", "registry")
	if errors.Is(err, exec.ErrNotFound) {
		return "", fault.New(fault.Unavailable,
			"npm is not installed, and no setting of npm names a registry; install Node.js to search npm")
	}
	if err != nil {
		return "", err
	}
	command.Dir, command.WaitDelay = env.Home(), time.Second
	out, err := command.Output()
	if err != nil {
		return "", fault.Wrap(cmp.Or(ctx.Err(), err), fault.Unavailable,
			"npm did not say which registry it uses; run: npm config get registry")
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return checkAddress(lines[len(lines)-1])
}

// search sends one query.
func (c *connection) search(ctx context.Context, query string, limit int) ([]listing.Listing, error) {
	parameters := url.Values{"text": {query}, "size": {strconv.Itoa(limit)}}
	var answer fetch.Object
	if err := c.http.JSON(ctx, c.base+"/-/v1/search?"+parameters.Encode(), "application/json", maxSearch, &answer); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return nil, fault.Wrap(err, fault.Failed, "the npm registry in use offers no search; enter the exact name of a package")
		}
		return nil, err
	}
	if answer["objects"] == nil {
		return nil, fault.New(fault.Failed, "the npm registry in use sent an answer that is not a search result")
	}
	var out []listing.Listing
	for _, o := range answer.Objects("objects") {
		if l, ok := readResult(o); ok {
			out = append(out, l)
		}
	}
	return out, nil
}

// lookUp returns the latest version of a package if it is a server.
func (c *connection) lookUp(ctx context.Context, name string) ([]listing.Listing, error) {
	manifest, err := c.manifest(ctx, name, "latest")
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, ok := readManifest(manifest, name)
	if !ok || !d.Server {
		return nil, nil
	}
	return []listing.Listing{d.Listing}, nil
}

// address returns the address of a package.
func (c *connection) address(name string) string {
	return c.base + "/" + url.PathEscape(name)
}

// manifest returns the document of a version of a package, or of the version with a tag.
func (c *connection) manifest(ctx context.Context, name, version string) (fetch.Object, error) {
	var manifest fetch.Object
	err := c.http.JSON(ctx, c.address(name)+"/"+version, "application/json", maxManifest, &manifest)
	return manifest, err
}
