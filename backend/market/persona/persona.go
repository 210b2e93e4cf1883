// Package persona reads personas, which are folders or archives with the servers and toolsets for a kind of work, and
// activates them. The servers of a persona wait for approval like all proposed servers. Once they have listed their
// tools, a person pins the tools of the toolsets.
//
// persona.yaml   name, description, version, toolsets, defaultToolset
// mcp.json       servers, in the format of any MCP client
package persona

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

const (
	maxFile     = 256 << 10 // bytes of persona.yaml and of mcp.json
	maxToolsets = 20
	maxServers  = 50
	maxText     = 200 // characters of the description
	maxVersion  = 50  // characters
)

// The names of a persona's files.
const (
	aboutFile   = "persona.yaml"
	serversFile = "mcp.json"
)

// Persona is a persona as described by its files.
type Persona struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	Toolsets    []IncludedToolset `json:"toolsets" nullable:"false"`
	Default     string            `json:"default_toolset,omitempty" doc:"Toolset with which a client can be equipped when the persona is activated."`
	Servers     []IncludedServer  `json:"servers" nullable:"false"`
	Path        string            `json:"path"`
	Hash        string            `json:"hash" doc:"Hash of the files persona.yaml and mcp.json."`
	Problems    []string          `json:"problems" nullable:"false" doc:"Why the persona cannot be activated; empty if it can."`

	configured Configured
}

// IncludedToolset is a toolset that the activation of a persona creates.
type IncludedToolset struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tools       []string `json:"tools" nullable:"false" doc:"The tools, as SERVER.TOOL. SERVER is the name of a server in mcp.json or of a configured server."`
}

// IncludedServer is a server in the mcp.json of a persona. Activation adds the server, unless a configured server has
// the same command or URL; then the persona uses that one.
type IncludedServer struct {
	Entry    string `json:"entry" doc:"Name of the server in mcp.json."`
	Name     string `json:"name" doc:"Name that the server gets when it is added or, if existing is true, name of the configured server that is used in its place."`
	Existing bool   `json:"existing" doc:"Whether a configured server with the same command or URL is used, so that no server is added."`
	Target   string `json:"target" doc:"Command line or URL, with credentials redacted."`

	parsed importer.Parsed
}

// Configured reports whether a server is configured.
type Configured func(server string) bool

// Parser parses server configurations in the format of any MCP client.
type Parser interface {
	Parse(ctx context.Context, text string) ([]importer.Parsed, error)
}

// about is the content of persona.yaml.
type about struct {
	Name        string  `yaml:"name"`
	Description string  `yaml:"description"`
	Version     scalar  `yaml:"version"`
	Default     string  `yaml:"defaultToolset"`
	Toolsets    []group `yaml:"toolsets"`
}

type group struct {
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Tools       []string `yaml:"tools"`
	ToolIDs     []string `yaml:"toolIds"` // another spelling of tools
}

// scalar is a string in YAML, or the source text of a number.
type scalar string

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *scalar) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode {
		return fault.New(fault.Invalid, "version must be a text")
	}
	*s = scalar(node.Value)
	return nil
}

// Read reads the persona at path, a folder or an archive. The error is a fault if the files cannot be read. Mistakes
// in the contents of the files are not errors: Persona.Problems lists them. The toolsets of a persona may contain
// tools of its own servers and of servers that are configured already.
func Read(ctx context.Context, path string, parser Parser, configured Configured) (Persona, error) {
	files, err := open(path)
	if err != nil {
		return Persona{}, err
	}
	text, ok := files[aboutFile]
	if !ok {
		return Persona{}, fault.New(fault.Invalid, "there is no %s in %s", aboutFile, path)
	}
	sum := sha256.New()
	for _, name := range []string{aboutFile, serversFile} {
		_, _ = fmt.Fprintf(sum, "%d\n%s", len(files[name]), files[name])
	}
	p := Persona{
		Path: path, Hash: hex.EncodeToString(sum.Sum(nil)), Toolsets: []IncludedToolset{}, Servers: []IncludedServer{},
		Problems: []string{}, configured: configured,
	}
	p.readAbout(text)
	if servers, ok := files[serversFile]; ok {
		p.readServers(ctx, servers, parser)
	}
	p.check()
	return p, nil
}

func (p *Persona) problem(format string, args ...any) {
	p.Problems = append(p.Problems, fmt.Sprintf(format, args...))
}

func (p *Persona) readAbout(text []byte) {
	var in about
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&in); err != nil {
		p.problem("%s: %s", aboutFile, safetext.Clip(safetext.Visible(err.Error()), 300))
		return
	}
	p.Name, p.Description, p.Version, p.Default = in.Name, in.Description, string(in.Version), in.Default
	for _, g := range in.Toolsets {
		tools := append(append([]string{}, g.Tools...), g.ToolIDs...)
		p.Toolsets = append(p.Toolsets, IncludedToolset{g.Name, g.Description, tools})
	}
}

func (p *Persona) readServers(ctx context.Context, text []byte, parser Parser) {
	parsed, err := parser.Parse(ctx, string(text))
	if err != nil {
		p.problem("%s: %s", serversFile, fault.MessageOf(err))
		return
	}
	for _, one := range parsed {
		s := IncludedServer{Entry: one.Entry(), Name: one.Name, Target: one.Target, parsed: one}
		if one.Existing != "" {
			s.Name, s.Existing = one.Existing, true
		}
		if one.Problem != "" {
			p.problem("%s: server %s: %s", serversFile, safetext.Visible(s.Entry), one.Problem)
		}
		p.Servers = append(p.Servers, s)
	}
}

// check adds the mistakes in the contents to Problems.
func (p *Persona) check() {
	if toolset.CheckName(p.Name) != nil {
		p.problem("name: use 2 to 50 lower-case letters, digits and hyphens")
	}
	for _, text := range []struct {
		what, text string
		limit      int
	}{{"description", p.Description, maxText}, {"version", p.Version, maxVersion}} {
		if !utf8.ValidString(text.text) || utf8.RuneCountInString(text.text) > text.limit || text.text != safetext.Prose(text.text) {
			p.problem("%s: use at most %d characters and no hidden ones", text.what, text.limit)
		}
	}
	if len(p.Toolsets) > maxToolsets {
		p.problem("toolsets: at most %d", maxToolsets)
	}
	if len(p.Servers) > maxServers {
		p.problem("%s: at most %d servers", serversFile, maxServers)
	}
	if len(p.Toolsets)+len(p.Servers) == 0 && len(p.Problems) == 0 {
		p.problem("the persona has neither toolsets nor servers")
	}
	seen := make(map[string]bool)
	for _, set := range p.Toolsets {
		if seen[set.Name] {
			p.problem("toolset %s: there are two of this name", safetext.Visible(set.Name))
		}
		seen[set.Name] = true
		if err := toolset.Check(p.toolset(set)); err != nil {
			p.problem("toolset %s: %s", safetext.Visible(set.Name), fault.MessageOf(err))
		}
	}
	if p.Default != "" && !seen[p.Default] {
		p.problem("defaultToolset: there is no toolset %s", safetext.Visible(p.Default))
	}
}

// toolset returns set as a toolset.Toolset. It refers to each server of the persona by the name that the server has,
// or will get, in the hub.
func (p *Persona) toolset(set IncludedToolset) toolset.Toolset {
	t := toolset.Toolset{Name: set.Name, Description: set.Description}
	for _, name := range set.Tools {
		t.Tools = append(t.Tools, p.reference(name))
	}
	return t
}

// reference returns the tool that a name refers to. A server of the persona takes precedence over a configured one of
// the same name.
func (p *Persona) reference(name string) toolset.Reference {
	shown := strings.TrimPrefix(name, "mcp__")
	for _, exists := range []Configured{func(entry string) bool { return p.entry(entry) != nil }, p.configured} {
		for _, separator := range []string{"__", "."} {
			if ways := resolve.Split(shown, separator, exists); len(ways) > 0 {
				server := ways[0].Server
				if own := p.entry(server); own != nil {
					server = own.Name
				}
				return toolset.Reference{Server: server, Tool: ways[0].Name}
			}
		}
	}
	server, tool, _ := strings.Cut(name, ".") // of a server that does not exist, which the toolset reports
	return toolset.Reference{Server: server, Tool: tool}
}

// entry returns the server with a name in mcp.json, or nil.
func (p *Persona) entry(name string) *IncludedServer {
	for i := range p.Servers {
		if p.Servers[i].Entry == name {
			return &p.Servers[i]
		}
	}
	return nil
}
