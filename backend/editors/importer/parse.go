package importer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Parsed is a server from a text, with all values of its configuration, so
// that a form can show and change the server before a person adds it.
type Parsed struct {
	Name        string            `json:"name" doc:"Proposed name: valid, not taken, and different from the names of the other servers in the response."`
	Description string            `json:"description"`
	Tags        []string          `json:"tags" nullable:"false"`
	Transport   string            `json:"transport" doc:"stdio, streamable-http or sse."`
	Command     string            `json:"command"`
	Args        []string          `json:"args" nullable:"false"`
	Env         map[string]string `json:"env" nullable:"false"`
	Dir         string            `json:"cwd" doc:"Working folder of a local server; empty for the home folder."`
	Start       string            `json:"start_timeout" doc:"The server's own limit for its start, such as 5m; empty for that of the settings."`
	Call        string            `json:"call_timeout" doc:"The server's own limit for calls, such as 5m; empty for that of the settings."`
	URL         string            `json:"url"`
	Headers     map[string]string `json:"headers" nullable:"false"`
	Target      string            `json:"target" doc:"Command line or URL on one line, with credentials redacted."`
	Secrets     []Credential      `json:"secrets" nullable:"false" doc:"Credentials in the configuration, which could be moved to the vault."`
	Missing     []Placeholder     `json:"missing" nullable:"false" doc:"Placeholders in the configuration that an editor would replace by values."`
	Existing    string            `json:"existing" doc:"Name of the configured server that matches this one, with the same command or URL; empty if none does."`
	Disabled    bool              `json:"disabled" doc:"Whether the text marks the server as disabled."`
	Notes       []string          `json:"notes" nullable:"false" doc:"Remarks for the user before the server is added, as sentences."`
	Problem     string            `json:"problem" doc:"Why the server cannot be added; empty when it can."`
	Preview

	entry string
}

// Entry returns the name that the server has in the text.
func (p Parsed) Entry() string { return p.entry }

// Credential is a value that should be kept as a secret.
type Credential struct {
	Where string `json:"where" doc:"Place of the credential: env.NAME, args[3], headers.NAME or url; empty for a secret of a setup file."`
	Name  string `json:"name" doc:"Proposed name of the secret. An environment variable or header of this name gets the value of the secret even if the configuration has no reference to it."`
	Value string `json:"value" doc:"Value of the credential: the part of the text at the place named by where. A reference to the secret replaces it."`
}

// Placeholder is a part of a text that another program would have replaced by a
// value.
type Placeholder struct {
	Where     string `json:"where" doc:"Place of the placeholder: command, env.NAME, args[3], headers.NAME or url."`
	Text      string `json:"text" doc:"The placeholder, such as ${input:key}."`
	Secret    string `json:"secret" doc:"Proposed name of a secret for the value of the placeholder; empty if the value is not a credential."`
	Reference string `json:"reference" doc:"Reference to the secret, to write into the configuration in place of the placeholder; empty if the value is not a credential."`
}

// Parse returns the servers in a text: the configuration of any client, a part
// of one, a command line, a command that adds a server, or a URL. Parse
// changes nothing and starts nothing. The error is a fault.Invalid that does
// not quote the text.
func (i *Importer) Parse(ctx context.Context, text string) ([]Parsed, error) {
	entries, err := parseText(text)
	if err != nil {
		return nil, err
	}
	view, names := i.registryView(), i.takenNames()
	servers := []Parsed{}
	for _, e := range entries {
		o := occurrence{entry: e.Name, server: e.Server, problem: e.Problem, warnings: e.Notes, pasted: true, editable: true}
		o.nameLosses(e.entry)
		o.normalize(i.options.Machine)
		if i.own(o) != nil {
			continue
		}
		c := newCandidate(o)
		c.warnOfDisabled()
		view.match(ctx, &c)
		c.Name = names.free(e.Name, o.server)
		names[c.Name] = true
		servers = append(servers, newParsed(e, c, func(where, found string) bool {
			if o.scope.keeps(where, found) {
				return true
			}
			// A reference to a variable is filled if it has a default, or if the entry or the user's environment
			// sets the variable.
			at, variable := ofEnvironment.FindStringSubmatch(found), i.options.Machine.Variable
			return at != nil && (at[2] != "" || o.scope.means(where, at[1]) || variable == nil || variable(at[1]) != "")
		}))
	}
	if len(servers) == 0 {
		return nil, fault.New(fault.Invalid,
			"the text contains only the Agent Discover entry, which cannot be added to Agent Discover itself")
	}
	return servers, ctx.Err()
}

func newParsed(e textEntry, c Candidate, filled func(where, placeholder string) bool) Parsed {
	s := c.Server
	p := Parsed{
		Name: c.Name, Description: shown(e.Description), Tags: append([]string{}, e.Tags...),
		Transport: s.Transport, Command: s.Command, Args: append([]string{}, s.Args...), Env: notNil(s.Env),
		Dir: s.Dir, Start: registry.FormatTimeout(s.Timeouts.Start), Call: registry.FormatTimeout(s.Timeouts.Call),
		URL: s.URL, Headers: notNil(s.Headers), Target: c.Command,
		Secrets: []Credential{}, Missing: []Placeholder{}, Existing: c.Existing, Disabled: s.Disabled, Notes: c.Warnings,
		Problem: c.Problem, Preview: c.Preview, entry: e.Name,
	}
	switch {
	case e.Name == "" || e.Name == c.Name:
	case registry.CheckName(e.Name) == nil:
		p.Notes = append(p.Notes, fmt.Sprintf("the name %s is taken; this server becomes %s", shown(e.Name), c.Name))
	default:
		p.Notes = append(p.Notes, fmt.Sprintf("%s cannot be a server's name; this server becomes %s", shown(e.Name), c.Name))
	}
	if p.Problem == "" {
		p.secrets(e.Secrets)
		p.placeholders(filled)
	}
	return p
}

func notNil(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// secrets fills p.Secrets with the secrets in the secrets section of a setup
// file, then with the credentials in the server's configuration.
func (p *Parsed) secrets(given map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p.Secrets = append(p.Secrets, Credential{Name: name, Value: given[name]})
	}
	for _, l := range literals(p.Transport, p.Args, p.Env, p.URL, p.Headers) {
		p.Secrets = append(p.Secrets, Credential{Where: l.Where, Name: p.secretName(l.Where, l.Name, l.Value), Value: l.Value})
	}
}

// secretName returns the name for a secret: name, with a number if another secret in p has this name but another
// value. It never adds a number if name is the name of the variable or header that contains the secret, because the
// hub sets each variable or header to the secret of the same name.
func (p *Parsed) secretName(where, name, value string) string {
	free := name
	for n := 2; where != "env."+name && where != "headers."+name; n++ {
		if !slices.ContainsFunc(p.Secrets, func(c Credential) bool { return c.Name == free && c.Value != value }) {
			break
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// placeholders fills p.Missing with the placeholders in the server's configuration for which the function filled
// returns false. Equal placeholders in the same place are listed once.
func (p *Parsed) placeholders(filled func(where, placeholder string) bool) {
	s := table.Server{Transport: p.Transport, Command: p.Command, Args: p.Args, Env: p.Env, URL: p.URL, Headers: p.Headers}
	o := occurrence{server: s}
	o.edit(func(where, text string) string {
		for _, found := range unfilled.FindAllString(text, -1) {
			missing := Placeholder{Where: where, Text: found}
			if launch.HasReference(found) || filled(where, found) ||
				slices.ContainsFunc(p.Missing, func(m Placeholder) bool { return m.Where == where && m.Text == found }) {
				continue
			}
			if missing.Secret = p.nameOfSecret(missing, text); missing.Secret != "" {
				missing.Reference = launch.Reference(missing.Secret)
			}
			p.Missing = append(p.Missing, missing)
		}
		return text
	})
}

// nameOfSecret returns the name of the secret that should replace a placeholder, or "" if a value
// at the place of the placeholder is not a credential.
func (p *Parsed) nameOfSecret(m Placeholder, text string) string {
	s := table.Server{
		Transport: p.Transport, Args: slices.Clone(p.Args), Env: maps.Clone(p.Env), URL: p.URL, Headers: maps.Clone(p.Headers),
	}
	setText(&s, m.Where, strings.ReplaceAll(text, m.Text, standIn))
	for _, l := range literals(s.Transport, s.Args, s.Env, s.URL, s.Headers) {
		if l.Where == m.Where && strings.Contains(l.Value, standIn) {
			return p.secretName(l.Where, l.Name, m.Text)
		}
	}
	return ""
}

// example matches values that documentation gives as examples, such as
// YOUR_API_KEY and <token>.
var example = lazyregexp.New(
	`(?i)^(<[^>]+>|\[[A-Z_ -]+\]|x{4,}|.*\b(your|my)[-_ ].*(key|token|secret|password|id)\b.*|changeme|\.\.\.|…)$`,
)

// CheckNames returns for each name why a new server cannot have the name; ""
// when it can. Names that occur twice in the list are refused.
func (i *Importer) CheckNames(names []string) []string {
	count := make(map[string]int)
	for _, name := range names {
		count[name]++
	}
	problems := make([]string, len(names))
	for n, name := range names {
		err := i.options.Intake.CheckName(intake.Person, name)
		if err == nil && count[name] > 1 {
			err = fault.New(fault.Conflict, "another server in this list has this name")
		}
		if err != nil {
			problems[n] = fault.MessageOf(err)
		}
	}
	return problems
}
