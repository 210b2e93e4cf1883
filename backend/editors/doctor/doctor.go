// Package doctor reports problems and costs of the MCP set-up of the editors on this machine: the
// tokens that tool definitions take now and would take through Agent Discover, servers that several
// editors start, and tool names, counts and schemas that exceed an editor's limits. It changes
// nothing and starts nothing; a report is computed when it is requested.
package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/corrections"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Cost is the number of tokens that MCP tool definitions take in one editor. It counts the servers
// in the user's configuration of the editor, not those of single projects.
type Cost struct {
	Editor  string `json:"editor"`
	Name    string `json:"name"`
	Servers int    `json:"servers"` // enabled servers of the editor, without the Agent Discover entry
	Known   int    `json:"known"`   // number of Servers whose tools are in the catalog
	Tools   int    `json:"tools"`   // tools of the known servers
	// Today is the number of tokens that Tools take at the start of a conversation. If the editor
	// has the Agent Discover entry, it includes the tokens of the tools that Agent Discover lists.
	Today   int `json:"today"`
	Through int `json:"through"` // tokens if Agent Discover were the only server of the editor
	// Directly is the number of tokens at the start of a conversation if the editor itself had the
	// servers of Tools and all servers that Agent Discover reaches. An editor that defers tools
	// loads only their names.
	Directly int `json:"directly"`
	// Deferred is the number of tokens that an editor that defers tools would load later, when its
	// model looks for a tool.
	Deferred int     `json:"deferred"`
	Saved    int     `json:"saved"` // Directly minus Through; negative if Through is more
	Share    float64 `json:"share"` // part of a context of 200,000 tokens that Through takes; 1 for the whole context
}

// The kinds of findings.
const (
	Duplicate  = "duplicate"  // several editors start the same server
	NameLimit  = "name-limit" // tool names are too long for an editor
	ToolCap    = "tool-cap"   // there are more tools than an editor accepts
	Schema     = "schema"     // an editor's models refuse the schemas of tools
	Stale      = "stale"      // the Agent Discover entry does not start this program
	Outdated   = "outdated"   // the arguments of the Agent Discover entry lack the editor or the surface
	Missing    = "missing"    // the command of an entry is not installed
	Foreign    = "foreign"    // an entry named like Agent Discover's starts another program
	Dropped    = "dropped"    // another program removed the Agent Discover entry
	Reload     = "reload"     // the editor has not read its file since the last change
	Policy     = "policy"     // an administrator controls the editor's servers
	Unreadable = "unreadable" // a file cannot be read or changed
	Unverified = "unverified" // nothing confirms that the editor reads the file
	Port       = "port"       // an entry with an address leads to another program than the hub
	Odd        = "odd"        // a server lists items that clients would refuse
)

// The levels of findings, the most severe first.
const (
	Problem = "problem" // something does not work
	Warning = "warning" // something may stop working or is expensive
	Note    = "note"
)

// Finding is one problem, with advice for a person. Its texts are single lines
// without control characters.
type Finding struct {
	Kind    string   `json:"kind"`
	Level   string   `json:"level"`
	Editors []string `json:"editors"` // ids; empty for all
	Subject string   `json:"subject"` // a server, tool or path
	Text    string   `json:"text"`    // a sentence that describes the state
	Advice  string   `json:"advice"`  // a sentence that says what to do, with commands in backticks; may be empty
}

// Report is the result of one examination.
type Report struct {
	Costs    []Cost    `json:"costs"`    // of the detected editors, in the order of the editor table
	Findings []Finding `json:"findings"` // the most severe first
}

// Options are the dependencies of a Doctor.
type Options struct {
	Machine table.Machine
	// Editors returns the state of the editors on this machine.
	Editors *registration.Registrar
	// Importer returns the servers in the configurations of editors.
	Importer *importer.Importer
	// Servers lists the servers that are configured in Agent Discover.
	Servers *registry.Registry
	// Tools holds the tools of known servers.
	Tools *catalog.Catalog
	// Corrections returns the items of a server's lists that the hub changes or leaves out before
	// it passes the lists on.
	Corrections func(server string) []corrections.Correction
	// TakenPort returns the configured port of the hub if the hub does not have it; otherwise 0. If it is nil, the hub has it.
	TakenPort func() int
	// ShownTokens returns the number of tokens of the tools that a session of the editor lists if
	// the Agent Discover entry has the given surface.
	ShownTokens func(surface, editor string) int
	// Listed returns the names of the proxied tools in every session's list.
	Listed func() []string
}

// Doctor examines editors. It is safe for concurrent use.
type Doctor struct {
	options Options

	mu      sync.Mutex
	refused map[vendorSchema]bool // cached results of refusesSchema
}

// New returns a Doctor.
func New(o Options) *Doctor {
	return &Doctor{options: o, refused: make(map[vendorSchema]bool)}
}

// Run examines all editors on this machine. As long as their state does not change, the report
// stays the same.
func (d *Doctor) Run(ctx context.Context) (Report, error) {
	statuses, err := d.options.Editors.Status(ctx, false, nil)
	if err != nil {
		return Report{}, err
	}
	scan, err := d.options.Importer.Scan(ctx, nil)
	if err != nil {
		return Report{}, err
	}
	x := d.examine(statuses, scan)
	report := Report{Costs: []Cost{}, Findings: []Finding{}}
	for _, e := range x.editors {
		if e.status.Detected {
			report.Costs = append(report.Costs, x.cost(e))
		}
		report.Findings = append(report.Findings, e.entryFindings()...)
		report.Findings = append(report.Findings, x.limits(e)...)
	}
	report.Findings = append(report.Findings, x.astray()...)
	report.Findings = append(report.Findings, x.odd()...)
	report.Findings = append(report.Findings, x.duplicates()...)
	report.Findings = append(report.Findings, x.missing()...)
	report.Findings = append(report.Findings, x.unreadable()...)
	sortFindings(report.Findings)
	return report, ctx.Err()
}

func sortFindings(findings []Finding) {
	levels := []string{Problem, Warning, Note}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level)), cmp.Compare(a.Kind, b.Kind),
			slices.Compare(a.Editors, b.Editors), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Text, b.Text),
		)
	})
}

// examination is the state of editors and tools from which one report is
// computed.
type examination struct {
	*Doctor
	scan      importer.Scan
	editors   []*editor       // in the order of the editor table
	reachable []*catalog.Tool // tools of all approved servers
	listed    []*catalog.Tool // tools in every session's list
}

// editor is an editor with the servers that it starts without Agent Discover.
type editor struct {
	status     registration.Status
	row        *table.Editor
	servers    []server
	registered bool
}

// server is an enabled server of an editor.
type server struct {
	entry     string // name of the server in the editor's configuration
	candidate *importer.Candidate
	tools     []*catalog.Tool // empty when the server's tools are not known
}

func (d *Doctor) examine(statuses []registration.Status, scan importer.Scan) *examination {
	x := &examination{Doctor: d, scan: scan}
	for _, status := range statuses {
		row, known := table.ByID(status.ID)
		if !known {
			continue
		}
		registered := slices.ContainsFunc(status.Files, func(f registration.FileStatus) bool { return f.State == registration.Registered })
		x.editors = append(x.editors, &editor{status: status, row: row, registered: registered})
	}
	snapshot := d.options.Tools.Snapshot()
	for i := range scan.Candidates {
		x.assign(&scan.Candidates[i], snapshot)
	}
	for _, server := range d.options.Servers.List() {
		if server.Usable() == nil {
			x.reachable = append(x.reachable, snapshot.Of(server.Name)...)
		}
	}
	names := make(map[string]bool)
	for _, name := range d.options.Listed() {
		names[name] = true
	}
	for _, t := range x.reachable {
		if names[t.Proxied()] {
			x.listed = append(x.listed, t)
		}
	}
	return x
}

// assign adds a candidate to each editor that starts the server. It leaves out a server that an
// editor reads only from a project or plugin, because the editor does not always start such a
// server.
func (x *examination) assign(c *importer.Candidate, snapshot *catalog.Snapshot) {
	for _, source := range c.Sources {
		i := slices.IndexFunc(x.editors, func(e *editor) bool { return e.status.ID == source.Editor })
		if source.Disabled || i < 0 {
			continue
		}
		e := x.editors[i]
		readOnly := !source.Removable && c.Problem == "" && e.status.Registrable
		if readOnly || slices.ContainsFunc(e.servers, func(s server) bool { return s.candidate == c }) {
			continue
		}
		s := server{entry: clean(source.Entry), candidate: c}
		if c.Existing != "" {
			s.tools = snapshot.Of(c.Existing)
		}
		e.servers = append(e.servers, s)
	}
}

// surface returns the surface of the editor's Agent Discover entry, or that of a new entry if the
// editor has none.
func (e *editor) surface() string {
	for _, f := range e.status.Files {
		if f.Surface != "" {
			return f.Surface
		}
	}
	return registration.NewSurface
}

func (x *examination) cost(e *editor) Cost {
	cost := Cost{
		Editor: e.status.ID, Name: e.status.Name, Servers: len(e.servers),
		Through: x.options.ShownTokens(e.surface(), e.status.ID),
	}
	own, all := []*catalog.Tool(nil), slices.Clone(x.reachable)
	for _, s := range e.servers {
		if len(s.tools) > 0 {
			cost.Known++
		}
		own = append(own, s.tools...)
		if !slices.ContainsFunc(s.tools, func(t *catalog.Tool) bool { return slices.Contains(x.reachable, t) }) {
			all = append(all, s.tools...)
		}
	}
	cost.Tools = len(own)
	cost.Today, _ = loaded(own, e.row.DefersFrom)
	if e.registered {
		cost.Today += cost.Through
	}
	cost.Directly, cost.Deferred = loaded(all, e.row.DefersFrom)
	cost.Share = tokens.Share(cost.Through)
	cost.Saved = tokens.Saved(cost.Directly, cost.Through)
	return cost
}

// clean returns a text of another program for a finding: on one line, at most
// 300 characters, and without the backquotes that mark commands in findings.
func clean(text string) string {
	return safetext.Clip(safetext.Visible(strings.ReplaceAll(text, "`", " ")), 300)
}
