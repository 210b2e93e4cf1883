package importer

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
)

// What became of a candidate.
const (
	Imported = "imported"
	Here     = "here" // it was before
	Failed   = "failed"
)

// Import brings in what is chosen. With dry nothing is changed. What comes in
// is not in the lists of sessions until a person puts it there. A server that
// fails does not keep the others from coming.
func (i *Importer) Import(ctx context.Context, q Request, dry bool) (Report, error) {
	i.importing.Lock()
	defer i.importing.Unlock()
	switch {
	case q.Text != "" && q.Bundle != "":
		return Report{}, fault.New(fault.Invalid, "name a text or a bundle, not both")
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
	return i.bring(ctx, q, scan.Candidates, dry)
}

// bring brings in what is chosen of candidates, and takes it out of the editors
// when that is wished.
func (i *Importer) bring(ctx context.Context, q Request, candidates []Candidate, dry bool) (Report, error) {
	b := bringing{Importer: i, dry: dry, report: Report{Servers: []Arrival{}, Taken: []Taken{}, DryRun: dry}}
	for _, chosen := range choose(q, candidates) {
		if ctx.Err() != nil {
			return b.report, fault.Wrap(ctx.Err(), fault.Unavailable, "the import was cut short; run it again for the rest")
		}
		arrival := b.server(ctx, chosen)
		b.report.Servers = append(b.report.Servers, arrival)
		if q.TakeOut && arrival.Status != Failed {
			b.away = append(b.away, leaving{chosen.Candidate, arrival.Name})
		}
	}
	if q.TakeOut {
		b.takeOut(ctx)
	}
	return b.report, nil
}

// choice is a candidate that was chosen, with the name that it is to have.
type choice struct {
	Candidate
	wanted string
	none   bool // there is no candidate of that id
}

// choose returns what was chosen, once each; all that can come in when nothing
// was, and for a TakeOut what is here too.
func choose(q Request, candidates []Candidate) []choice {
	var all []choice
	if len(q.Choices) == 0 {
		for _, c := range candidates {
			if c.Problem == "" && (c.Here == "" || q.TakeOut) {
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
			all = append(all, choice{Candidate: Candidate{ID: wanted.ID, Name: wanted.Name}, none: true})
			continue
		}
		all = append(all, choice{Candidate: candidates[at], wanted: wanted.Name})
	}
	return all
}

// bringing is an import.
type bringing struct {
	*Importer
	dry    bool
	report Report
	away   []leaving
}

// server brings in one candidate.
func (b *bringing) server(ctx context.Context, c choice) Arrival {
	a := Arrival{ID: c.ID, Name: cmp.Or(c.wanted, c.Name), Status: Imported, Moved: []string{}, Kept: []string{}}
	switch {
	case c.none:
		a.fail("it is not there any more, or it is another one by now; look at the list again")
	case c.Problem != "":
		a.fail(c.Problem)
	case c.Here != "":
		a.Status, a.Name = Here, c.Here
	default:
		if err := b.add(ctx, c, &a); err != nil {
			a.fail(fault.MessageOf(err))
		}
	}
	return a
}

func (a *Arrival) fail(why string) { a.Status, a.Problem, a.Moved = Failed, why, []string{} }

func (b *bringing) add(ctx context.Context, c choice, a *Arrival) error {
	if err := checkName(a.Name); err != nil {
		return err
	}
	if _, err := b.Registry.Get(a.Name); err == nil {
		return fault.New(fault.Conflict, "a server named %q is here already; choose another name", a.Name)
	}
	if slices.ContainsFunc(b.report.Servers, func(o Arrival) bool { return o.Name == a.Name && o.Status == Imported }) {
		return fault.New(fault.Conflict, "another server comes in as %q; choose another name", a.Name) // a dry run
	}
	if b.dry {
		a.Moved = append(a.Moved, c.Secrets...)
		return nil
	}
	if _, err := b.Lifecycle.Add(ctx, serverOf(a.Name, sourceOf(c.Candidate), c.Server)); err != nil {
		return err
	}
	b.hide(ctx, c.Secrets, a)
	return nil
}

func checkName(name string) error {
	if strings.EqualFold(name, registration.Name) {
		return fault.New(fault.Invalid, "the name %q is that of our own entry in editors; choose another", name)
	}
	return registry.CheckName(name)
}

// sourceOf says where a server came from.
func sourceOf(c Candidate) string {
	if len(c.Sources) > 0 && c.Sources[0].Editor != "" {
		return "editor:" + c.Sources[0].Editor
	}
	return "pasted"
}

func serverOf(name, source string, s table.Server) registry.Server {
	r := registry.Server{Name: name, Source: source, Transport: s.Transport}
	if s.Transport == "stdio" {
		r.Command, r.Args, r.Env = s.Command, s.Args, s.Env
	} else {
		r.URL, r.Headers = s.URL, s.Headers
	}
	return r
}

// hide moves the credentials of a server that came in into the keychain. Where
// that cannot be, they stay, and that is said.
func (i *Importer) hide(ctx context.Context, places []string, a *Arrival) {
	if len(places) == 0 {
		return
	}
	if i.Vault == nil {
		a.Kept, a.Problem = places, "there is no keychain here: its credentials stand in its configuration in plain text"
		return
	}
	moves, err := i.Migrator.Migrate(ctx, []string{a.Name}, true)
	why := ""
	if err != nil {
		why = fault.MessageOf(err)
	}
	for _, m := range moves {
		if m.Action == secretmigration.Moved {
			a.Moved = append(a.Moved, m.Where)
		} else {
			a.Kept, why = append(a.Kept, m.Where), cmp.Or(m.Error, why)
		}
	}
	if len(moves) == 0 && err != nil {
		a.Kept = places
	}
	a.Moved, a.Kept = slices.Compact(a.Moved), slices.Compact(a.Kept)
	if len(a.Kept) > 0 || err != nil {
		a.Problem = "credentials still stand in its configuration in plain text: " + why + ". Once that is mended: agent-discover secrets migrate"
	}
}
