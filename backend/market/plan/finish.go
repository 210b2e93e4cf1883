package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
)

// Source is registry.Server.Source of servers that are installed from listings.
const Source = "registry"

// finish completes the plan of the chosen option.
func (p *Plan) finish(r Request) {
	l, s := r.Listing, &p.Server
	s.Name = cmp.Or(r.Name, ServerName(l))
	s.Description = safetext.Clip(safetext.Prose(l.Description), 1000)
	s.Source, s.Repository, s.Env, s.Headers, s.URL = Source, l.Repository, p.Env, p.Headers, p.URL
	if s.Transport == stdio {
		s.URL = l.Website
	}
	p.Name = s.Name
	for _, secret := range p.Secrets {
		if secret.Visible {
			p.Notes = append(p.Notes, "The server takes "+secret.Name+
				" only as an argument, so other programs on this computer can see it while the server runs.")
		}
	}
	if l.Status == listing.Deprecated {
		p.Notes = append(p.Notes, strings.TrimSpace("The publisher advises against this server. "+prose(l.Message, 300)))
	}
	confined := *s
	confined.Sandbox = cmp.Or(r.Sandbox, registry.Guard)
	if p.Problem == "" && p.Unresolved == "" && s.Command != "" {
		p.Command = append([]string{s.Command}, s.Args...)
		p.Risk = risk.Assess(confined)
	} else if p.Problem == "" && s.Transport != stdio {
		p.Risk = risk.Assess(confined)
	}
	if p.Check() == nil {
		p.Hash = p.hash()
		return
	}
	if p.Server = (registry.Server{}); p.Problem != "" { // a refused plan contains nothing that could be started or copied
		p.Env, p.URL, p.Headers, p.Steps, p.Secrets, p.values = nil, "", nil, nil, nil, nil
	}
}

// hash returns the SHA-256 of the parts of a plan that a person approves. It covers no values of secrets, because a
// short value could be guessed from the hash.
func (p *Plan) hash() string {
	secret := slices.Clone(p.Secrets)
	// encoding strings cannot fail
	canonical, _ := json.Marshal([]any{
		p.ID, p.Version, p.Option.ID, launch.Of(p.Server).Hash(), p.Server.Package, p.Download, p.Steps, secret,
	})
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// common are the last parts of listings' names that do not distinguish servers.
var common = []string{"mcp", "server", "mcp-server", "server-mcp", "mcp_server", "mcpserver"}

// ServerName returns a valid name for the server of a listing. Another server may already have it.
func ServerName(l listing.Listing) string {
	scope, name, ok := strings.Cut(strings.TrimPrefix(l.Name, "@"), "/")
	if !ok {
		scope, name = "", scope
	}
	if slices.Contains(common, strings.ToLower(name)) && scope != "" {
		name = scope[strings.LastIndexByte(scope, '.')+1:] + "-" + name
	}
	if name = registry.NameFrom(name); registry.CheckName(name) != nil {
		name = strings.Trim("server-"+name, "-")
	}
	return name
}
