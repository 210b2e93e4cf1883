package official

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Limits for parts of an entry. Longer texts are cut, and the rest of longer lists is ignored.
const (
	maxName        = 200
	minName        = 3
	maxVersion     = 255
	maxText        = 4000 // bytes
	maxTitle       = 200  // characters
	maxDescription = 1000 // characters
	maxURL         = 2000
	maxItems       = 100 // packages, remotes, arguments, variables, choices
	maxEntry       = 256 << 10
)

// pattern is the pattern of names in the schema of server.json.
var pattern = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// isName reports whether a name is valid. A part that consists of dots is invalid, because it would change the path
// of a URL.
func isName(name string) bool {
	if len(name) < minName || len(name) > maxName || !pattern.MatchString(name) {
		return false
	}
	space, last, _ := strings.Cut(name, "/")
	return strings.Trim(space, ".") != "" && strings.Trim(last, ".") != ""
}

func checkName(name string) error {
	if !isName(name) {
		return fault.New(fault.Invalid,
			"invalid name of a server in the registry; it must look like io.github.user/weather, with at most %d characters", maxName)
	}
	return nil
}

// isVersion reports whether a version has no spaces and no hidden characters, and does not consist of dots.
func isVersion(version string) bool {
	return version != "" && len(version) <= maxVersion && isPlain(version) && strings.Trim(version, ".") != ""
}

// isPlain reports whether a text is valid UTF-8 without spaces and hidden characters.
func isPlain(text string) bool {
	return text == strings.ToValidUTF8(text, "") && strings.IndexFunc(text, func(r rune) bool { return r == ' ' || safetext.Hidden(r) }) < 0
}

// readPage reads a page of entries. It returns false if body is not one.
func readPage(body []byte) (Page, bool) {
	o, ok := readObject(body)
	if !ok {
		return Page{}, false
	}
	var items []json.RawMessage
	if raw := o.raw("servers"); raw == nil && o["servers"] == nil || raw != nil && json.Unmarshal(raw, &items) != nil {
		return Page{}, false
	}
	page := Page{Next: o.object("metadata").text("nextCursor"), Entries: make([]Entry, 0, len(items))}
	for _, item := range items {
		if entry, ok := readEntry(item); ok {
			page.Entries = append(page.Entries, entry)
		} else {
			page.Skipped++
		}
	}
	return page, true
}

// meta is the key of the registry's own data in the _meta of an entry.
const meta = "io.modelcontextprotocol.registry/official"

// readEntry reads an entry in the format of any version of the API. It returns false if its name or version is not
// valid.
func readEntry(data []byte) (Entry, bool) {
	whole, ok := readObject(data)
	if !ok || len(data) > maxEntry {
		return Entry{}, false
	}
	server := whole.object("server")
	if server == nil { // the format until August 2025
		server = whole
	}
	own := whole.object("_meta").object(meta)
	for _, other := range []object{server.object("_meta").object(meta), whole.object("x-io.modelcontextprotocol.registry")} {
		if own == nil {
			own = other
		}
	}
	detail := server.object("versionDetail")
	e := Entry{Latest: true}
	for _, o := range []object{own, detail} {
		if raw := o.raw("isLatest"); raw != nil {
			e.Latest = string(raw) == "true"
			break
		}
	}
	e.Listing = readListing(server, detail, own)
	return e, isName(e.Name) && isVersion(e.Version)
}

// readListing converts a server.json. own is the registry's own data about the entry. In entries before August 2025,
// detail has the version.
func readListing(server, detail, own object) listing.Listing {
	l := listing.Listing{
		Source:      listing.Official,
		Name:        server.text("name"),
		Title:       safetext.Clip(server.text("title"), maxTitle),
		Description: safetext.Clip(server.text("description"), maxDescription),
		Version:     cmp.Or(server.text("version"), detail.text("version")),
		Repository:  https(server.object("repository").text("url")),
		Website:     https(server.text("websiteUrl")),
		Published:   own.time("publishedAt"),
		Updated:     own.time("updatedAt"),
		Status:      listing.Active,
		Message:     safetext.Clip(own.text("statusMessage"), maxDescription),
		Verified:    own != nil,
	}
	if l.Published.IsZero() {
		l.Published = detail.time("releaseDate")
	}
	if l.Updated.IsZero() {
		l.Updated = l.Published
	}
	for _, o := range []object{own, server} {
		if status := listing.Status(o.text("status")); status == listing.Deprecated || status == listing.Deleted {
			l.Status = status
			break
		}
	}
	for _, o := range server.objects(maxItems, "packages") {
		if p, ok := readPackage(o); ok {
			l.Packages = append(l.Packages, p)
		}
	}
	for _, o := range server.objects(maxItems, "remotes") {
		if r, ok := readRemote(o); ok && r.Type != stdio {
			l.Remotes = append(l.Remotes, r)
		}
	}
	return l
}

// https returns an https URL that a person can open, and "" for any other text.
func https(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(text) > maxURL || !isPlain(text) {
		return ""
	}
	return text
}
