package installer

import (
	"context"
	"errors"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// install installs a server. If that fails, it undoes all steps.
func (i *Installer) install(ctx context.Context, j *job, o Order) error {
	var steps undo
	err := i.carryOut(ctx, j, o, &steps)
	if err == nil {
		err = ctx.Err() // cancelled at the last moment
	}
	if err != nil {
		steps.run(ctx, i.options.Log)
		j.result.Server, j.result.Tools = registry.Server{}, nil
		return err
	}
	i.leftovers.keep(ctx, &steps)
	return nil
}

func (i *Installer) carryOut(ctx context.Context, j *job, o Order, steps *undo) error {
	j.enter(Prerequisites)
	r := o.Request
	p, err := i.examine(ctx, j, &r)
	if err != nil {
		return err
	}
	defer i.closeBundle(&r)
	if i.exists(p.Name) {
		return registry.Taken(p.Name)
	}
	waits := o.Unseen && !i.options.Intake.Policy().Alone()
	if waits && len(p.Steps) > 0 {
		return fault.New(fault.Denied, "%s runs %q before its first start, which a person must see first; ask the user to install it", p.ID,
			strings.Join(p.Steps[0].Command, " "))
	}
	j.enter(Download)
	if p, err = i.complete(ctx, j, &r, p, steps); err != nil {
		return err
	}
	if o.Hash != "" && o.Hash != p.Hash {
		return fault.New(fault.Conflict, "%s is not what was approved any more, so nothing was installed; look at the plan again", p.ID)
	}
	if why := i.options.Intake.Unstorable(ctx); len(p.Values()) > 0 && why != "" {
		return fault.New(fault.Unavailable, "%s needs secrets, and there is no place for them: %s", p.ID, why)
	}
	if !waits || !runsOnDownload(p.Download) {
		if err := i.download(ctx, j, &r, p, steps); err != nil {
			return err
		}
	}
	j.enter(Register)
	server, err := i.register(ctx, o, p, steps)
	if err != nil {
		return err
	}
	if server.Approved {
		j.enter(Start)
		err = i.prove(ctx, j, p)
	} else {
		j.change(func(progress *Progress) { progress.Waiting = true })
	}
	if err != nil {
		return err
	}
	record := RecordOf(server.ID, r, p)
	record.Configured = ConfiguredOf(server)
	if err := i.options.Store.SaveInstall(ctx, record); err != nil {
		return err
	}
	j.result.Server = server
	if p.Download != nil {
		i.shelf.drop(p.Download.SHA256)
	}
	return nil
}

// runsOnDownload reports whether the download of a package may run programs of its publisher.
func runsOnDownload(d *plan.Download) bool {
	return d != nil && d.Kind != listing.KindMCPB && d.Kind != listing.KindOCI
}

// prepare makes the download that is needed before a plan can be shown: the bundle, or the image whose digest is
// pinned.
func (i *Installer) prepare(ctx context.Context, j *job, r plan.Request) error {
	var steps undo
	j.enter(Prerequisites)
	p, err := i.examine(ctx, j, &r)
	if err == nil {
		defer i.closeBundle(&r)
		j.enter(Download)
		_, err = i.complete(ctx, j, &r, p, &steps)
	}
	if err != nil {
		steps.run(ctx, i.options.Log)
		return err
	}
	i.leftovers.keep(ctx, &steps)
	return nil
}

// Plan returns the plan for a request. It looks up the version in the package registry, and uses the downloads of
// Prepare.
func (i *Installer) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	defer i.closeBundle(&r)
	p, err := i.plan(ctx, &r)
	if err == nil && i.exists(p.Name) {
		p.Notes = append(p.Notes, "A server named “"+safetext.Visible(p.Name)+"” exists already. Choose another name.")
	}
	return p, err
}

func (i *Installer) exists(server string) bool {
	_, err := i.options.Registry.Get(server)
	return err == nil
}

// plan makes the plan for a request. It adds to the request the bundle, digest or release of the package, if known.
func (i *Installer) plan(ctx context.Context, r *plan.Request) (*plan.Plan, error) {
	m := i.options.Machine
	m.Programs = i.options.Programs.Check(ctx)
	p, err := plan.Make(*r, m)
	if err != nil {
		return nil, err
	}
	r.Option = p.Option.ID // the additions to the request are about this option
	known, err := i.add(ctx, r, p)
	if err != nil || !known {
		return p, err
	}
	return plan.Make(*r, m)
}

// add adds the bundle, digest or release of the plan's package to a request. It reports whether it has added
// something.
func (i *Installer) add(ctx context.Context, r *plan.Request, p *plan.Plan) (bool, error) {
	if p.Download == nil || p.Problem != "" {
		return false, nil
	}
	switch p.Unresolved {
	case plan.File:
		file, err := i.shelf.open(p.Download.SHA256)
		r.Bundle = file
		return file != nil, err
	case plan.Digest:
		r.Digest = i.programs.digest(reference(p.Download))
		return r.Digest != "", nil
	}
	releases := i.options.Releases[p.Download.Kind]
	if releases == nil || r.Release.Version != "" {
		return false, nil
	}
	release, err := releases.Release(ctx, p.Download.Name, wanted(r.Listing, p.Download))
	chosen := r.Listing.Source != listing.Official // a person chose this version in a package registry, so it must exist
	if err != nil && (p.Unresolved == plan.Version || chosen && fault.KindOf(err) == fault.NotFound) {
		return false, err
	}
	r.Release = release
	return err == nil, nil
}

// wanted returns the version of a package that a listing names. It may be a tag or a range.
func wanted(l listing.Listing, d *plan.Download) string {
	for _, p := range l.Packages {
		if p.Kind == d.Kind && p.Identifier == d.Name && (d.Version == "" || p.Version == d.Version) {
			return p.Version
		}
	}
	return d.Version
}

// examine makes the plan and checks everything that can be checked before a download. If err is nil, the caller
// closes r.Bundle.
func (i *Installer) examine(ctx context.Context, j *job, r *plan.Request) (*plan.Plan, error) {
	p, err := i.plan(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := check(j, p); err != nil {
		i.closeBundle(r)
		return nil, err
	}
	return p, nil
}

// check returns an error if a plan cannot be carried out. A bundle or digest that is not downloaded yet is no error.
func check(j *job, p *plan.Plan) error {
	j.result.Plan = p
	installs, asks := j.progress.Kind != Preparation, len(p.Unanswered()) > 0
	if p.Problem != "" || p.Unresolved == plan.Version || installs && asks && p.Unresolved != plan.File {
		return p.Check()
	}
	if p.Missing != "" {
		err := fault.New(fault.Unavailable, "%s cannot be installed yet: %s", p.ID, p.Missing)
		err.Code = fault.CodeMissingProgram
		if how := p.Install.Advice(); how != "" {
			err.Message += " To install it, " + how + "."
		}
		return err
	}
	return nil
}

// complete downloads the bundle or image that the plan lacks, and returns the complete plan.
func (i *Installer) complete(ctx context.Context, j *job, r *plan.Request, p *plan.Plan, steps *undo) (*plan.Plan, error) {
	switch p.Unresolved {
	case plan.File:
		if err := i.fetch(ctx, j, p.Download, steps); err != nil {
			return nil, err
		}
	case plan.Digest:
		if err := i.findDigest(ctx, j, p, steps); err != nil {
			return nil, err
		}
	default:
		return p, nil
	}
	p, err := i.plan(ctx, r)
	if err == nil {
		if err = check(j, p); err == nil && j.progress.Kind != Preparation {
			err = p.Check()
		}
	}
	return p, err
}

// download downloads the package of a plan and runs the steps before the first start.
func (i *Installer) download(ctx context.Context, j *job, r *plan.Request, p *plan.Plan, steps *undo) error {
	switch {
	case p.Download == nil:
	case p.Download.Kind == listing.KindMCPB:
		return i.unpack(ctx, r.Bundle, p, steps)
	case p.Download.Kind == listing.KindOCI:
		return i.pull(ctx, j, p.Server.Command, reference(p.Download), steps)
	default:
		skipped, err := i.options.Packages.Download(ctx, p.Server, j.line)
		if err != nil {
			return err
		}
		if skipped != "" && len(p.Steps) == 0 {
			j.line("The first start downloads the package.")
		}
	}
	for _, step := range p.Steps {
		if err := i.step(ctx, j, p, step, steps); err != nil {
			return err
		}
	}
	return nil
}

// register configures the server and stores its secrets.
func (i *Installer) register(ctx context.Context, o Order, p *plan.Plan, steps *undo) (registry.Server, error) {
	if err := i.leftovers.mark(ctx, steps, Leftover{Kind: LeftServer, Server: p.Name}, nil); err != nil {
		return registry.Server{}, err
	}
	a := intake.Arrival{Server: p.Server, Values: p.Values()}
	a.Server.ProposedBy, a.Server.Sandbox = o.ProposedBy, registry.Guard
	switch {
	case o.ProposedBy != "":
		a.Origin = intake.Agent
	case o.Unseen:
		a.Origin = intake.Unseen
	}
	out, err := i.options.Intake.Add(ctx, a)
	if err == nil {
		steps.add(func(ctx context.Context) error { return i.options.Servers.Remove(ctx, p.Name) })
	}
	return out.Server, err
}

// prove starts the server and lists its tools. A remote server that asks for a sign-in counts as working.
func (i *Installer) prove(ctx context.Context, j *job, p *plan.Plan) error {
	tools, err := i.options.Servers.Refresh(ctx, p.Name)
	if err != nil && !errors.Is(err, mcphttp.ErrSignIn) {
		for line := range strings.Lines(i.options.Children.Stderr(p.Name)) {
			j.line(strings.TrimRight(line, "\r\n"))
		}
		return err
	}
	j.result.Tools = tools
	j.change(func(progress *Progress) { progress.Tools, progress.SignIn = len(tools), err != nil })
	return nil
}

// installProgram installs a program with the command that package prerequisites knows.
func (i *Installer) installProgram(ctx context.Context, j *job, name string) error {
	j.enter(Prerequisites)
	program := i.options.Programs.Check(ctx).Program(name)
	switch {
	case program.Works:
		return nil
	case program.Install == nil || len(program.Install.Run) == 0:
		err := fault.New(fault.Unavailable, "Agent Discover cannot install %s on this machine", safetext.Visible(name))
		if how := program.Install.Advice(); how != "" {
			err.Message += "; " + how
		}
		return err
	}
	j.enter(Download)
	for _, command := range program.Install.Run {
		if _, err := i.programs.run(ctx, j.line, command[0], command[1:]...); err != nil {
			return err
		}
	}
	i.options.Programs.Forget()
	if program = i.options.Programs.Check(ctx).Program(name); !program.Works {
		return fault.New(fault.Failed, "%s was installed, but it does not work yet: %s", name, program.Problem)
	}
	return nil
}
