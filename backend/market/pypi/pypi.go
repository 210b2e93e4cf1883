// Package pypi finds MCP servers on the Python Package Index, or on the index that the user's uv and pip are
// configured for. An index has no search, so this package searches a list of well-known servers, and finds other
// packages by their exact name. Address, credentials, proxy and certificates come from the settings of uv and pip; no
// address is built in. Answers of an index are not trusted: names and versions that pip would not accept are left
// out, and texts are only for display.
package pypi

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

const (
	askTime    = 20 * time.Second
	currentFor = time.Hour       // how long an answer of the index is reused
	enrichTime = 4 * time.Second // how long a search waits for versions and licenses
	maxEnrich  = 12              // packages of a search to look up in the index
)

// Options are the dependencies of a Source.
type Options struct {
	Environment func(ctx context.Context) process.Env
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Source searches well-known servers on PyPI. Its methods may be called concurrently.
type Source struct {
	options Options
	// fallback holds the index that uv or pip uses by default, or "" until one of them has been asked for it. A
	// search that asks them empties the channel, so that others wait for the answer.
	fallback chan string

	mu    sync.Mutex
	known map[string]known // keys are normalized names
}

// known is a remembered answer of the index.
type known struct {
	at      time.Time
	listing listing.Listing
}

// New returns a source.
func New(o Options) *Source {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Source{options: o, fallback: make(chan string, 1), known: make(map[string]known)}
	s.fallback <- ""
	return s
}

// Name returns the name of the source.
func (s *Source) Name() string { return listing.PyPI }

var validName = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// isName reports whether a text is the name of a package.
func isName(name string) bool { return len(name) <= 200 && validName.MatchString(name) }

// Search returns at most limit servers that match a text: well-known ones, and the package with exactly this name if
// it is a server. An empty text matches all well-known servers. If the index cannot be reached for versions, Search
// returns listings together with an error.
func (s *Source) Search(ctx context.Context, text string, limit int) ([]listing.Listing, error) {
	text = strings.Join(strings.Fields(text), " ")
	var known []listing.Listing
	for _, name := range slices.Sorted(maps.Keys(curated)) {
		known = append(known, curated[name])
	}
	found := listing.Fitting(known, text)
	if isName(text) && strings.ContainsAny(text, "-_.") &&
		!slices.ContainsFunc(found, func(l listing.Listing) bool { return l.Name == Normalize(text) }) {
		found = append([]listing.Listing{{Name: Normalize(text)}}, found...)
	}
	found = found[:min(len(found), limit)]
	err := s.enrich(ctx, found[:min(len(found), maxEnrich)])
	found = slices.DeleteFunc(found, func(l listing.Listing) bool { return l.Source == "" }) // no such server
	return found, err
}

// enrich completes listings with facts from the index. It requests them concurrently.
func (s *Source) enrich(ctx context.Context, found []listing.Listing) error {
	missing := false
	for i := range found {
		missing = !s.complete(&found[i]) || missing
	}
	if !missing {
		return nil
	}
	c, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer c.http.Close()
	ctx, cancel := context.WithTimeout(ctx, enrichTime)
	defer cancel()
	failures := make([]error, len(found))
	var group sync.WaitGroup
	for i := range found {
		group.Go(func() {
			if !s.complete(&found[i]) {
				failures[i] = s.learn(ctx, c, &found[i])
			}
		})
	}
	group.Wait()
	for _, err := range failures {
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	return nil
}

// learn looks up one listing in the index and remembers the answer.
func (s *Source) learn(ctx context.Context, c *connection, l *listing.Listing) error {
	p, err := c.find(ctx, l.Name, "")
	if err != nil {
		return err
	}
	p.finish(nil)
	if !p.Server && l.Source == "" {
		return nil
	}
	s.mu.Lock()
	s.known[l.Name] = known{s.options.Now(), p.Listing}
	s.mu.Unlock()
	s.complete(l)
	return nil
}

// complete completes a listing with a recent answer of the index, and reports whether there was one.
func (s *Source) complete(l *listing.Listing) bool {
	s.mu.Lock()
	k, ok := s.known[l.Name]
	s.mu.Unlock()
	if !ok || s.options.Now().Sub(k.at) > currentFor {
		return false
	}
	*l = combine(*l, k.listing)
	return true
}

// combine returns the listing found in the index. If own is a well-known server, its inputs and texts are kept.
func combine(own, found listing.Listing) listing.Listing {
	if own.Source == "" {
		return found
	}
	out := found
	out.Title, out.Description, out.Keywords = own.Title, own.Description, own.Keywords
	out.Packages = slices.Clone(own.Packages)
	if len(out.Packages) > 0 && len(found.Packages) > 0 {
		out.Packages[0].Version, out.Packages[0].Requires = found.Packages[0].Version, found.Packages[0].Requires
	}
	return out
}

// Get returns the latest version of a package with its README and its inputs. The inputs come from the list of
// well-known servers, otherwise from the README. Packages is empty if it is not known which of the package's programs
// to start.
func (s *Source) Get(ctx context.Context, name string) (listing.Details, error) {
	p, err := s.get(ctx, name, "")
	if err != nil {
		return listing.Details{}, err
	}
	if own, ok := curated[p.Name]; ok {
		p.Listing = combine(own, p.Listing)
		p.Server, p.Signs = true, append(p.Signs, "is on the list of well-known servers")
	}
	return p.Details, nil
}

// Release returns a version of a package; "" and "latest" mean the latest version.
func (s *Source) Release(ctx context.Context, name, version string) (listing.Release, error) {
	if version == "latest" {
		version = ""
	}
	if version != "" && !anyVersion.MatchString(version) {
		return listing.Release{}, fault.New(fault.Invalid, "“%s” is not a version of a Python package",
			safetext.Clip(safetext.Visible(version), 100))
	}
	p, err := s.get(ctx, name, version)
	if err != nil {
		return listing.Release{}, err
	}
	r := listing.Release{Version: p.Version, Deprecated: p.Message}
	if len(p.Packages) > 0 {
		r.Program, r.Requires = p.Packages[0].Program, p.Packages[0].Requires
	}
	return r, nil
}

// Origin returns where an exact version of a package comes from.
func (s *Source) Origin(ctx context.Context, name, version string) (listing.Origin, error) {
	if !isName(name) || !anyVersion.MatchString(version) {
		return listing.Origin{}, fault.New(fault.Invalid, "“%s %s” is not a version of a Python package",
			safetext.Clip(safetext.Visible(name), 100), safetext.Clip(safetext.Visible(version), 100))
	}
	c, err := s.connect(ctx)
	if err != nil {
		return listing.Origin{}, err
	}
	defer c.http.Close()
	p, err := c.find(ctx, name, version)
	if err != nil {
		return listing.Origin{}, err
	}
	o := listing.Origin{
		Published: p.Updated, First: p.Published, Publishers: p.publishers, Author: p.author, Deprecated: p.Message, Known: p.known,
	}
	// The document of a single version does not tell when the others were published.
	if all, err := c.find(ctx, name, ""); err == nil && !all.Published.IsZero() {
		o.First = all.Published
	}
	return o, nil
}

func (s *Source) get(ctx context.Context, name, version string) (project, error) {
	if !isName(name) {
		return project{}, fault.New(fault.Invalid, "“%s” is not the name of a Python package", safetext.Clip(safetext.Visible(name), 100))
	}
	c, err := s.connect(ctx)
	if err != nil {
		return project{}, err
	}
	defer c.http.Close()
	p, err := c.find(ctx, name, version)
	if err != nil {
		return project{}, err
	}
	p.finish(c.programs(ctx, &p))
	return p, nil
}

// Index returns the address, without credentials, of the last index in the order of precedence. Packages usually come
// from this one.
func (s *Source) Index(ctx context.Context) (string, error) {
	c, err := s.connect(ctx)
	if err != nil {
		return "", err
	}
	c.http.Close()
	return withoutUser(c.settings.indexes[len(c.settings.indexes)-1].url).String(), nil
}

// connection is a client for the package indexes, together with the settings that it uses.
type connection struct {
	http     *fetch.Client
	settings *settings
}

// connect reads the settings, which may have changed since the last search.
func (s *Source) connect(ctx context.Context) (*connection, error) {
	env := s.options.Environment(ctx)
	settings, err := readSettings(env)
	if err != nil {
		return nil, err
	}
	if len(settings.indexes) == 0 {
		address, err := s.ask(ctx, env)
		if err != nil {
			return nil, err
		}
		i, err := parseIndex(address)
		if err != nil {
			return nil, err
		}
		settings.indexes = []index{i}
	}
	options, err := settings.options()
	if err != nil {
		return nil, err
	}
	return &connection{fetch.New(options), settings}, nil
}

// questions are the commands whose help text contains the default index.
var questions = [][]string{
	{"uvx", "--help"}, {"pip", "install", "--help"}, {"pip3", "install", "--help"}, {"python3", "-m", "pip", "install", "--help"},
}

// standard matches the default index in the help text of uv or pip.
var standard = lazyregexp.New(`\((?:by default:|default:?) ?<?(https?://[^>)\s]+)>?\)`)

// ask returns the index that uv or pip uses if no setting names one. It runs them once and remembers the answer.
func (s *Source) ask(ctx context.Context, env process.Env) (address string, err error) {
	select {
	case address = <-s.fallback:
		defer func() { s.fallback <- address }()
	case <-ctx.Done():
		return "", fault.Wrap(ctx.Err(), fault.Timeout, "uv and pip did not say in time which package index they use")
	}
	if address != "" {
		return address, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, question := range questions {
		command, err := program.Command(ctx, env, question[0], question[1:]...)
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		command.Dir, command.WaitDelay = env.Home(), time.Second
		out, _ := command.Output() // the output of a failed command contains no index
		if m := standard.FindStringSubmatch(strings.Join(strings.Fields(string(out)), " ")); m != nil {
			return m[1], nil
		}
	}
	return "", fault.New(fault.Unavailable,
		"no setting of uv or pip names a package index, and neither is installed; install uv, or set UV_DEFAULT_INDEX")
}
