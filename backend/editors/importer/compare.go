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
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// similarity says how similar a configured server and an entry of an editor are. Greater values are
// more similar.
type similarity int

const (
	different    similarity = iota // the server runs something else
	otherAccount                   // one of them has credentials and the other has none, and their names differ
	incomplete                     // the server lacks variables or headers of the entry
	unsure                         // the server and the entry can differ only in secrets that cannot be read now
	same
)

// registryView is a snapshot of the registry, with which a scan compares entries. It caches the
// names of secrets.
type registryView struct {
	*Importer
	servers    []registry.Server
	secrets    map[string]map[string]bool // by server and name; true when the value can be read
	unreadable bool                       // none of the secrets of some server could be read
	stuck      bool                       // reading a value has failed
}

func (i *Importer) registryView() *registryView {
	return &registryView{Importer: i, servers: i.options.Registry.List(), secrets: make(map[string]map[string]bool)}
}

// match sets c.Existing to the most similar configured server. It adds a warning if this server
// differs from c.
func (v *registryView) match(ctx context.Context, c *Candidate) {
	if c.Problem != "" {
		return
	}
	best, why := different, ""
	for _, s := range v.servers {
		how, reason := v.compare(ctx, c.Server, s, false)
		if how > best {
			best, why, c.Existing = how, reason, s.Name
		}
	}
	if best != different && best != same {
		c.warn("the server %s has the same command, but %s", c.Existing, why)
	}
}

// compare compares s, the entry of an editor, with r, a configured server. The string says how r
// differs; it is empty if they are the same or entirely different. Unless strict is set, compare
// reads only secrets that can be read without asking the user.
func (v *registryView) compare(ctx context.Context, s table.Server, r registry.Server, strict bool) (similarity, string) {
	c := comparison{registryView: v, server: r, strict: strict, how: same}
	one, configured := v.destination(s), v.destinationOf(r.Transport, r.Command, r.Args, r.Endpoint())
	if one.transport != configured.transport || len(one.words) != len(configured.words) {
		return different, ""
	}
	for n, word := range one.words {
		c.text(ctx, configured.words[n], word)
	}
	c.text(ctx, configured.url, one.url)
	if c.how == different {
		return different, ""
	}
	switch { // earlier versions imported no folders
	case s.Dir == r.Dir, registry.DirIn(s.Dir, v.options.Machine.Home) == registry.DirIn(r.Dir, v.options.Machine.Home):
	case r.Dir == "":
		c.lower(incomplete, "it starts in your home folder")
	case s.Dir == "":
		c.lower(incomplete, "it starts in "+shown(r.Dir))
	default:
		return different, ""
	}
	given, existing := settings(s), r.Env
	if one.transport != "stdio" {
		existing = make(map[string]string)
		for name, value := range r.Headers {
			existing[textproto.CanonicalMIMEHeaderKey(name)] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		c.setting(ctx, existing, name, given[name])
	}
	return c.how, c.why
}

// comparison is the state of one compare call.
type comparison struct {
	*registryView
	server registry.Server
	strict bool
	how    similarity
	why    string
}

func (c *comparison) lower(how similarity, why string) {
	if how < c.how {
		c.how, c.why = how, why
	}
}

// setting compares a variable or header of the entry with the variable or header of the same name in the configured
// server. It lowers c.how if they differ.
func (c *comparison) setting(ctx context.Context, existing map[string]string, name, value string) {
	key := name
	if c.server.Transport != "stdio" {
		key = textproto.CanonicalMIMEHeaderKey(name)
	}
	text, has := existing[key]
	if has && launch.HasReference(text) { // a reference overrides a secret of the same name
		c.text(ctx, text, value)
		return
	}
	for secret := range c.names(ctx, c.server.Name) { // a secret with the name of a setting replaces its value
		of, scheme := secret, ""
		if c.server.Transport != "stdio" {
			of, scheme = launch.HeaderOf(secret)
			of = textproto.CanonicalMIMEHeaderKey(of)
		}
		if bare, ok := strings.CutPrefix(value, scheme); ok && of == key {
			c.secret(ctx, secret, bare)
			return
		}
	}
	if has {
		c.text(ctx, text, value)
		return
	}
	c.lower(incomplete, fmt.Sprintf("without %s", shown(name)))
}

// text compares a text of the configured server, which may contain references
// to secrets, with a text of the entry. It lowers c.how if they differ.
func (c *comparison) text(ctx context.Context, configured, given string) {
	configured, given = plainReferences(configured), plainReferences(given)
	if c.how == different || configured == given {
		return
	}
	const mark = "\x00" // is in no configuration
	var names []string
	marked, err := launch.Resolve(configured, func(name string) (string, error) {
		names = append(names, name)
		return mark, nil
	})
	pattern := strings.ReplaceAll(regexp.QuoteMeta(marked), mark, "(.+)")
	if err != nil || len(names) == 0 || strings.Count(marked, mark) != len(names) {
		c.lower(different, "")
		return
	}
	values := regexp.MustCompile("(?s)^" + pattern + "$").FindStringSubmatch(given)
	if values == nil {
		c.lower(different, "")
		return
	}
	for n, name := range names {
		c.secret(ctx, name, values[n+1])
	}
}

// plainReferences rewrites references to variables as ${NAME}, because a server that an earlier version imported may
// contain ${env:NAME} where a new import keeps ${NAME}.
func plainReferences(text string) string {
	if at := bare.FindStringSubmatch(text); at != nil {
		return at[1] + "${" + at[2] + at[3] + "}"
	}
	return strings.ReplaceAll(text, "${env:", "${")
}

// secret compares a value of the entry with a secret of the server or, if name is SERVER/NAME, with
// a secret that another server shares.
func (c *comparison) secret(ctx context.Context, name, value string) {
	owner := c.server.Name
	if _, own := c.names(ctx, owner)[name]; !own {
		if of, rest, linked := strings.Cut(name, "/"); linked {
			owner, name = of, rest
		}
	}
	readable, has := c.names(ctx, owner)[name]
	switch {
	case !has:
		c.lower(incomplete, fmt.Sprintf("without the secret %s", shown(name)))
	case !readable && !c.strict:
		c.lower(unsure, "its secrets cannot be compared while the keychain is locked")
	case !c.stuck && c.options.Vault.Holds(ctx, owner, name, value):
	case c.strict:
		c.stuck = c.stuck || !readable
		c.lower(unsure, fmt.Sprintf("its secret %s has another value or cannot be read now", shown(name)))
	default:
		c.lower(different, "")
	}
}

// names returns the names of a server's secrets. The value is true for a
// secret that can be read without asking the user.
func (v *registryView) names(ctx context.Context, server string) map[string]bool {
	if names, known := v.secrets[server]; known {
		return names
	}
	names := make(map[string]bool)
	v.secrets[server] = names
	if v.options.Vault == nil {
		return names
	}
	if v.unreadable { // reading more secrets may take seconds each
		known, _ := v.options.Vault.Names(ctx, server)
		for _, name := range known {
			names[name] = false
		}
		return names
	}
	readable, _ := v.options.Vault.Readable(ctx, server) // after an error, the server counts as one without secrets
	read := 0
	for name, can := range readable {
		if names[name] = can; can {
			read++
		}
	}
	v.unreadable = len(readable) > 0 && read == 0
	return names
}
