package importer

import (
	"context"
	"fmt"
	"maps"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// likeness is how far a server of the registry does what an entry says.
type likeness int

const (
	other  likeness = iota // it does something else
	poorer                 // the entry has settings that it lacks
	unsure                 // they differ in secrets at most, which cannot be read just now
	same
)

// household is the registry while entries are compared with it.
type household struct {
	*Importer
	ctx     context.Context // of one comparison
	servers []registry.Server
	secrets map[string]map[string]bool // names by server; true for what can be read
	closed  bool                       // the keychain answers nothing when it is listed
	stuck   bool                       // nor when it is asked for a value
}

func (i *Importer) household(ctx context.Context) *household {
	return &household{Importer: i, ctx: ctx, servers: i.Registry.List(), secrets: make(map[string]map[string]bool)}
}

// find says which server of the registry is the same as a candidate.
func (h *household) find(c *Candidate) {
	if c.Problem != "" {
		return
	}
	best, why := other, ""
	for _, s := range h.servers {
		how, reason := h.compare(c.Server, s, false)
		if how > best {
			best, why, c.Here = how, reason, s.Name
		}
	}
	if best != other && best != same {
		c.warn("%s is here as %s, but %s", "the same command", c.Here, why)
	}
}

// compare says how far a server does what an entry says, and what is lacking.
// Secrets are read only when it is strict, or when nobody is asked for that.
func (h *household) compare(s table.Server, r registry.Server, strict bool) (likeness, string) {
	m := matching{household: h, server: r, strict: strict, how: same}
	one, here := h.launch(s), h.launchOf(r.Transport, r.Command, r.Args, r.Endpoint())
	if one.transport != here.transport || len(one.words) != len(here.words) {
		return other, ""
	}
	for n, word := range one.words {
		m.text(here.words[n], word)
	}
	m.text(here.url, one.url)
	if m.how == other {
		return other, ""
	}
	if s.Dir != "" {
		m.lower(poorer, "it starts in your home folder")
	}
	given, theirs := settings(s), r.Env
	if one.transport != "stdio" {
		theirs = make(map[string]string)
		for name, value := range r.Headers {
			theirs[textproto.CanonicalMIMEHeaderKey(name)] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		m.setting(theirs, name, given[name])
	}
	return m.how, m.why
}

// matching is a comparison that is under way.
type matching struct {
	*household
	server registry.Server
	strict bool
	how    likeness
	why    string
}

func (m *matching) lower(how likeness, why string) {
	if how < m.how {
		m.how, m.why = how, why
	}
}

// setting compares a variable or header.
func (m *matching) setting(theirs map[string]string, name, value string) {
	key := name
	if m.server.Transport != "stdio" {
		key = textproto.CanonicalMIMEHeaderKey(name)
	}
	text, has := theirs[key]
	if has && strings.Contains(text, "${secret:") { // which counts more than a secret of that name
		m.text(text, value)
		return
	}
	for secret := range m.names(m.server.Name) { // which the server gets by itself
		switch {
		case secret == name || m.server.Transport != "stdio" && textproto.CanonicalMIMEHeaderKey(secret) == key:
			m.secret(secret, value)
			return
		case m.server.Transport != "stdio" && secret == "API_KEY" && key == "Authorization" && strings.HasPrefix(value, "Bearer "):
			m.secret(secret, strings.TrimPrefix(value, "Bearer "))
			return
		}
	}
	if has {
		m.text(text, value)
		return
	}
	m.lower(poorer, fmt.Sprintf("without %s", shown(name)))
}

var reference = regexp.MustCompile(`\$\{secret:([^}]+)\}`)

// text compares a text of the registry, in which references may stand, with one
// of an entry.
func (m *matching) text(here, given string) {
	if m.how == other || here == given {
		return
	}
	found := reference.FindAllStringSubmatchIndex(here, -1)
	if len(found) == 0 {
		m.lower(other, "")
		return
	}
	pattern, at := `(?s)^`, 0
	for _, place := range found {
		pattern += regexp.QuoteMeta(here[at:place[0]]) + "(.+)"
		at = place[1]
	}
	values := regexp.MustCompile(pattern + regexp.QuoteMeta(here[at:]) + "$").FindStringSubmatch(given)
	if values == nil {
		m.lower(other, "")
		return
	}
	for n, place := range found {
		m.secret(here[place[2]:place[3]], values[n+1])
	}
}

// secret compares a value with that of a secret.
func (m *matching) secret(name, value string) {
	owner := m.server.Name
	if _, own := m.names(owner)[name]; !own {
		if of, rest, linked := strings.Cut(name, "/"); linked {
			owner, name = of, rest
		}
	}
	readable, has := m.names(owner)[name]
	switch {
	case !has:
		m.lower(poorer, fmt.Sprintf("without the secret %s", shown(name)))
	case !readable && !m.strict:
		m.lower(unsure, "whether its secrets are the same cannot be seen while the keychain is locked")
	case !m.stuck && m.Vault.Holds(m.ctx, owner, name, value):
	case m.strict:
		m.stuck = m.stuck || !readable
		m.lower(unsure, fmt.Sprintf("its secret %s has another value, or cannot be read just now", shown(name)))
	default:
		m.lower(other, "")
	}
}

// names returns the secrets of a server, and which of them can be read without
// a question to the user.
func (h *household) names(server string) map[string]bool {
	if names, known := h.secrets[server]; known {
		return names
	}
	names := make(map[string]bool)
	h.secrets[server] = names
	if h.Vault == nil {
		return names
	}
	entries := h.entries(server)
	read := 0
	for _, e := range entries {
		if names[e.Name] = e.Masked != "****"; names[e.Name] {
			read++
		}
	}
	h.closed = h.closed || len(entries) > 0 && read == 0
	return names
}

// entries lists secrets, without a look at values once none could be read: each
// look may take seconds then.
func (h *household) entries(server string) []secrets.Entry {
	if !h.closed {
		entries, _ := h.Vault.List(h.ctx, server) // the store's failure shows elsewhere
		return entries
	}
	names, _ := h.Vault.Names(h.ctx, server)
	var entries []secrets.Entry
	for _, name := range names {
		entries = append(entries, secrets.Entry{Name: name, Masked: "****"})
	}
	return entries
}
