package npm

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/readme"
	"github.com/agent-discover/agent-discover/backend/market/signs"
)

const (
	maxReadme   = 256 << 10 // bytes
	maxKeywords = 30
	// abbreviated is the media type of the short form of a package's document.
	abbreviated = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8"
)

// Release returns one release of a package. wanted is an exact version, a tag such as latest, or a series such as
// 1.x, which means its newest version; "" means the tag latest. The error is a fault.NotFound if no version matches.
func (s *Source) Release(ctx context.Context, name, wanted string) (listing.Release, error) {
	document, c, err := s.document(ctx, name, abbreviated)
	if err != nil {
		return listing.Release{}, err
	}
	c.http.Close()
	version, manifest := find(document, cmp.Or(wanted, "latest"))
	if manifest == nil {
		return listing.Release{}, noVersion(name, wanted)
	}
	r := listing.Release{Version: version, Requires: manifest.Object("engines").Text("node"), Deprecated: deprecation(manifest)}
	if programs := bins(manifest, name); !startable(manifest, name, programs) {
		r.Program = signs.Program(programs)
	}
	return r, nil
}

// Registry returns the address of the registry for a package, without credentials.
func (s *Source) Registry(ctx context.Context, name string) (string, error) {
	c, err := s.connect(ctx, name)
	if err != nil {
		return "", err
	}
	c.http.Close()
	u, err := url.Parse(c.base)
	if err != nil {
		return "", err
	}
	u.User = nil
	return u.String(), nil
}

// Get returns the latest version of a package with its README and the inputs that the README mentions. Packages is
// empty if the package has no program, or if it is not known which of its programs to start.
func (s *Source) Get(ctx context.Context, name string) (listing.Details, error) {
	document, c, err := s.document(ctx, name, "application/json")
	if fault.CodeOf(err) == fault.CodeTooLarge { // the document has all versions; the manifest of the latest one is enough
		return s.getManifest(ctx, name)
	}
	if err != nil {
		return listing.Details{}, err
	}
	c.http.Close()
	version, manifest := find(document, "latest")
	if manifest == nil {
		return listing.Details{}, noVersion(name, "")
	}
	d, ok := readManifest(manifest, name)
	if !ok || d.Version != version {
		return listing.Details{}, noVersion(name, "")
	}
	times := document.Object("time")
	d.Published, d.Updated = firstPublished(times), times.Time(version)
	d.Readme = safetext.Prefix(cmp.Or(fetch.Whole(document["readme"]), fetch.Whole(manifest["readme"])), maxReadme)
	if len(d.Packages) > 0 {
		inputs := readme.Read(d.Readme, name)
		d.Packages[0].Env, d.Packages[0].Arguments = inputs.Env, inputs.Arguments
	}
	return d, nil
}

// Origin returns where an exact version of a package comes from.
func (s *Source) Origin(ctx context.Context, name, version string) (listing.Origin, error) {
	document, c, err := s.document(ctx, name, "application/json")
	if fault.CodeOf(err) == fault.CodeTooLarge {
		return s.manifestOrigin(ctx, name, version)
	}
	if err != nil {
		return listing.Origin{}, err
	}
	c.http.Close()
	manifest := document.Object("versions").Object(version)
	if manifest == nil {
		return listing.Origin{}, noVersion(name, version)
	}
	times := document.Object("time")
	o := listing.Origin{
		Published: times.Time(version), First: firstPublished(times), Author: author(manifest), Deprecated: deprecation(manifest),
	}
	for _, owners := range []fetch.Object{document, manifest} {
		if o.Publishers = maintainers(owners); len(o.Publishers) > 0 {
			break
		}
	}
	return o, nil
}

// manifestOrigin is Origin for a package whose document is too large. The times are not known.
func (s *Source) manifestOrigin(ctx context.Context, name, version string) (listing.Origin, error) {
	manifest, err := s.versionManifest(ctx, name, version)
	if err != nil {
		return listing.Origin{}, err
	}
	return listing.Origin{Publishers: maintainers(manifest), Author: author(manifest), Deprecated: deprecation(manifest)}, nil
}

// InstallScripts returns the commands that npm runs when it installs a version of a package, in their order.
func (s *Source) InstallScripts(ctx context.Context, name, version string) ([]string, error) {
	manifest, err := s.versionManifest(ctx, name, version)
	if err != nil {
		return nil, err
	}
	var commands []string
	scripts := manifest.Object("scripts")
	for _, event := range []string{"preinstall", "install", "postinstall"} {
		if command := scripts.Text(event); command != "" {
			commands = append(commands, command)
		}
	}
	if scripts.Text("install") == "" && scripts.Text("preinstall") == "" && string(manifest["gypfile"]) == "true" {
		commands = append([]string{"node-gyp rebuild"}, commands...) // npm's default for packages with a binding.gyp
	}
	return commands, nil
}

// versionManifest returns the manifest of an exact version.
func (s *Source) versionManifest(ctx context.Context, name, version string) (fetch.Object, error) {
	if !ValidName(name) || !validVersion.MatchString(version) {
		return nil, noVersion(name, version)
	}
	c, err := s.connect(ctx, name)
	if err != nil {
		return nil, err
	}
	defer c.http.Close()
	manifest, err := c.manifest(ctx, name, version)
	if err == nil && (manifest.Exact("name") != name || manifest.Exact("version") != version) {
		err = noVersion(name, version)
	}
	return manifest, err
}

// maintainers returns the names of the accounts that may publish a package.
func maintainers(o fetch.Object) (names []string) {
	for _, m := range o.Objects("maintainers") {
		if name := m.Text("name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// author returns the author that a manifest names, without addresses.
func author(m fetch.Object) string {
	name := cmp.Or(m.Object("author").Text("name"), m.Text("author"))
	name, _, _ = strings.Cut(name, "<")
	return strings.TrimSpace(name)
}

// firstPublished returns the time of the first version. Some registries do not say when a package was created.
func firstPublished(times fetch.Object) time.Time {
	first := times.Time("created")
	for version := range times {
		if at := times.Time(version); version != "modified" && !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

func (s *Source) getManifest(ctx context.Context, name string) (listing.Details, error) {
	c, err := s.connect(ctx, name)
	if err != nil {
		return listing.Details{}, err
	}
	defer c.http.Close()
	manifest, err := c.manifest(ctx, name, "latest")
	if err != nil {
		return listing.Details{}, err
	}
	d, ok := readManifest(manifest, name)
	if !ok {
		return listing.Details{}, noVersion(name, "")
	}
	return d, nil
}

func noVersion(name, wanted string) error {
	if wanted != "" {
		return fault.New(fault.NotFound, "the npm package %s has no version %s", name, safetext.Clip(safetext.Visible(wanted), 100))
	}
	return fault.New(fault.NotFound, "the npm package %s has no published version", name)
}

// document downloads the document of a package.
func (s *Source) document(ctx context.Context, name, accept string) (fetch.Object, *connection, error) {
	if !ValidName(name) {
		return nil, nil, fault.New(fault.Invalid, "“%s” is not the name of an npm package", safetext.Clip(safetext.Visible(name), 100))
	}
	c, err := s.connect(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	var document fetch.Object
	err = c.http.JSON(ctx, c.address(name), accept, maxDocument, &document)
	if err != nil && fault.KindOf(err) == fault.NotFound {
		err = fault.Wrap(err, fault.NotFound, "npm has no package named %s", name)
	}
	if err == nil && document["versions"] == nil {
		err = noVersion(name, "")
	}
	return document, c, err
}

// find returns a version and its manifest, which is nil if there is no such version. wanted selects the version as
// it does in Release.
func find(document fetch.Object, wanted string) (version string, manifest fetch.Object) {
	versions := document.Object("versions")
	version = wanted
	if tagged := document.Object("dist-tags").Exact(wanted); tagged != "" {
		version = tagged
	} else if prefix, ok := strings.CutSuffix(strings.ToLower(wanted), ".x"); ok {
		version = newest(versions, strings.TrimSuffix(prefix, ".x")+".")
	}
	if !validVersion.MatchString(version) {
		return "", nil
	}
	return version, versions.Object(version)
}

// newest returns the highest version that begins with prefix and is not a pre-release, and "" if there is none.
func newest(versions fetch.Object, prefix string) string {
	best, numbers := "", []int(nil)
	for version := range versions {
		if !strings.HasPrefix(version, prefix) || !validVersion.MatchString(version) || strings.ContainsAny(version, "-+") {
			continue
		}
		var own []int
		for part := range strings.SplitSeq(version, ".") {
			n, _ := strconv.Atoi(part) // a number out of range becomes the largest int
			own = append(own, n)
		}
		if best == "" || slices.Compare(own, numbers) > 0 {
			best, numbers = version, own
		}
	}
	return best
}

// readManifest reads the manifest of a version. It returns false if the manifest is invalid or belongs to another
// package.
func readManifest(m fetch.Object, name string) (listing.Details, bool) {
	version := m.Exact("version")
	if m.Exact("name") != name || !ValidName(name) || !validVersion.MatchString(version) {
		return listing.Details{}, false
	}
	d := listing.Details{Listing: describe(m, name, version)}
	d.License = license(m)
	repository := cmp.Or(m.Text("repository"), m.Object("repository").Text("url"))
	if strings.Count(repository, "/") == 1 && !strings.Contains(repository, ":") { // the short form user/name
		repository = "github:" + repository
	}
	d.Repository = cmp.Or(fetch.Web(repository), d.Repository)
	d.Website = cmp.Or(fetch.Web(m.Text("homepage")), d.Website)
	if message := deprecation(m); message != "" {
		d.Status, d.Message = listing.Deprecated, message
	}
	programs := bins(m, name)
	d.Server, d.Signs = signs.Server(signs.Facts{
		Name: name, Description: d.Description, Keywords: d.Keywords, Programs: programs, Complete: true, Declared: m.Text("mcpName"),
		Dependencies: slices.Sorted(maps.Keys(m.Object("dependencies"))),
	})
	p := launch(name, version)
	p.Requires = m.Object("engines").Text("node")
	if !startable(m, name, programs) {
		p.Program = signs.Program(programs)
	}
	if p.Program != "" || startable(m, name, programs) {
		d.Packages = []listing.Package{p}
	}
	return d, true
}

// readResult reads a result of a search. It returns false for packages that are not servers.
func readResult(o fetch.Object) (listing.Listing, bool) {
	p := o.Object("package")
	name, version := p.Exact("name"), p.Exact("version")
	if !ValidName(name) || !validVersion.MatchString(version) {
		return listing.Listing{}, false
	}
	l := describe(p, name, version)
	if ok, _ := signs.Server(signs.Facts{Name: name, Description: l.Description, Keywords: l.Keywords}); !ok {
		return listing.Listing{}, false
	}
	links := p.Object("links")
	l.Repository, l.Website = fetch.Web(links.Text("repository")), fetch.Web(links.Text("homepage"))
	l.License = license(p)
	l.Updated = p.Time("date")
	if l.Downloads = o.Object("downloads").Number("monthly"); l.Downloads == 0 {
		l.Downloads = p.Object("downloads").Number("monthly")
	}
	for _, flags := range []fetch.Object{o.Object("flags"), p} {
		if message := deprecation(flags); message != "" {
			l.Status, l.Message = listing.Deprecated, message
		}
	}
	l.Packages = []listing.Package{launch(name, version)}
	return l, true
}

func describe(o fetch.Object, name, version string) listing.Listing {
	return listing.Listing{
		Source: listing.NPM, Name: name, Version: version, Description: o.Text("description"), Status: listing.Active,
		Keywords: o.Texts("keywords", maxKeywords),
	}
}

func launch(name, version string) listing.Package {
	return listing.Package{
		Kind: listing.KindNPM, Identifier: name, Version: version, Runtime: "npx", Transport: listing.Remote{Type: "stdio"},
	}
}

// license returns the license. Old packages use an object, or a list of objects, instead of a string.
func license(o fetch.Object) string {
	if l := o.Text("license"); l != "" {
		return l
	}
	if l := o.Object("license").Text("type"); l != "" {
		return l
	}
	var all []string
	for _, l := range o.Objects("licenses") {
		if kind := l.Text("type"); kind != "" {
			all = append(all, kind)
		}
	}
	return strings.Join(all, " OR ")
}

// deprecation returns the publisher's message, and "" for a package that is not deprecated. Some registries send true
// instead of a message.
func deprecation(o fetch.Object) string {
	if message := o.Text("deprecated"); message != "" {
		return message
	}
	if string(o["deprecated"]) == "true" {
		return "The publisher has marked this version as deprecated."
	}
	return ""
}

// bins returns the names of the programs that a package installs.
func bins(m fetch.Object, name string) []string {
	if m.Text("bin") != "" {
		return []string{path.Base(name)}
	}
	return slices.Sorted(maps.Keys(m.Object("bin")))
}

// startable reports whether npx knows which program of a package to start: the only one, or the one with the name of
// the package.
func startable(m fetch.Object, name string, programs []string) bool {
	targets := make(map[string]bool)
	for program := range m.Object("bin") {
		targets[m.Object("bin").Text(program)] = true
	}
	return len(programs) == 1 || len(programs) > 0 && len(targets) == 1 || slices.Contains(programs, path.Base(name))
}
