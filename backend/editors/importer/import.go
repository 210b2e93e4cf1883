package importer

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Request selects the servers that an import adds.
type Request struct {
	Choices []Choice `json:"servers" nullable:"false"` // if empty, all new candidates that can be imported
	// RemoveEntries also removes the entries of the chosen servers from the editors, even if a
	// server is configured already.
	RemoveEntries bool `json:"take_out"`
	// Connected are the identifiers of the editors that have the hub's entry. If it is not nil, entries are removed from
	// these editors only: the others would be left without the tools.
	Connected []string `json:"-"`
	// PlainText keeps credentials readable in the configuration if they cannot be stored as
	// secrets; otherwise servers with such credentials are not imported.
	PlainText bool              `json:"plain_text"`
	Text      string            `json:"text"`   // pasted text to import from, instead of the editors
	Bundle    string            `json:"bundle"` // absolute path of an .mcpb or .dxt file to import from, instead of the editors
	Values    map[string]string `json:"values"` // answers to the questions of a bundle
	Unseen    bool              `json:"-"`      // no person has seen the commands of the servers, so they wait for approval
}

// Choice is a candidate to import.
type Choice struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // empty means the proposed name
}

// Report is the outcome of an import.
type Report struct {
	Servers []Result  `json:"servers" nullable:"false"`
	Removed []Removal `json:"taken" nullable:"false"` // entries removed from editors
	DryRun  bool      `json:"dry_run,omitempty"`
}

// Changes reports whether an import adds a server or removes an entry from an editor. Other imports need no question.
func (r Report) Changes() bool {
	return slices.ContainsFunc(r.Servers, func(s Result) bool { return s.Status == Imported }) ||
		slices.ContainsFunc(r.Removed, func(e Removal) bool { return e.Problem == "" })
}

// Result is the outcome for one candidate.
type Result struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`   // in the registry
	Status  string   `json:"status"` // Imported, Existing or Failed
	Problem string   `json:"problem,omitempty"`
	Moved   []string `json:"moved" nullable:"false"` // places of credentials that were moved to the keychain
	Preview
	Warnings []string `json:"warnings" nullable:"false"` // problems that do not prevent the import, as in Candidate
	Waiting  bool     `json:"waiting,omitempty"`         // the server waits for approval
	Disabled bool     `json:"disabled,omitempty"`        // the server is disabled, as in the editor
	// Kept lists the places of credentials that stay readable in the configuration, as the request
	// allows.
	Kept []string `json:"kept" nullable:"false"`
}

// The statuses of a Result.
const (
	Imported = "imported"
	Existing = "here" // the server existed before the import
	Failed   = "failed"
)

// Import adds the chosen servers; with dry it only reports what it would do. An imported server is
// not among the always listed servers before a person activates it. The failure of one server does
// not stop the others.
func (i *Importer) Import(ctx context.Context, q Request, dry bool) (Report, error) {
	i.importing.Lock()
	defer i.importing.Unlock()
	defer i.options.Intake.Hold()()
	switch {
	case q.Text != "" && q.Bundle != "":
		return Report{}, fault.New(fault.Invalid, "give either a text or a bundle, not both")
	case q.Bundle != "":
		return i.importBundle(ctx, q, dry)
	}
	scan, err := Scan{}, error(nil)
	if q.Text != "" {
		scan, err = i.ScanText(ctx, q.Text)
	} else {
		scan, err = i.Scan(ctx, nil)
	}
	if err != nil {
		return Report{}, err
	}
	run := importRun{
		Importer: i, dry: dry, origin: originOf(q), readable: q.PlainText, connected: q.Connected,
		report: Report{Servers: []Result{}, Removed: []Removal{}, DryRun: dry},
	}
	for _, chosen := range choose(q, scan.Candidates) {
		if ctx.Err() != nil {
			return run.report, fault.Wrap(ctx.Err(), fault.Unavailable,
				"the import was interrupted; run it again for the remaining servers")
		}
		result := run.server(ctx, chosen)
		run.report.Servers = append(run.report.Servers, result)
		if q.RemoveEntries && result.Status != Failed {
			run.removable = append(run.removable, removable{chosen.Candidate, result.Name})
		}
	}
	if q.RemoveEntries {
		run.removeEntries(ctx)
	}
	return run.report, nil
}

// choice is a chosen candidate, with the name that its server gets.
type choice struct {
	Candidate
	wanted  string // the chosen name; empty means the proposed name
	unknown bool   // no candidate has the id
}

// choose returns the chosen candidates, each once. If nothing is chosen, it returns all candidates
// that can be imported and, with RemoveEntries, also those whose servers are configured already.
func choose(q Request, candidates []Candidate) []choice {
	var all []choice
	if len(q.Choices) == 0 {
		for _, c := range candidates {
			if c.Problem == "" && (c.Existing == "" || q.RemoveEntries) {
				all = append(all, choice{Candidate: c})
			}
		}
		return all
	}
	for n, wanted := range q.Choices {
		if slices.ContainsFunc(q.Choices[:n], func(c Choice) bool { return c.ID == wanted.ID }) {
			continue
		}
		at := slices.IndexFunc(candidates, func(c Candidate) bool { return c.ID == wanted.ID })
		if at < 0 {
			all = append(all, choice{
				Candidate: Candidate{ID: wanted.ID, Name: wanted.Name, Preview: previewOf(table.Server{})}, unknown: true,
			})
			continue
		}
		all = append(all, choice{Candidate: candidates[at], wanted: wanted.Name})
	}
	return all
}

// importRun is the state of one import.
type importRun struct {
	*Importer
	dry       bool
	origin    intake.Origin
	readable  bool     // credentials may stay readable
	connected []string // see Request.Connected
	report    Report
	removable []removable
}

// server imports one candidate.
func (r *importRun) server(ctx context.Context, c choice) Result {
	result := newResult(c)
	switch {
	case c.unknown:
		result.fail("the server was removed or changed since the scan; scan again")
	case c.Problem != "":
		result.fail(c.Problem)
	case c.Existing != "":
		result.Status, result.Name = Existing, c.Existing
	default:
		if err := r.add(ctx, c, &result); err != nil {
			result.fail(fault.MessageOf(err))
		}
	}
	return result
}

func newResult(c choice) Result {
	return Result{
		ID: c.ID, Name: cmp.Or(c.wanted, c.Name), Status: Imported, Moved: []string{}, Kept: []string{},
		Preview: c.Preview, Warnings: append([]string{}, c.Warnings...),
	}
}

func (r *Result) fail(why string) { r.Status, r.Problem, r.Moved = Failed, why, []string{} }

func (r *importRun) add(ctx context.Context, c choice, result *Result) error {
	// Check for duplicate names here, because a dry run adds nothing to the registry.
	if slices.ContainsFunc(r.report.Servers, func(o Result) bool { return o.Name == result.Name && o.Status == Imported }) {
		return fault.New(fault.Conflict, "another server is imported as %q; choose another name", result.Name)
	}
	take := r.options.Intake.Add
	if r.dry {
		take = r.options.Intake.Check
	}
	source := registry.FromText
	if len(c.Sources) > 0 && c.Sources[0].Editor != "" {
		source = registry.FromEditor + c.Sources[0].Editor
	}
	out, err := take(ctx, intake.Arrival{
		Server: newServer(result.Name, source, c.Server), Origin: r.origin, SwitchedOff: c.Server.Disabled, Moved: true,
		Readable: r.readable,
	})
	if err == nil {
		result.take(out)
	}
	return readableAllowed(err)
}

// originOf returns the origin that the intake records for an import.
func originOf(q Request) intake.Origin {
	if q.Unseen {
		return intake.Unseen
	}
	return intake.Person
}

// take sets the fields of the result from out, the outcome of adding the server.
func (r *Result) take(out intake.Outcome) {
	r.Waiting, r.Disabled = !out.Server.Approved, out.Server.Disabled
	r.Moved, r.Kept = append(r.Moved, out.Stored...), append(r.Kept, out.Kept...)
	r.Problem = out.WhyKept
	if out.Similar != "" {
		r.Warnings = append(r.Warnings, "server "+out.Similar+" has almost the same name")
	}
}

// readableAllowed adds the advice to import with --plain-text to an error that says that
// credentials cannot be stored. It returns other errors unchanged.
func readableAllowed(err error) error {
	if fault.CodeOf(err) != fault.CodeUnstorable {
		return err
	}
	return fault.Wrap(err, fault.KindOf(err),
		"%s. Or import with --plain-text to keep them readable in the configuration of Agent Discover", fault.MessageOf(err))
}

func newServer(name, source string, s table.Server) registry.Server {
	r := registry.Server{Name: name, Source: source, Transport: s.Transport, Timeouts: s.Timeouts}
	if s.Transport == "stdio" {
		r.Command, r.Args, r.Env, r.Dir = s.Command, s.Args, s.Env, s.Dir
	} else {
		r.URL, r.Headers = s.URL, s.Headers
	}
	return r
}
