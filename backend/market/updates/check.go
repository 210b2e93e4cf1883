package updates

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	// checkEvery is the time between two checks of a server, and firstAfter the time from the start of the hub to the
	// first check.
	checkEvery = 24 * time.Hour
	firstAfter = 3 * time.Minute
	// lookEvery limits the wait of a timer, because timers stop while a machine sleeps.
	lookEvery = time.Hour
	// checkTimeout limits the check of one server, and maxChecks the number of checks at the same time.
	checkTimeout = 30 * time.Second
	maxChecks    = 4
)

// Run checks the version of each server once a day until ctx ends. It returns nil.
func (u *Updates) Run(ctx context.Context) error {
	wait := firstAfter
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		u.forgetAnswers()
		if err := u.check(ctx, u.options.Now().Add(-checkEvery)); err != nil && ctx.Err() == nil {
			u.options.Log.Warn("could not check which servers have newer versions", "error", err)
		}
		wait = lookEvery
	}
}

// Check checks the versions of all installed servers now and returns the servers.
func (u *Updates) Check(ctx context.Context) ([]Server, error) {
	if err := u.check(ctx, u.options.Now()); err != nil {
		return nil, err
	}
	return u.List(ctx)
}

// check checks the servers whose last check was before a time.
func (u *Updates) check(ctx context.Context, before time.Time) error {
	select {
	case u.checking <- struct{}{}:
		defer func() { <-u.checking }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	installs, err := u.options.Store.Installs(ctx, 0)
	if err != nil {
		return err
	}
	known, err := u.options.Store.Latests(ctx)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	running, changed := make(chan struct{}, maxChecks), false
	for _, i := range installs {
		s, err := u.options.Registry.ByID(i.Server)
		if err != nil || known[i.Server].Checked.After(before) {
			continue
		}
		changed = true
		running <- struct{}{}
		group.Go(func() {
			defer func() { <-running }()
			u.checkOne(ctx, s, i, known[i.Server])
		})
	}
	group.Wait()
	if changed {
		u.publish(ctx)
	}
	return ctx.Err()
}

// checkOne finds the latest version of a server. If that fails, the version that was found before is kept.
func (u *Updates) checkOne(ctx context.Context, s registry.Server, i installer.Install, known Latest) {
	checking, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	l, err := u.latest(checking, s, i)
	switch {
	case ctx.Err() != nil:
		return // the hub is shutting down
	case err != nil:
		l.Version, l.Problem = known.Version, fault.MessageOf(err)
	}
	l.Checked = u.options.Now().UTC()
	if err := u.options.Store.SaveLatest(ctx, i.Server, l); err != nil {
		u.options.Log.Warn("could not store the latest version of a server", "server", s.Name, "error", err)
		return
	}
	if l.Version != "" && s.Package.Name != "" && s.Package.Latest != l.Version {
		_, err := u.options.Registry.Update(ctx, s.Name, func(now *registry.Server) {
			if now.ID == s.ID {
				now.Package.Latest = l.Version
			}
		})
		if err != nil {
			u.options.Log.Warn("could not store the latest version of a server", "server", s.Name, "error", err)
		}
	}
}

// latest returns the latest version of a server that its listing offers for the installed option.
func (u *Updates) latest(ctx context.Context, s registry.Server, i installer.Install) (Latest, error) {
	l, err := u.listing(ctx, i)
	if err != nil {
		return Latest{}, err
	}
	out := Latest{Status: l.Status, Message: l.Message}
	if l.Status == listing.Deleted {
		return out, fault.New(fault.NotFound, "it was withdrawn by its publisher")
	}
	r, err := u.request(ctx, s, i, l, nil)
	if err != nil {
		return out, err
	}
	p, err := u.options.Installer.Plan(ctx, r)
	if err != nil {
		return out, err
	}
	switch {
	case p.Problem != "":
		return out, fault.New(fault.Unavailable, "the version %s cannot be installed: %s", p.Version, strings.TrimSuffix(p.Problem, "."))
	case p.Unresolved == plan.Digest && u.options.Images == nil:
		return out, fault.New(fault.Unavailable, "its image has no version; compare it to find out whether there is a newer one")
	case p.Unresolved == plan.Digest:
		out.Version, err = u.options.Images.Digest(ctx, p.Download.Image())
		return out, err
	}
	out.Version = versionOf(p)
	return out, nil
}

// versionOf returns the version of a plan as installer.RecordOf records it.
func versionOf(p *plan.Plan) string {
	if p.Download != nil && p.Download.Version != "" {
		return p.Download.Version
	}
	return p.Version
}

// listing returns the current listing of an installed server.
func (u *Updates) listing(ctx context.Context, i installer.Install) (listing.Listing, error) {
	found, err := u.options.Listings.Latest(ctx, i.Listing.ID())
	if fault.KindOf(err) == fault.NotFound {
		return listing.Listing{}, fault.New(fault.NotFound, "%s is not listed any more", i.Listing.ID())
	}
	return found, err
}

// request returns the request for another version of a server. It keeps the answers and secrets of the installed
// version.
func (u *Updates) request(ctx context.Context, s registry.Server, i installer.Install, l listing.Listing,
	answers map[string][]string,
) (plan.Request, error) {
	names, err := u.options.Vault.Names(ctx, s.Name)
	if err != nil {
		return plan.Request{}, err
	}
	r := plan.Request{
		Listing: l, Option: i.Option, Name: s.Name, Answers: answers, Former: i.Answers, Stored: make(map[string]bool), Sandbox: s.Sandbox,
	}
	for _, name := range names {
		r.Stored[name] = true
	}
	return r, nil
}
