package doctor

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

// loaded returns the tokens that tools take at the start of a conversation, and those that the
// editor loads later. The editor defers definitions if it has at least defersFrom tools; 0 means
// that it never does. See catalog.CostOf.
func loaded(tools []*catalog.Tool, defersFrom int) (now, deferred int) {
	all := tokensOf(tools)
	if defersFrom == 0 || len(tools) < defersFrom {
		return all, 0
	}
	now = min(catalog.NameTokens(tools), all)
	return now, all - now
}

// tokensOf returns the number of tokens that the definitions of tools take.
func tokensOf(tools []*catalog.Tool) (sum int) {
	for _, t := range tools {
		n := t.Tokens
		if n == 0 {
			n = tokens.Count(string(t.Definition)) // the catalog has not counted it yet
		}
		sum += n
	}
	return sum
}

// limits reports the tools that exceed an editor's limits: tools of the
// editor's own servers, and tools that it reaches through Agent Discover.
func (x *examination) limits(e *editor) []Finding {
	findings := x.toolCounts(e)
	for _, s := range e.servers {
		findings = append(findings, e.longNames(s)...)
		findings = append(findings, x.refusedSchemas(e, s)...)
	}
	if !e.registered {
		return findings
	}
	if long := e.tooLong(registration.Name, x.reachable, (*catalog.Tool).Proxied); len(long) > 0 {
		findings = append(findings, e.finding(NameLimit, Note, registration.Name, fmt.Sprintf(
			"%s offered through Agent Discover %s a name that is too long for %s and %s shown under a shorter one: %s.",
			tools(len(long)), has(len(long)), e.status.Name, plural(len(long), "is", "are"), some(long)), ""))
	}
	if refused := x.refuses(e, x.reachable); len(refused) > 0 {
		findings = append(findings, e.finding(Schema, Note, registration.Name, fmt.Sprintf(
			"%s offered through Agent Discover %s arguments that %s may refuse; Agent Discover adapts %s automatically: %s.",
			tools(len(refused)), has(len(refused)), models[e.row.Schemas], it(len(refused)), some(refused)), ""))
	}
	return findings
}

// toolCounts reports whether an editor has more tools than it accepts.
func (x *examination) toolCounts(e *editor) (findings []Finding) {
	most := e.row.MaxTools
	if most == 0 {
		return nil
	}
	own, listed := 0, 0
	for _, s := range e.servers {
		own += len(s.tools)
	}
	if e.registered {
		listed = 1 + len(x.listed)
	}
	name := e.status.Name
	if own > 0 && own+listed > most {
		findings = append(findings, e.finding(ToolCap, Warning, e.status.ID,
			fmt.Sprintf("%s loads at least %s but accepts about %d; it ignores the others or gets slow.", name, tools(own+listed), most),
			fmt.Sprintf("Move its servers to Agent Discover: `agent-discover editors import %s --take-out`.", e.status.ID)))
	}
	if listed > most {
		findings = append(findings, e.finding(ToolCap, Warning, registration.Name,
			fmt.Sprintf("Agent Discover lists %s, and %s accepts about %d.", tools(listed), name, most),
			"Remove servers from the tool list; their tools can still be found: `agent-discover servers deactivate NAME`."))
	}
	return findings
}

// longNames reports the tools of a server that an editor leaves out because the names of these tools are too long.
func (e *editor) longNames(s server) []Finding {
	long := e.tooLong(s.entry, s.tools, func(t *catalog.Tool) string { return t.Name })
	if len(long) == 0 {
		return nil
	}
	return []Finding{e.finding(NameLimit, Warning, s.entry, fmt.Sprintf(
		"%s of %s %s a name that is too long for %s, which leaves %s out: %s.",
		tools(len(long)), s.entry, has(len(long)), e.status.Name, it(len(long)), some(long)), e.importAdvice(s))}
}

// tooLong returns the names of the tools whose full name, with the prefix that
// the editor adds, exceeds the editor's limit.
func (e *editor) tooLong(server string, all []*catalog.Tool, name func(*catalog.Tool) string) (long []string) {
	if e.row.MaxName == 0 {
		return nil
	}
	prefix := strings.ReplaceAll(e.row.NamePrefix, "{server}", server)
	for _, t := range all {
		if utf8.RuneCountInString(prefix+name(t)) > e.row.MaxName {
			long = append(long, t.Name)
		}
	}
	return long
}

// models contains, by vendor, the name that findings use for the vendor's models.
var models = map[string]string{
	string(schemacompat.Anthropic): "Claude models", string(schemacompat.Gemini): "Gemini models",
	string(schemacompat.OpenAI): "GPT models",
}

// refusedSchemas reports the tools of a server whose schemas an editor's models may refuse.
func (x *examination) refusedSchemas(e *editor, s server) []Finding {
	refused := x.refuses(e, s.tools)
	if len(refused) == 0 {
		return nil
	}
	return []Finding{e.finding(Schema, Warning, s.entry, fmt.Sprintf(
		"%s of %s in %s %s arguments that %s may refuse, together with all other tools: %s.",
		tools(len(refused)), s.entry, e.status.Name, has(len(refused)), models[e.row.Schemas], some(refused)), e.importAdvice(s))}
}

// refuses returns the names of the tools whose schemas an editor's models refuse.
func (x *examination) refuses(e *editor, all []*catalog.Tool) (names []string) {
	if models[e.row.Schemas] == "" {
		return nil
	}
	for _, t := range all {
		if x.refusesSchema(schemacompat.Vendor(e.row.Schemas), t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// vendorSchema identifies the schema of a tool for one vendor.
type vendorSchema struct {
	vendor schemacompat.Vendor
	hash   string // hash of the tool's definition
}

// refusesSchema reports whether the models of a vendor reject a tool's schema, and clients do
// not adapt the schema for them. Results are cached, because schemacompat.Adapt is slow.
func (d *Doctor) refusesSchema(vendor schemacompat.Vendor, t *catalog.Tool) bool {
	key := vendorSchema{vendor, t.Hash}
	d.mu.Lock()
	refused, known := d.refused[key]
	d.mu.Unlock()
	if known {
		return refused
	}
	schema := t.InputSchema()
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`) // Agent Discover lists this schema for a tool without one
	}
	_, changes := schemacompat.Adapt(vendor, schema)
	refused = !schemacompat.ClientsAdapt(changes)
	d.mu.Lock()
	defer d.mu.Unlock()
	const most = 20000
	if len(d.refused) > most { // forget all results, because some are of tools that no longer exist
		clear(d.refused)
	}
	d.refused[key] = refused
	return refused
}

// some returns the first three names, and says how many more there are.
func some(names []string) string {
	const few = 3
	shown := make([]string, 0, few)
	for _, name := range names[:min(few, len(names))] {
		shown = append(shown, clean(name))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func tools(n int) string { return fmt.Sprint(n, " ", plural(n, "tool", "tools")) }
func has(n int) string   { return plural(n, "has", "have") }
func it(n int) string    { return plural(n, "it", "them") }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// odd reports the servers that list items that clients would refuse.
func (x *examination) odd() (findings []Finding) {
	for _, server := range x.options.Servers.List() {
		all := x.options.Corrections(server.Name)
		if !server.Approved || len(all) == 0 {
			continue
		}
		first := all[0]
		name := strings.TrimSpace(fmt.Sprintf("%s %s", first.Kind, clean(first.Name)))
		findings = append(findings, Finding{
			Kind: Odd, Level: Note, Editors: []string{}, Subject: server.Name,
			Text: fmt.Sprintf("Clients would refuse whole lists because of %d %s of the server %s, and are shown %s mended or not at all, "+
				"such as the %s: %s.", len(all), plural(len(all), "item", "items"), server.Name, it(len(all)), name,
				clean(strings.Join(first.Changes, "; "))),
			Advice: fmt.Sprintf("Report this to the authors of the server: `agent-discover servers show %s`.", server.Name),
		})
	}
	return findings
}
