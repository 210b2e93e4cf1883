package doctor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

// tokensOf is what definitions cost; what is not counted yet is estimated.
func tokensOf(tools []*catalog.Tool) (sum int) {
	for _, t := range tools {
		n := t.Tokens
		if n == 0 {
			n = tokens.Estimate(string(t.Definition))
		}
		sum += n
	}
	return sum
}

// limits says what of an editor's tools is over what it takes: of those that it
// loads itself, and of those that come through us.
func (l *looked) limits(d *desk) []Finding {
	findings := l.counts(d)
	for _, o := range d.own {
		findings = append(findings, l.ownNames(d, o)...)
		findings = append(findings, l.ownSchemas(d, o)...)
	}
	if !d.registered {
		return findings
	}
	if long := tooLong(d, registration.Name, l.reachable, (*catalog.Tool).Proxied); len(long) > 0 {
		findings = append(findings, d.finding(NameLimit, Note, registration.Name, fmt.Sprintf(
			"%s behind our entry %s a name that is too long for %s; it is shown %s under a short one: %s.",
			tools(len(long)), has(len(long)), d.Status.Name, it(len(long)), some(long)), ""))
	}
	if refused := l.refuses(d, l.reachable); len(refused) > 0 {
		findings = append(findings, d.finding(Schema, Note, registration.Name, fmt.Sprintf(
			"%s behind our entry %s arguments that %s may refuse; %s adapted when %s through us: %s.",
			tools(len(refused)), has(len(refused)), models[d.Schemas], theyAre(len(refused)), theyCome(len(refused)), some(refused)), ""))
	}
	return findings
}

// counts says whether an editor has more tools than it takes.
func (l *looked) counts(d *desk) (findings []Finding) {
	most := d.Editor.MaxTools
	if most == 0 {
		return nil
	}
	own, ours := 0, 0
	for _, o := range d.own {
		own += len(o.tools)
	}
	if d.registered {
		ours = 1 + len(l.listed)
	}
	if own > 0 && own+ours > most {
		findings = append(findings, d.finding(ToolCap, Warning, d.Status.ID, fmt.Sprintf(
			"%s loads at least %s and takes about %d; it leaves the others out, or gets slow.", d.Status.Name, tools(own+ours), most), fmt.Sprintf("Let them come through us: `agent-discover editors import %s --take-out`.", d.Status.ID)))
	}
	if ours > most {
		findings = append(findings, d.finding(ToolCap, Warning, registration.Name, fmt.Sprintf(
			"Our entry lists %s, and %s takes about %d.", tools(ours), d.Status.Name, most),
			"Take servers out of the lists, their tools are still found: `agent-discover servers deactivate NAME`."))
	}
	return findings
}

// ownNames says which tools of a server an editor leaves out for their names.
func (l *looked) ownNames(d *desk, o own) []Finding {
	long := tooLong(d, o.entry, o.tools, func(t *catalog.Tool) string { return t.Name })
	if len(long) == 0 {
		return nil
	}
	return []Finding{d.finding(NameLimit, Warning, o.entry, fmt.Sprintf(
		"%s of %s %s a name that is too long for %s, which leaves %s out: %s.",
		tools(len(long)), o.entry, has(len(long)), d.Status.Name, it(len(long)), some(long)), d.takeOut(o))}
}

// tooLong are tools whose whole name, with what an editor puts before it, is
// over its limit.
func tooLong(d *desk, server string, all []*catalog.Tool, name func(*catalog.Tool) string) (long []string) {
	if d.Editor.MaxName == 0 {
		return nil
	}
	prefix := strings.ReplaceAll(d.NamePrefix, "{server}", server)
	for _, t := range all {
		if utf8.RuneCountInString(prefix+name(t)) > d.Editor.MaxName {
			long = append(long, t.Name)
		}
	}
	return long
}

// models are whose a dialect is.
var models = map[string]string{
	string(schemacompat.Anthropic): "Claude models", string(schemacompat.Gemini): "Gemini models", string(schemacompat.OpenAI): "GPT models",
}

// ownSchemas says which tools of a server an editor's models may refuse.
func (l *looked) ownSchemas(d *desk, o own) []Finding {
	refused := l.refuses(d, o.tools)
	if len(refused) == 0 {
		return nil
	}
	return []Finding{d.finding(Schema, Warning, o.entry, fmt.Sprintf(
		"%s of %s in %s %s arguments that %s may refuse, and all other tools with %s: %s.",
		tools(len(refused)), o.entry, d.Status.Name, has(len(refused)), models[d.Schemas], it(len(refused)), some(refused)), d.takeOut(o))}
}

// refuses returns the tools whose schemas an editor's models refuse.
func (l *looked) refuses(d *desk, all []*catalog.Tool) (names []string) {
	if models[d.Schemas] == "" {
		return nil
	}
	for _, t := range all {
		if l.refusesSchema(schemacompat.Dialect(d.Schemas), t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// schemaOf is the schema of a tool in a dialect.
type schemaOf struct {
	dialect schemacompat.Dialect
	hash    string
}

// slight are changes that every client makes by itself.
var slight = []string{"left out: $schema", "left out: $id", "left out: $defs", "left out: definitions", "left out: additionalProperties", "left out: default", "put in order"}

func (c *Checkup) refusesSchema(d schemacompat.Dialect, t *catalog.Tool) bool {
	key := schemaOf{d, t.Hash}
	c.mu.Lock()
	refused, known := c.refused[key]
	c.mu.Unlock()
	if known {
		return refused
	}
	schema := t.InputSchema()
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`) // as we would list it
	}
	_, changes := schemacompat.Adapt(d, schema)
	refused = slices.ContainsFunc(changes, func(change string) bool { return !slices.Contains(slight, change) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.refused) > 20000 { // of tools that are long gone
		clear(c.refused)
	}
	c.refused[key] = refused
	return refused
}

// some are a few names, and how many more there are.
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

func tools(n int) string    { return number(n, "tool", "tools") }
func has(n int) string      { return which(n, "has", "have") }
func it(n int) string       { return which(n, "it", "them") }
func theyAre(n int) string  { return which(n, "it is", "they are") }
func theyCome(n int) string { return which(n, "it comes", "they come") }

func number(n int, one, many string) string { return fmt.Sprint(n, " ", which(n, one, many)) }

func which(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
