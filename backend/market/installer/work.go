package installer

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/market/plan"
)

// Work is a job of another package, such as an update of a server. If the job fails, the installer undoes everything
// that was made with the methods of Work.
type Work struct {
	installer *Installer
	job       *job
	steps     undo
}

// Start starts a job of another package in the background. p must have the kind, the listing and the server. For each
// server, only one such job or installation runs at a time.
func (i *Installer) Start(p Progress, do func(ctx context.Context, w *Work) error) (Progress, error) {
	j := newJob(i.options.Bus, p)
	return i.start(j, func(ctx context.Context) error {
		w := &Work{installer: i, job: j}
		err := do(ctx, w)
		if err == nil {
			err = ctx.Err() // cancelled at the last moment
		}
		if err != nil {
			w.Undo(ctx)
			return err
		}
		i.leftovers.keep(ctx, &w.steps)
		return nil
	})
}

// ID returns the id of the job.
func (w *Work) ID() string { return w.job.progress.ID }

// Enter begins a step.
func (w *Work) Enter(step Step) { w.job.enter(step) }

// Line adds a line to the output of the job. The caller must have redacted secrets in it.
func (w *Work) Line(text string) { w.job.line(text) }

// Listed records how many tools the server has listed, and whether it asks for a sign-in instead.
func (w *Work) Listed(tools int, signIn bool) {
	w.job.change(func(p *Progress) { p.Tools, p.SignIn = tools, signIn })
}

// Plan makes the plan for a request. It downloads the bundle or image that the plan needs, and adds the bundle,
// digest or release of the package to the request. The caller must call Close with the request.
func (w *Work) Plan(ctx context.Context, r *plan.Request) (*plan.Plan, error) {
	w.Enter(Prerequisites)
	p, err := w.installer.examine(ctx, w.job, r)
	if err != nil {
		return nil, err
	}
	w.Enter(Download)
	return w.installer.complete(ctx, w.job, r, p, &w.steps)
}

// Download downloads the package of a complete plan.
func (w *Work) Download(ctx context.Context, r *plan.Request, p *plan.Plan) error {
	return w.installer.download(ctx, w.job, r, p, &w.steps)
}

// Close releases the files of a request.
func (w *Work) Close(r *plan.Request) { w.installer.closeBundle(r) }

// Undo undoes the steps of the job so far.
func (w *Work) Undo(ctx context.Context) { w.steps.run(ctx, w.installer.options.Log) }

// Planned returns the last plan of the job, even if it cannot be carried out. It may be nil.
func (w *Work) Planned() *plan.Plan { return w.job.result.Plan }
