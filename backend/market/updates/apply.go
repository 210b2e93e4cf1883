package updates

import (
	"context"
	"errors"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// ApplyOrder is an approved update.
type ApplyOrder struct {
	// Hash is the hash of the approved comparison. If the hash of the update differs, nothing changes. An empty Hash
	// approves any update.
	Hash    string
	Answers map[string][]string // nil means the answers of the comparison with this Hash
}

// Apply starts the update of a server to its newest version. The new version must start and list its tools before the
// configuration changes. Settings and secrets are kept. Rollback returns to the former version.
func (u *Updates) Apply(ctx context.Context, name string, o ApplyOrder) (installer.Progress, error) {
	s, i, err := u.installed(ctx, name)
	if err != nil {
		return installer.Progress{}, err
	}
	u.forgetAnswers()
	if last, ok := u.last(s); ok && o.Answers == nil && last.Hash == o.Hash {
		o.Answers = last.answers
	}
	return u.options.Installer.Start(installer.Progress{Kind: installer.Update, Listing: i.Listing.ID(), Server: name},
		func(ctx context.Context, w *installer.Work) error {
			return u.apply(ctx, w, name, o)
		})
}

func (u *Updates) apply(ctx context.Context, w *installer.Work, name string, o ApplyOrder) error {
	v, err := u.plan(ctx, w, name, o.Answers, &Comparison{})
	if err != nil {
		return err
	}
	defer w.Close(&v.request)
	if o.Hash != "" && o.Hash != v.hash {
		return fault.New(fault.Conflict,
			"the update of %q is not what was approved any more, so nothing was changed; compare it again", name)
	}
	if err := w.Download(ctx, &v.request, v.plan); err != nil {
		return err
	}
	running, err := u.try(ctx, w, v.server, v.to, v.plan.Values())
	u.end(running)
	if err != nil {
		return err
	}
	if err := u.unchanged(v.server); err != nil {
		return err
	}
	u.expect(v.server, v.to)
	err = w.Switch(ctx, name, installer.Version{
		Planned: installer.ConfiguredOf(v.plan.Server), Configured: v.to, Values: v.plan.Values(),
		Record: installer.RecordOf(v.server.ID, v.request, v.plan),
	})
	if err != nil {
		return err
	}
	u.finish(ctx, running, o.Hash != "")
	return nil
}

// unchanged returns an error if the configuration of a server has changed since an update of it was planned.
func (u *Updates) unchanged(before registry.Server) error {
	now, err := u.options.Registry.Get(before.Name)
	if err == nil && (now.ID != before.ID || launch.Of(now).Hash() != launch.Of(before).Hash()) {
		err = fault.New(fault.Conflict, "the configuration of server %q has changed meanwhile, so it was left as it is; try again",
			before.Name)
	}
	return err
}

// expect tells Trust that a person has approved another configuration of a server.
func (u *Updates) expect(s registry.Server, to installer.Configured) {
	if u.options.Trust != nil {
		to.Apply(&s)
		u.options.Trust.Expect(s)
	}
}

// finish makes the new version of a server known to all parts of the hub. shown means that a person has seen how its
// tools differ from the former ones.
func (u *Updates) finish(ctx context.Context, t *trial, shown bool) {
	name, ctx := t.owner.Name, context.WithoutCancel(ctx)
	if u.options.Trust != nil {
		if err := u.options.Trust.AcceptVersion(ctx, name, t.definitions, shown && !t.signIn); err != nil {
			u.options.Log.Warn("could not note that an updated server is approved; its tools wait for a person",
				"server", name, "error", err)
		}
	}
	u.options.Processes.Renew(name)
	if !t.signIn {
		if _, err := u.options.Catalog.Replace(ctx, name, t.definitions); err != nil {
			u.options.Log.Warn("could not store the tools of an updated server; its next start stores them", "server", name, "error", err)
		}
	}
	u.mu.Lock()
	delete(u.comparisons, name)
	u.mu.Unlock()
	u.publish(ctx)
}

// Rollback starts the return of a server to the previous version, with the answers that were given for that version.
func (u *Updates) Rollback(ctx context.Context, name string) (installer.Progress, error) {
	_, i, err := u.installed(ctx, name)
	if err != nil {
		return installer.Progress{}, err
	}
	return u.options.Installer.Start(installer.Progress{Kind: installer.Rollback, Listing: i.Listing.ID(), Server: name},
		func(ctx context.Context, w *installer.Work) error {
			return u.rollBack(ctx, w, name)
		})
}

func (u *Updates) rollBack(ctx context.Context, w *installer.Work, name string) error {
	w.Enter(installer.Prerequisites)
	s, i, err := u.installed(ctx, name)
	if err != nil {
		return err
	}
	former, err := u.former(ctx, i)
	switch {
	case err != nil:
		return err
	case former.ID == 0:
		return fault.New(fault.Conflict, "server %q has no former version to return to", name)
	case s.Usable() != nil:
		return s.Usable()
	}
	to, notes := merge(installer.ConfiguredOf(s), i.Configured, former.Configured)
	for _, note := range notes {
		w.Line(strings.ReplaceAll(note, "new version", "former version"))
	}
	running, err := u.try(ctx, w, s, to, nil)
	u.end(running)
	if err != nil && ctx.Err() == nil { // the files of the former version may have been deleted
		if again := u.fetch(ctx, w, s, former); again != nil {
			return errors.Join(err, again)
		}
		running, err = u.try(ctx, w, s, to, nil)
		u.end(running)
	}
	if err != nil {
		return err
	}
	if err := u.unchanged(s); err != nil {
		return err
	}
	u.expect(s, to)
	if err := w.Switch(ctx, name, installer.Version{Configured: to, To: former.ID}); err != nil {
		return err
	}
	u.finish(ctx, running, true) // shown, because the person has used this version before
	return nil
}

// fetch downloads the package of a former version of a server again.
func (u *Updates) fetch(ctx context.Context, w *installer.Work, s registry.Server, former installer.Install) error {
	r, err := u.request(ctx, s, former, former.Listing, nil)
	if err != nil {
		return err
	}
	r.Release, r.Digest = former.Release, former.Digest
	p, err := w.Plan(ctx, &r)
	if err != nil {
		return err
	}
	defer w.Close(&r)
	return w.Download(ctx, &r, p)
}
