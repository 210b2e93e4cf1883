// Package readme finds the environment variables and arguments that the README of a package mentions: in the
// configurations that it shows, in its tables and in its lists. The result is a guess, which listing.FromReadme
// marks. A README is not trusted: none of its commands is run, and none of its values becomes the value of an input.
package readme

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

const (
	maxSize        = 512 << 10 // bytes of a README that are read
	maxInputs      = 40
	maxDescription = 300 // characters
)

// Inputs are the inputs of a server that its README mentions.
type Inputs struct {
	Env       []listing.Field    // sorted by name, the required ones first
	Arguments []listing.Argument // in their order on the command line
}

// Read finds the inputs of a package in its README, which is Markdown.
func Read(text, pkg string) Inputs {
	text = safetext.Prefix(text, maxSize)
	c := collector{pkg: pkg, fields: make(map[string]*found)}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if block, next, ok := fence(lines, i); ok {
			c.code(block)
			i = next
			continue
		}
		if next, ok := c.table(lines, i); ok {
			i = next
			continue
		}
		c.item(lines[i])
	}
	return Inputs{Env: c.env(), Arguments: c.arguments}
}

// fence returns the text of the code block that begins at a line, and the index of its last line.
func fence(lines []string, at int) (block string, last int, ok bool) {
	open := strings.TrimSpace(lines[at])
	if !strings.HasPrefix(open, "```") && !strings.HasPrefix(open, "~~~") {
		return "", 0, false
	}
	mark := open[:3]
	for last = at + 1; last < len(lines); last++ {
		if strings.HasPrefix(strings.TrimSpace(lines[last]), mark) {
			break
		}
	}
	return strings.Join(lines[at+1:min(last, len(lines))], "\n"), last, true
}

// found holds the facts in the README about a variable.
type found struct {
	description, placeholder string
	required, optional       bool // the README says so explicitly
	configs                  int  // number of configurations that set the variable
}

type collector struct {
	pkg       string
	fields    map[string]*found
	configs   int // number of configurations of servers
	arguments []listing.Argument
}

// variable matches the name of an environment variable. It requires two words, because READMEs contain many single
// words in capitals.
var variable = lazyregexp.New(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`)

// unwanted matches variables that a person does not need to set for a server, or that make programs load code.
var unwanted = lazyregexp.New(`^(?:NODE_(?:ENV|OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|LD_.*|DYLD_.*|` +
	`NPM_CONFIG_.*|PYTHON.*|PIP_.*|UV_.*|BASH_ENV|GIT_SSH.*|XDG_.*|HTTPS?_PROXY|NO_PROXY)$`)

// field returns the entry for a variable, and nil if name is not a variable to ask for.
func (c *collector) field(name string) *found {
	if !variable.MatchString(name) || len(name) > 80 || unwanted.MatchString(name) {
		return nil
	}
	if c.fields[name] == nil {
		if len(c.fields) == maxInputs {
			return nil
		}
		c.fields[name] = &found{}
	}
	return c.fields[name]
}

// env returns the variables, sorted. A variable is required if the README says so, or if every configuration in the
// README has a placeholder for it.
func (c *collector) env() []listing.Field {
	out := make([]listing.Field, 0, len(c.fields))
	for name, f := range c.fields {
		out = append(out, listing.Field{Name: name, Input: listing.Input{
			Description: f.description, Placeholder: f.placeholder, From: listing.FromReadme, Secret: secretscan.SensitiveName(name),
			Required: f.required || !f.optional && c.configs > 0 && f.configs == c.configs && blank.MatchString(f.placeholder),
		}})
	}
	slices.SortFunc(out, func(a, b listing.Field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	if len(out) == 0 {
		return nil
	}
	return out
}

func (f *found) describe(text string) {
	if f.description == "" {
		f.description = plain(text)
	}
}

var (
	link    = lazyregexp.New(`!?\[([^\]]*)\]\([^)]*\)`)
	markup  = lazyregexp.New("`|\\*\\*|</?[a-zA-Z][^>]{0,100}>")
	promise = lazyregexp.New(`(?i)\boptional\b|\bnot required\b`)
	demand  = lazyregexp.New(`(?i)\brequired\b|\bmandatory\b`)
)

// plain returns Markdown as one line of text.
func plain(text string) string {
	text = markup.ReplaceAllString(link.ReplaceAllString(text, "$1"), "")
	return safetext.Clip(strings.Trim(safetext.Label(text), " -–—:"), maxDescription)
}

// need records whether a text says that the variable is required or optional.
func (f *found) need(text string) {
	switch {
	case promise.MatchString(text):
		f.optional = true
	case demand.MatchString(text):
		f.required = true
	}
}

// listItem matches a list item that begins with a name, such as - `API_KEY` (required): description.
var listItem = lazyregexp.New("^\\s*(?:[-*+]|\\d+\\.)\\s+(?:\\*\\*)?`?([A-Z][A-Z0-9_]+)`?" +
	"(?:\\*\\*)?\\s*(\\([^)]*\\))?\\s*(?:[:–—-]\\s*(?:\\*\\*)?(.*))?$")

func (c *collector) item(line string) {
	m := listItem.FindStringSubmatch(line)
	if m == nil {
		return
	}
	if f := c.field(m[1]); f != nil {
		f.need(m[2])
		if m[2] == "" {
			f.need(m[3])
		}
		f.describe(m[3])
	}
}
