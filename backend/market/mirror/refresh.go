package mirror

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/official"
)

const (
	// format is the version of the form in which listings are stored. Increase it after a change to that form, or to
	// the conversion of entries of the registry: all entries are then read again.
	format = 1
	// overlap is how long before the beginning of the last round the changes begin that a round requests: clocks
	// differ, and a change may become visible after its timestamp.
	overlap = time.Hour
	// fullEvery is the time after which all servers are read again. This finds differences that a list of changes
	// does not contain, such as entries that were removed without a trace.
	fullEvery = 7 * 24 * time.Hour
	// If more than fewUnseen entries, and more than unseenShare of all, are missing from a complete list, the list
	// counts as incomplete.
	fewUnseen   = 50
	unseenShare = 0.2
	// maxRead is the number of entries after which a round is aborted, so that a registry with endless pages does not
	// fill the disk. It is many times the size of the official registry.
	maxRead = 1_000_000
)

// pauses are the times before a request is repeated after a temporary failure.
var pauses = []time.Duration{time.Second, 5 * time.Second}

// refresh continues a round that is not complete, or runs a new one.
func (m *Mirror) refresh(ctx context.Context) error {
	if err := m.options.Source.Check(); err != nil {
		return err
	}
	began := m.options.Now()
	m.update(func(s *Status) { s.Running, s.Began, s.Read = true, began, 0 })
	resumed := m.state.Open
	err := m.round(ctx, began)
	if fault.KindOf(err) == fault.Failed && (resumed || !m.state.Full) {
		// The registry may reject a cursor from before a restart, or may not support lists of changes: read
		// everything.
		m.options.Log.Info("the registry is read again from its beginning", "error", err)
		m.state.Open, m.state.FullAt = false, time.Time{}
		err = m.round(ctx, began)
	}
	m.conclude(ctx, err)
	return err
}

// conclude records the outcome of a refresh.
func (m *Mirror) conclude(ctx context.Context, err error) {
	state := m.state
	switch {
	case ctx.Err() != nil: // the hub is shutting down; the next start continues the round
	case err != nil:
		state.Problem, state.FailedAt = fault.MessageOf(err), m.options.Now()
		state.Failures++
		if fault.KindOf(err) == fault.Failed {
			state.Open = false // the same page would fail again, so start a new round
		}
		m.options.Log.Warn("could not refresh the copy of the registry", "error", err)
		m.state = state
		if m.isForeign() {
			break // keep the state of the other registry, which may be configured again
		}
		if err := m.options.Store.ChangeMirror(ctx, Change{State: state}); err != nil {
			m.options.Log.Warn("could not save the state of the copy of the registry", "error", err)
		}
	}
	m.update(func(s *Status) { s.Running = false })
	if err := m.publishState(context.WithoutCancel(ctx), state); err != nil {
		m.options.Log.Warn("could not count the copy of the registry", "error", err)
	}
	m.reload(ctx)
	status := m.Status()
	events.Publish(m.options.Bus, Refreshed{Entries: status.Entries, Problem: status.Problem})
}

// publishState copies a state into the status.
func (m *Mirror) publishState(ctx context.Context, state State) error {
	count := 0
	if !m.isForeign() {
		var err error
		if count, _, err = m.options.Store.CountMirror(ctx, 0); err != nil {
			return err
		}
	}
	m.update(func(s *Status) {
		s.URL, s.Entries, s.Refreshed = m.options.Source.URL(), count, state.Refreshed
		s.Problem, s.FailedAt = state.Problem, state.FailedAt
	})
	return nil
}

func (m *Mirror) update(change func(*Status)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.status)
}

// round reads the remaining pages of a round. It stores each page together with the cursor of the next one.
func (m *Mirror) round(ctx context.Context, began time.Time) error {
	m.begin()
	seen := make(map[string]bool) // cursors; a registry that repeats one would make the loop endless
	for m.state.Open {
		seen[m.state.Cursor] = true
		page, err := m.page(ctx, official.Query{Cursor: m.state.Cursor, Latest: m.state.Full, Since: m.state.Since})
		if err != nil {
			return err
		}
		if page.Next != "" && seen[page.Next] {
			return fault.New(fault.Failed, "the registry at %s answers with the same pages again and again; %d entries were read",
				m.options.Source.URL(), m.state.Read)
		}
		if page.Next != "" && m.state.Read > maxRead {
			return fault.New(fault.Failed, "the list of the registry at %s does not end; %d entries were read",
				m.options.Source.URL(), m.state.Read)
		}
		change, err := m.changeOf(ctx, page)
		if err != nil {
			return err
		}
		change.Reset = m.isForeign()
		if page.Next == "" {
			if err := m.complete(ctx, &change); err != nil {
				return err
			}
		}
		if err := m.options.Store.ChangeMirror(ctx, change); err != nil {
			return err
		}
		m.apply(change, began)
	}
	return nil
}

// begin starts a new round, unless a round is not complete.
func (m *Mirror) begin() {
	s := &m.state
	s.URL = m.options.Source.URL()
	if s.Format != format {
		s.Open, s.FullAt = false, time.Time{}
	}
	if s.Open {
		return
	}
	s.Format, s.Open, s.Cursor, s.Read, s.Began = format, true, "", 0, time.Time{}
	s.Round++
	s.Full, s.Since = s.Known.IsZero() || m.options.Now().Sub(s.FullAt) >= fullEvery, time.Time{}
	if !s.Full {
		s.Since = s.Known.Add(-overlap)
	}
}

// page requests a page. It repeats the request after temporary failures.
func (m *Mirror) page(ctx context.Context, q official.Query) (official.Page, error) {
	for attempt := 0; ; attempt++ {
		page, err := m.options.Source.List(ctx, q)
		kind := fault.KindOf(err)
		if err == nil || attempt == len(pauses) || kind != fault.Unavailable && kind != fault.Timeout && kind != fault.Busy {
			return page, err
		}
		pause := time.NewTimer(pauses[attempt])
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return page, ctx.Err()
		}
	}
}

// changeOf returns the change that stores the entries of a page, with the state after that page.
func (m *Mirror) changeOf(ctx context.Context, page official.Page) (Change, error) {
	c := Change{State: m.state}
	s := &c.State
	s.Cursor, s.Read = page.Next, s.Read+len(page.Entries)+page.Skipped
	if s.Began.IsZero() {
		if s.Began = page.Date; s.Began.IsZero() {
			s.Began = m.options.Now()
		}
	}
	latest := make(map[string]bool)
	for _, e := range page.Entries {
		if e.Latest {
			latest[e.Name] = true
			c.Put = append(c.Put, stored(e.Listing))
		}
	}
	err := m.successors(ctx, page, latest, &c)
	return c, err
}

func stored(l listing.Listing) Stored { return Stored{l, documentOf(&l)} }

// successors adds the new latest versions of servers whose stored version is no longer the latest. This happens when
// a publisher withdraws a version: the registry reports the withdrawn version as changed, but not the one that
// replaces it.
func (m *Mirror) successors(ctx context.Context, page official.Page, latest map[string]bool, c *Change) error {
	withdrawn := make(map[string]string) // versions by name
	var names []string
	for _, e := range page.Entries {
		if !e.Latest && !latest[e.Name] {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	known, err := m.options.Store.MirrorVersions(ctx, names)
	if err != nil {
		return err
	}
	for _, e := range page.Entries {
		if !e.Latest && known[e.Name] == e.Version {
			withdrawn[e.Name] = e.Version
		}
	}
	for name := range withdrawn {
		switch e, err := m.options.Source.Version(ctx, name, official.LatestVersion); {
		case fault.KindOf(err) == fault.NotFound:
			c.Gone = append(c.Gone, name)
		case err != nil:
			return err
		default:
			c.Put = append(c.Put, stored(e.Listing))
		}
	}
	return nil
}

// complete adds the end of a round to the change for its last page.
func (m *Mirror) complete(ctx context.Context, c *Change) error {
	now := m.options.Now()
	s := &c.State
	s.Open, s.Cursor, s.Refreshed, s.Known = false, "", now, s.Began
	s.Problem, s.FailedAt, s.Failures = "", time.Time{}, 0
	if s.Full {
		s.FullAt = now
		all, unseen, err := m.options.Store.CountMirror(ctx, s.Round)
		if err != nil {
			return err
		}
		unseen -= len(c.Put) // entries of the last page are not stored yet
		if unseen > fewUnseen && float64(unseen) > unseenShare*float64(all) && !s.Doubted {
			m.state.Open, m.state.Doubted = false, true
			return fault.New(fault.Unavailable,
				"the registry at %s lists %d servers fewer than before; the copy keeps them until the next refresh",
				m.options.Source.URL(), unseen)
		}
		c.Unseen, s.Doubted = true, false
	}
	if m.options.Installed != nil {
		var err error
		if c.Keep, err = m.options.Installed(ctx); err != nil {
			return err
		}
	}
	c.Prune = true
	return nil
}

// apply applies a stored change to the state in memory and publishes the progress.
func (m *Mirror) apply(c Change, began time.Time) {
	m.state = c.State
	elapsed := m.options.Now().Sub(began)
	m.mu.Lock()
	m.change++
	m.foreign = false
	if m.status.Read = c.State.Read; m.status.Refreshed.IsZero() {
		m.status.Entries = c.State.Read // an estimate; the end of the refresh counts them
	}
	m.mu.Unlock()
	events.Publish(m.options.Bus, Refreshing{Entries: c.State.Read, Elapsed: elapsed})
}
