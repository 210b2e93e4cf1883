// Package checkup answers what is wrong with the editors' set-ups and what they
// cost: tokens that each loads today and would load through us, servers that
// several start, names and counts over their limits. It changes nothing, starts
// nothing, and looks only when it is asked.
package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Cost is what MCP tools cost one editor, in tokens of their definitions. The
// servers are those of its user; what single projects have comes on top.
type Cost struct {
	Editor  string `json:"editor"`
	Name    string `json:"name"`
	Servers int    `json:"servers"` // of its own, enabled, our entry not counted
	Known   int    `json:"known"`   // of those, whose tools are known here
	Tools   int    `json:"tools"`   // of the known
	Today   int    `json:"today"`   // tokens of what it loads itself, and of what our entry lists where it is in
	Through int    `json:"through"` // tokens if all of that came through us: our own tool, and those that every session lists
}

// The kinds of findings.
const (
	Duplicate  = "duplicate"  // several editors start the same server
	NameLimit  = "name-limit" // names of tools that are too long for an editor
	ToolCap    = "tool-cap"   // more tools than an editor takes
	Schema     = "schema"     // schemas that an editor's models refuse
	Stale      = "stale"      // our entry starts something that moved
	Missing    = "missing"    // an entry whose command is not there
	Foreign    = "foreign"    // an entry of our name starts something else
	Dropped    = "dropped"    // somebody took our entry out
	Reload     = "reload"     // the editor has not read its file yet
	Policy     = "policy"     // an administrator decides
	Unreadable = "unreadable" // a file that cannot be read or changed
	Unverified = "unverified" // we are not sure of the place
)

// The levels of findings, the gravest first.
const (
	Problem = "problem" // something does not work
	Warning = "warning" // something will not, or costs much
	Note    = "note"
)

// Finding is one thing that a person should know or do. Its texts are on one
// line each and hold nothing that steers a terminal.
type Finding struct {
	Kind    string   `json:"kind"`
	Level   string   `json:"level"`
	Editors []string `json:"editors"` // ids
	Subject string   `json:"subject"` // a server, tool or path
	Text    string   `json:"text"`    // what is so, a sentence
	Advice  string   `json:"advice"`  // what to do, a sentence with commands in backticks; may be empty
}

// Report is a checkup.
type Report struct {
	Costs    []Cost    `json:"costs"`    // of the editors that are there, in the table's order
	Findings []Finding `json:"findings"` // the gravest first
}

// Options are what a checkup looks at.
type Options struct {
	Registrar *registration.Registrar
	Intake    *importer.Importer
	Registry  *registry.Registry
	Catalog   *catalog.Catalog
	// Entry returns what our own tool costs in a client's context, in tokens.
	Entry func() int
	// Listed returns the names of the tools that every session's list has now.
	Listed func() []string
}

// Checkup looks at editors. It is safe for concurrent use.
type Checkup struct {
	Options

	mu      sync.Mutex
	refused map[schemaOf]bool // what dialects refuse, as far as it was looked at
}

// New returns a checkup.
func New(o Options) *Checkup { return &Checkup{Options: o, refused: make(map[schemaOf]bool)} }

// Run looks at all editors that are there. The same state gives the same report.
func (c *Checkup) Run(ctx context.Context) (Report, error) {
	statuses, err := c.Registrar.Status(ctx, false, nil)
	if err != nil {
		return Report{}, err
	}
	scan, err := c.Intake.Scan(ctx, nil)
	if err != nil {
		return Report{}, err
	}
	l := c.look(statuses, scan)
	report := Report{Costs: []Cost{}, Findings: []Finding{}}
	for _, d := range l.desks {
		if d.Detected {
			report.Costs = append(report.Costs, l.cost(d))
		}
		report.Findings = append(report.Findings, l.entry(d)...)
		report.Findings = append(report.Findings, l.limits(d)...)
	}
	report.Findings = append(report.Findings, l.duplicates()...)
	report.Findings = append(report.Findings, l.missing()...)
	report.Findings = append(report.Findings, l.unreadable()...)
	order(report.Findings)
	return report, ctx.Err()
}

func order(findings []Finding) {
	levels := []string{Problem, Warning, Note}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level)), cmp.Compare(a.Kind, b.Kind),
			slices.Compare(a.Editors, b.Editors), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Text, b.Text),
		)
	})
}

// looked is all that a checkup looks at, at one moment.
type looked struct {
	*Checkup
	scan      importer.Scan
	desks     []*desk // in the table's order
	reachable []*catalog.Tool
	listed    []*catalog.Tool // in every session's list
}

// desk is an editor with its own servers.
type desk struct {
	registration.Status
	*table.Editor
	own        []own
	registered bool
}

// own is an enabled server of an editor.
type own struct {
	entry     string // its name there
	candidate *importer.Candidate
	tools     []*catalog.Tool // none where they are not known
}

func (c *Checkup) look(statuses []registration.Status, scan importer.Scan) *looked {
	l := &looked{Checkup: c, scan: scan}
	for _, status := range statuses {
		e, known := table.ByID(status.ID)
		if !known {
			continue
		}
		is := func(f registration.FileStatus) bool { return f.State == registration.Registered }
		l.desks = append(l.desks, &desk{Status: status, Editor: e, registered: slices.ContainsFunc(status.Files, is)})
	}
	snapshot := c.Catalog.Snapshot()
	for i := range scan.Candidates {
		l.share(&scan.Candidates[i], snapshot)
	}
	for _, server := range c.Registry.List() {
		if server.Approved {
			l.reachable = append(l.reachable, snapshot.Of(server.Name)...)
		}
	}
	names := make(map[string]bool)
	for _, name := range c.Listed() {
		names[name] = true
	}
	for _, t := range l.reachable {
		if names[t.Proxied()] {
			l.listed = append(l.listed, t)
		}
	}
	return l
}

// share notes a candidate with each editor that starts it. What an editor reads
// in projects, and may not be changed there, it does not always start.
func (l *looked) share(c *importer.Candidate, snapshot *catalog.Snapshot) {
	for _, source := range c.Sources {
		i := slices.IndexFunc(l.desks, func(d *desk) bool { return d.Status.ID == source.Editor })
		if c.Ours || source.Disabled || i < 0 {
			continue
		}
		d := l.desks[i]
		beside := !source.CanTake && c.Problem == "" && d.Registrable
		if beside || slices.ContainsFunc(d.own, func(o own) bool { return o.candidate == c }) {
			continue
		}
		one := own{entry: clean(source.Entry), candidate: c}
		if c.Here != "" {
			one.tools = snapshot.Of(c.Here)
		}
		d.own = append(d.own, one)
	}
}

// cost is what an editor's tools cost.
func (l *looked) cost(d *desk) Cost {
	cost := Cost{Editor: d.Status.ID, Name: d.Status.Name, Servers: len(d.own), Through: l.Entry() + tokensOf(l.listed)}
	for _, o := range d.own {
		if len(o.tools) > 0 {
			cost.Known++
			cost.Tools += len(o.tools)
			cost.Today += tokensOf(o.tools)
		}
	}
	if d.registered {
		cost.Today += cost.Through
	}
	return cost
}

// clean returns a text of another program for a finding: on one line, at most
// 300 characters, and without the backquotes that mark commands in findings.
func clean(text string) string {
	return safetext.Clip(safetext.Visible(strings.ReplaceAll(text, "`", " ")), 300)
}
