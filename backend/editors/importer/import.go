package importer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Request selects what an import adds.
type Request struct {
	Choices       []Choice          `json:"servers" nullable:"false"` // empty: all new candidates that can be imported
	RemoveEntries bool              `json:"take_out"`                 // also remove the entries from the editors, including those of servers that exist already
	PlainText     bool              `json:"plain_text"`               // keep credentials readable in the configuration if they cannot be stored as secrets; otherwise their servers are not imported
	Text          string            `json:"text"`                     // pasted text to import from, instead of the editors
	Bundle        string            `json:"bundle"`                   // absolute path of an .mcpb or .dxt file to import from, instead of the editors
	Values        map[string]string `json:"values"`                   // answers to the questions of a bundle
	Unseen        bool              `json:"-"`                        // no person has seen what the servers run, so they wait for approval
}

// Choice is a candidate to import.
type Choice struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // "": the proposed name
}

// Report is the outcome of an import.
type Report struct {
	Servers []Result  `json:"servers" nullable:"false"`
	Removed []Removal `json:"taken" nullable:"false"` // entries removed from editors
	DryRun  bool      `json:"dry_run,omitempty"`
}

// Result is the outcome for one candidate.
type Result struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`   // in the registry
	Status  string   `json:"status"` // Imported, Existing or Failed
	Problem string   `json:"problem,omitempty"`
	Moved   []string `json:"moved" nullable:"false"` // places whose credentials are in the keychain
	Preview
	Warnings []string `json:"warnings" nullable:"false"` // what a person should know, as in Candidate
	Waiting  bool     `json:"waiting,omitempty"`         // it waits for approval
	Kept     []string `json:"kept" nullable:"false"`     // places whose credentials stay readable in the configuration, as the request allows
}

// The statuses of a Result.
const (
	Imported = "imported"
	Existing = "here" // the server existed before the import
	Failed   = "failed"
)

// Import adds the chosen servers; with dry it only reports what it would do.
// The tools of an imported server are not in the list of any session until a
// person activates the server. The failure of one server does not stop the
// others.
func (i *Importer) Import(ctx context.Context, q Request, dry bool) (Report, error) {
	i.importing.Lock()
	defer i.importing.Unlock()
	defer i.options.Lifecycle.Configure()()
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
	run := importRun{Importer: i, dry: dry, unseen: q.Unseen, keeping: keeping{vault: i.options.Vault, plain: q.PlainText}, report: Report{Servers: []Result{}, Removed: []Removal{}, DryRun: dry}}
	for _, chosen := range choose(q, scan.Candidates) {
		if ctx.Err() != nil {
			return run.report, fault.Wrap(ctx.Err(), fault.Unavailable, "the import was interrupted; run it again for the remaining servers")
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
	wanted  string // "": the proposed name
	unknown bool   // no candidate has the id
}

// choose returns the chosen candidates, each once. Without choices it returns
// all that can be imported, and with RemoveEntries also those that exist already.
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
			all = append(all, choice{Candidate: Candidate{ID: wanted.ID, Name: wanted.Name, Preview: previewOf(table.Server{})}, unknown: true})
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
	unseen    bool
	keeping   keeping
	report    Report
	removable []removable
}

// server imports one candidate.
func (r *importRun) server(ctx context.Context, c choice) Result {
	result := newResult(c, r.unseen)
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

func newResult(c choice, unseen bool) Result {
	return Result{
		ID: c.ID, Name: cmp.Or(c.wanted, c.Name), Status: Imported, Moved: []string{}, Kept: []string{},
		Preview: c.Preview, Warnings: append([]string{}, c.Warnings...), Waiting: (c.Server.Disabled || unseen) && c.Existing == "",
	}
}

func (r *Result) fail(why string) { r.Status, r.Problem, r.Moved = Failed, why, []string{} }

func (r *importRun) add(ctx context.Context, c choice, result *Result) error {
	if err := checkName(result.Name); err != nil {
		return err
	}
	if err := r.checkFree(result.Name); err != nil {
		return err
	}
	// Check here for a name that is used twice: in a dry run, nothing is added to
	// the registry.
	if slices.ContainsFunc(r.report.Servers, func(o Result) bool { return o.Name == result.Name && o.Status == Imported }) {
		return fault.New(fault.Conflict, "another server is imported as %q; choose another name", result.Name)
	}
	if r.dry {
		return r.keeping.plan(ctx, c.Secrets, result)
	}
	if err := r.keeping.plan(ctx, c.Secrets, &Result{}); err != nil {
		return err
	}
	add := r.options.Lifecycle.Add
	if result.Waiting {
		add = r.options.Lifecycle.AddUnapproved
	}
	if _, err := add(ctx, newServer(result.Name, sourceOf(c.Candidate), c.Server)); err != nil {
		return err
	}
	if err := r.moveSecrets(ctx, r.keeping, c.Secrets, result); err != nil {
		return errors.Join(err, r.options.Lifecycle.Remove(context.WithoutCancel(ctx), result.Name), r.options.Registry.Compact(ctx))
	}
	return nil
}

// checkName returns why a name is invalid for a new server, or nil. It does
// not check whether the name is taken.
func checkName(name string) error {
	if strings.EqualFold(name, registration.Name) {
		return fault.New(fault.Invalid, "the name %q belongs to the entry of Agent Discover in editors; choose another name", name)
	}
	return registry.CheckName(name)
}

func (i *Importer) checkFree(name string) error {
	if _, err := i.options.Registry.Get(name); err == nil {
		return fault.New(fault.Conflict, "a server named %q exists already; choose another name", name)
	}
	return nil
}

// sourceOf returns the registry's source of an imported server.
func sourceOf(c Candidate) string {
	if len(c.Sources) > 0 && c.Sources[0].Editor != "" {
		return "editor:" + c.Sources[0].Editor
	}
	return "pasted"
}

func newServer(name, source string, s table.Server) registry.Server {
	r := registry.Server{Name: name, Source: source, Transport: s.Transport}
	if s.Transport == "stdio" {
		r.Command, r.Args, r.Env = s.Command, s.Args, s.Env
	} else {
		r.URL, r.Headers = s.URL, s.Headers
	}
	return r
}
