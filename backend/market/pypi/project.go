package pypi

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/readme"
	"github.com/agent-discover/agent-discover/backend/market/signs"
)

const (
	maxDocument = 24 << 20  // bytes of the document of a project, which lists all its files
	maxMetadata = 2 << 20   // bytes of the metadata of one file
	maxReadme   = 256 << 10 // bytes
	maxKeywords = 30
	simpleJSON  = "application/vnd.pypi.simple.v1+json"
)

// project is the description of a package by an index.
type project struct {
	listing.Details
	wheel        string // URL of the wheel of the version; "" if it has none
	wheelSize    int64
	dependencies []string
	publishers   []string // accounts that may upload files
	author       string
	known        []string // identifiers of vulnerabilities
}

// find looks up a version of a package in one index after the other; "" means the latest version.
func (c *connection) find(ctx context.Context, name, version string) (project, error) {
	var failure error
	for _, i := range c.settings.indexes {
		p, err := c.findIn(ctx, i.url, name, version)
		if err == nil {
			return p, nil
		}
		if failure == nil || fault.KindOf(failure) == fault.NotFound {
			failure = err
		}
	}
	if failure != nil && fault.KindOf(failure) == fault.NotFound {
		return project{}, fault.Wrap(failure, fault.NotFound, "PyPI has no package named %s",
			strings.TrimSuffix(name+" with version "+version, " with version "))
	}
	return project{}, failure
}

// findIn looks up a package in one index. If the path of the index ends with /simple or /+simple, findIn reads the
// JSON document of the package as PyPI offers it. If there is none, it reads the simple index in JSON.
func (c *connection) findIn(ctx context.Context, index *url.URL, name, version string) (project, error) {
	index = withoutUser(index)
	for _, end := range []string{"/simple", "/+simple"} {
		root, ok := strings.CutSuffix(index.Path, end)
		if !ok {
			continue
		}
		at := *index
		at.Path = root
		var document fetch.Object
		err := c.http.JSON(ctx, at.JoinPath("pypi", name, version, "json").String(), "application/json", maxDocument, &document)
		if err == nil && document["info"] != nil {
			return readDocument(document, name, version)
		}
		if err != nil && fault.KindOf(err) != fault.NotFound && fault.KindOf(err) != fault.Failed {
			return project{}, err // the simple index could not be reached either
		}
	}
	return c.simple(ctx, index, name, version)
}

func withoutUser(u *url.URL) *url.URL {
	out := *u
	out.User = nil
	return &out
}

// readDocument reads the JSON document of a package.
func readDocument(document fetch.Object, name, wanted string) (project, error) {
	info := document.Object("info")
	version := info.Exact("version")
	if Normalize(info.Exact("name")) != Normalize(name) || !anyVersion.MatchString(version) || wanted != "" && wanted != version {
		return project{}, fault.New(fault.Failed, "PyPI sent the document of another package than %s", name)
	}
	p := project{Details: listing.Details{Listing: describe(Normalize(name), version, info.Text("summary"))}}
	p.License = cmp.Or(info.Text("license_expression"), shortLicense(info.Text("license")), classified(info.Texts("classifiers", 100)))
	p.Readme = safetext.Prefix(fetch.Whole(info["description"]), maxReadme)
	p.Keywords = keywords(info.Text("keywords"))
	p.Packages[0].Requires = info.Text("requires_python")
	p.dependencies = dependencies(info.Texts("requires_dist", 500))
	p.author = cmp.Or(info.Text("author"), info.Text("maintainer"))
	p.publishers = publishers(document.Object("ownership"))
	for _, v := range document.Objects("vulnerabilities") {
		if id := v.Text("id"); id != "" && v.Text("withdrawn") == "" {
			p.known = append(p.known, id)
		}
	}
	urls := info.Object("project_urls")
	links := make(map[string]string)
	for label := range urls {
		links[label] = urls.Text(label)
	}
	p.link(links, info.Text("home_page"))
	if string(info["yanked"]) == "true" {
		p.Status, p.Message = listing.Deprecated, cmp.Or(info.Text("yanked_reason"), "The publisher has withdrawn this version.")
	}
	for _, file := range document.Objects("urls") {
		if at := file.Time("upload_time_iso_8601"); p.Updated.IsZero() || !at.IsZero() && at.Before(p.Updated) {
			p.Updated = at
		}
		if address := file.Exact("url"); file.Text("packagetype") == "bdist_wheel" && p.wheel == "" && strings.HasPrefix(address, "http") {
			p.wheel, p.wheelSize = address, file.Number("size")
		}
	}
	p.Published = firstUpload(document.Object("releases"), p.Updated)
	return p, nil
}

// publishers returns the organization and the accounts that may upload files of a package.
func publishers(ownership fetch.Object) (names []string) {
	if organization := ownership.Text("organization"); organization != "" {
		names = append(names, organization)
	}
	for _, role := range ownership.Objects("roles") {
		if user := role.Text("user"); user != "" {
			names = append(names, user)
		}
	}
	return names
}

// firstUpload returns the time of the first upload of any version.
func firstUpload(releases fetch.Object, first time.Time) time.Time {
	for version := range releases {
		for _, file := range releases.Objects(version) {
			if at := file.Time("upload_time_iso_8601"); !at.IsZero() && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
	}
	return first
}

// simple reads a package from the simple index in JSON (PEP 691), and its metadata from the file beside the wheel
// (PEP 658) if the index has it.
func (c *connection) simple(ctx context.Context, index *url.URL, name, version string) (project, error) {
	page := index.JoinPath(Normalize(name)).String() + "/"
	var document fetch.Object
	if err := c.http.JSON(ctx, page, simpleJSON, maxDocument, &document); err != nil {
		return project{}, err
	}
	if document["files"] == nil {
		return project{}, fault.New(fault.Failed, "the package index in use offers no JSON, so nothing is known of %s", name)
	}
	files := make(map[string][]fetch.Object) // by version
	var first time.Time
	for _, file := range document.Objects("files") {
		of := versionOf(file.Exact("filename"), name)
		if of == "" || file["yanked"] != nil && string(file["yanked"]) != "false" {
			continue
		}
		files[of] = append(files[of], file)
		if at := file.Time("upload-time"); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if version == "" {
		version = newest(slices.Collect(maps.Keys(files)))
	}
	if len(files[version]) == 0 {
		return project{}, fault.New(fault.NotFound, "PyPI has no such version of %s", name)
	}
	p := project{Details: listing.Details{Listing: describe(Normalize(name), version, "")}}
	p.Published = first
	base, err := url.Parse(page)
	if err != nil {
		return project{}, err
	}
	for _, file := range files[version] {
		p.Updated = cmp.Or(p.Updated, file.Time("upload-time"))
		p.Packages[0].Requires = cmp.Or(p.Packages[0].Requires, file.Text("requires-python"))
		address, err := base.Parse(file.Exact("url"))
		if err != nil || !strings.HasSuffix(address.Path, ".whl") || p.wheel != "" {
			continue
		}
		address.Fragment = ""
		p.wheel, p.wheelSize = address.String(), file.Number("size")
		if file["core-metadata"] == nil && file["dist-info-metadata"] == nil {
			continue
		}
		address.Path += ".metadata"
		if data, err := c.http.Bytes(ctx, address.String(), "*/*", maxMetadata); err == nil {
			p.readMetadata(data)
		}
	}
	return p, nil
}

// distribution matches the name of a distribution file, with the name and version of its package.
var distribution = lazyregexp.New(`^([A-Za-z0-9._-]+?)-([0-9][0-9A-Za-z.!+_]*)(?:-.*\.whl|\.tar\.gz|\.zip)$`)

// versionOf returns the version in the name of a distribution file, and "" if the file belongs to another package.
func versionOf(file, name string) string {
	m := distribution.FindStringSubmatch(file)
	if m == nil || Normalize(m[1]) != Normalize(name) {
		return ""
	}
	return m[2]
}

// readMetadata reads the METADATA of a wheel, which are headers followed by the README.
func (p *project) readMetadata(data []byte) {
	r := bufio.NewReader(bytes.NewReader(data))
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return
	}
	rest, _ := io.ReadAll(r) // reading from memory cannot fail
	line := func(name string) string { return safetext.Clip(safetext.Label(header.Get(name)), 2000) }
	p.Description = line("Summary")
	p.License = cmp.Or(line("License-Expression"), shortLicense(line("License")), classified(header["Classifier"]))
	p.Readme = safetext.Prefix(cmp.Or(string(rest), header.Get("Description")), maxReadme)
	p.author = cmp.Or(line("Author"), line("Maintainer"))
	p.Keywords = keywords(line("Keywords"))
	p.Packages[0].Requires = cmp.Or(p.Packages[0].Requires, line("Requires-Python"))
	p.dependencies = dependencies(header["Requires-Dist"])
	links := make(map[string]string)
	for _, entry := range header["Project-Url"] {
		label, address, _ := strings.Cut(entry, ",")
		links[label] = strings.TrimSpace(address)
	}
	p.link(links, line("Home-Page"))
}

// link sets the URLs of the repository and the website. The keys of links are labels that publishers choose.
func (p *project) link(links map[string]string, home string) {
	for _, label := range slices.Sorted(maps.Keys(links)) {
		address := fetch.Web(links[label])
		switch strings.ToLower(label) {
		case "repository", "source", "source code", "github", "code":
			p.Repository = cmp.Or(p.Repository, address)
		case "homepage", "home", "documentation":
			p.Website = cmp.Or(p.Website, address)
		}
	}
	p.Website = cmp.Or(p.Website, fetch.Web(home))
	if p.Repository == "" && (strings.HasPrefix(p.Website, "https://github.com/") || strings.HasPrefix(p.Website, "https://gitlab.com/")) {
		p.Repository = p.Website
	}
}

func describe(name, version, summary string) listing.Listing {
	return listing.Listing{
		Source: listing.PyPI, Name: name, Version: version, Description: summary, Status: listing.Active,
		Packages: []listing.Package{{
			Kind: listing.KindPyPI, Identifier: name, Version: version, Runtime: "uvx", Transport: listing.Remote{Type: "stdio"},
		}},
	}
}

// shortLicense returns text, and "" if it is the full text of a license.
func shortLicense(text string) string {
	if len(text) > 60 {
		return ""
	}
	return text
}

// classified returns the license in the classifiers of a package.
func classified(classifiers []string) string {
	for _, c := range classifiers {
		if rest, ok := strings.CutPrefix(c, "License :: "); ok {
			parts := strings.Split(rest, " :: ")
			return safetext.Clip(safetext.Label(parts[len(parts)-1]), 100)
		}
	}
	return ""
}

func keywords(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' })
	if len(all) == 1 {
		all = strings.Fields(text)
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all[:min(len(all), maxKeywords)]
}

// requirement matches the package name at the beginning of a requirement.
var requirement = lazyregexp.New(`^\s*([A-Za-z0-9._-]+)`)

// dependencies returns the names of the required packages, except for those that only extras require.
func dependencies(requirements []string) []string {
	var out []string
	for _, r := range requirements {
		if m := requirement.FindStringSubmatch(r); m != nil && !strings.Contains(r, "extra ==") {
			out = append(out, Normalize(m[1]))
		}
	}
	return out
}

// finish reads the inputs in the README and decides whether the package is a server. programs is nil if the programs
// are not known.
func (p *project) finish(programs []string) {
	declared := ""
	if m := ownership.FindStringSubmatch(p.Readme); m != nil {
		declared = m[1]
	}
	p.Server, p.Signs = signs.Server(signs.Facts{
		Name: p.Name, Description: p.Description, Keywords: p.Keywords, Dependencies: p.dependencies, Programs: programs,
		Complete: programs != nil, Declared: declared,
	})
	inputs := readme.Read(p.Readme, p.Name)
	p.Packages[0].Env, p.Packages[0].Arguments = inputs.Env, inputs.Arguments
	if programs == nil || slices.Contains(programs, p.Name) {
		return
	}
	p.Packages[0].Program = signs.Program(programs)
	if p.Packages[0].Program == "" {
		p.Packages = nil
	}
}

// ownership matches the line in a README by which a package claims its name in the official registry.
var ownership = lazyregexp.New(`mcp-name:\s*([A-Za-z0-9.-]+/[A-Za-z0-9._-]+)`)

var separators = lazyregexp.New(`[-_.]+`)

// Normalize returns the normalized name of a package (PEP 503).
func Normalize(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}
