package importer

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// samePlace reports whether two entries are in the same collection of the same file.
func samePlace(a, b occurrence) bool {
	return !a.pasted && !b.pasted && pathname.Here.Equal(a.file.Path, b.file.Path) && slices.Equal(a.file.Place.Keys, b.file.Place.Keys)
}

// severalSignIns reports whether a file contains the same remote server under several names. Each
// name then has its own sign-in.
func severalSignIns(group []occurrence) bool {
	for n, o := range group {
		if o.server.Transport != "stdio" &&
			slices.ContainsFunc(group[:n], func(p occurrence) bool { return samePlace(o, p) && o.entry != p.entry }) {
			return true
		}
	}
	return false
}

// accountOf returns the credentials in the variables or headers of a server. The keys are places as
// in Candidate.Secrets.
func accountOf(s table.Server) map[string]string {
	values := make(map[string]string)
	for _, literal := range literals(s.Transport, nil, s.Env, "", s.Headers) {
		values[literal.Where] = literal.Value
	}
	return values
}

// takes reports whether an entry with the same command or URL belongs to the candidate. The entry must have the same
// credentials as the candidate, and no variables or headers that the candidate lacks. If named is set, the candidate
// must already contain an entry of the same name. Two entries in one collection of a file belong to different
// candidates if their variables or headers differ.
func (c *Candidate) takes(o occurrence, named bool) bool {
	own, given := settings(c.Server), settings(o.server)
	if !within(given, own) || !maps.Equal(accountOf(c.Server), accountOf(o.server)) {
		return false
	}
	sources := func(match func(occurrence) bool) bool {
		return slices.ContainsFunc(c.Sources, func(s Source) bool { return match(s.found) })
	}
	if named && !sources(func(p occurrence) bool { return strings.EqualFold(p.entry, o.entry) }) {
		return false
	}
	return len(given) == len(own) || !sources(func(p occurrence) bool { return samePlace(o, p) && o.entry != p.entry })
}

// match is how similar a candidate and a configured server are.
type match struct {
	candidate int
	server    string
	how       similarity
	why       string
	named     bool // an entry of the candidate has the name of the server
}

// matchAll sets Existing of each candidate to the name of the configured server that it matches, if any. Candidates
// may have the same command or URL but different accounts, so a configured server is assigned to one candidate only:
// the most similar one or, among equally similar ones, one that has an entry with the name of the server. The
// exception is a candidate that can differ from the server only in secrets that cannot be read now: it may get a
// server that is already assigned to another candidate.
func (v *registryView) matchAll(ctx context.Context, all []Candidate) {
	var matches []match
	for n, c := range all {
		if c.Problem != "" {
			continue
		}
		for _, s := range v.servers {
			m := match{candidate: n, server: s.Name}
			m.named = slices.ContainsFunc(c.Sources, func(from Source) bool { return from.found.entry == s.Name })
			if m.how, m.why = v.compare(ctx, c.Server, s, false); m.how != different && !m.named {
				v.account(ctx, c.Server, s, &m)
			}
			if m.how != different {
				matches = append(matches, m)
			}
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int {
		if a.how != b.how {
			return int(b.how - a.how)
		}
		return map[bool]int{true: 1}[b.named] - map[bool]int{true: 1}[a.named]
	})
	taken := make(map[string]bool)
	for _, m := range matches {
		c := &all[m.candidate]
		if c.Existing != "" || taken[m.server] && m.how != unsure {
			continue
		}
		if m.how != same {
			c.warn("the server %s has the same command, but %s", m.server, m.why)
		}
		if m.how != otherAccount {
			c.Existing, taken[m.server] = m.server, true
		}
	}
}

// account changes a match to otherAccount if either the entry or the configured server has
// credentials and the other has none.
func (v *registryView) account(ctx context.Context, s table.Server, r registry.Server, m *match) {
	given := literals(s.Transport, s.Args, s.Env, s.URL, s.Headers)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(v.names(ctx, r.Name))),
		func(name string) bool { return strings.HasPrefix(name, "oauth:") })
	for _, literal := range literals(r.Transport, r.Args, r.Env, r.Endpoint(), r.Headers) {
		names = append(names, literal.Where)
	}
	switch {
	case len(given) == 0 && len(names) > 0:
		m.how, m.why = otherAccount, "with the credential "+shown(names[0])
	case len(given) > 0 && len(names) == 0:
		m.how, m.why = otherAccount, "without the credential "+shown(given[0].Where)
	}
}
