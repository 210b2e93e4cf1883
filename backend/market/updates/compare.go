package updates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Comparison describes what a newer version of a server would change.
type Comparison struct {
	Server string `json:"server"`
	From   string `json:"from"`
	To     string `json:"to"`
	Hash   string `json:"hash,omitempty"` // approves the update in ApplyOrder; empty if the update is not possible yet

	// The configuration that the server would get, with references in place of secrets.
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"` // set for a remote server
	Headers map[string]string `json:"headers,omitempty"`

	Plan   *plan.Plan      `json:"plan,omitempty"`   // plan for the newer version
	Inputs []plan.Question `json:"inputs,omitempty"` // questions that the installed version did not ask
	Notes  []string        `json:"notes,omitempty"`  // sentences for the person who approves the update

	SignIn bool `json:"sign_in,omitempty"` // the server asks for a sign-in, so its tools are not known
	// Unstarted means that the newer version was not started: it would be started in another way than the installed
	// one, so a person must see the configuration first. To list its tools, compare again with the Hash.
	Unstarted bool     `json:"unstarted,omitempty"`
	Added     []string `json:"added,omitempty"` // names of tools, as in the next two fields
	Removed   []string `json:"removed,omitempty"`
	Changed   []Change `json:"changed,omitempty"`
	Replay    *Replay  `json:"replay,omitempty"` // nil if no calls were replayed

	Problem string    `json:"problem,omitempty"` // why the comparison failed
	At      time.Time `json:"at"`
}

// compared is a comparison with the answers that it used, which may contain secrets.
type compared struct {
	Comparison
	server  int64 // id of the server
	answers map[string][]string
}

// keepAnswers is how long the answers of a comparison are kept, so that Apply can reuse them.
const keepAnswers = time.Hour

// last returns the last comparison of a server, and false if there is none.
func (u *Updates) last(s registry.Server) (compared, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	c := u.comparisons[s.Name]
	if c == nil || c.server != s.ID { // the comparison belongs to a removed server with this name
		delete(u.comparisons, s.Name)
		return compared{}, false
	}
	return *c, true
}

// forgetAnswers forgets the answers of old comparisons, which may contain secrets.
func (u *Updates) forgetAnswers() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range u.comparisons {
		if u.options.Now().Sub(c.At) > keepAnswers {
			c.answers = nil
		}
	}
}

// CompareOrder describes a comparison to make.
type CompareOrder struct {
	Answers map[string][]string // answers to questions that the installed version did not ask
	Replay  *ReplayOrder        // nil if no calls are to be replayed
	// Hash is the hash of a comparison that a person has seen. A newer version that is started in another way than
	// the installed one is started only with this hash.
	Hash string
}

// Compare starts the comparison of a server with its newest version. The newest version is downloaded and runs beside
// the installed one until its tools are listed and calls are replayed. Then everything is removed. If the
// configuration differs in more than the version number and the given answers, for example in the package, the newest
// version does not run before a person has seen the difference: see CompareOrder.Hash.
func (u *Updates) Compare(ctx context.Context, name string, o CompareOrder) (installer.Progress, error) {
	s, i, err := u.installed(ctx, name)
	if err != nil {
		return installer.Progress{}, err
	}
	return u.options.Installer.Start(installer.Progress{Kind: installer.Comparison, Listing: i.Listing.ID(), Server: name},
		func(ctx context.Context, w *installer.Work) error {
			c := &compared{server: s.ID, answers: o.Answers}
			err := u.compare(ctx, w, name, o, &c.Comparison)
			if c.At = u.options.Now().UTC(); err != nil {
				c.Hash, c.Problem = "", fault.MessageOf(err)
			}
			u.mu.Lock()
			u.comparisons[name] = c
			u.mu.Unlock()
			u.publish(ctx)
			return err
		})
}

// Comparison returns the last comparison of a server since the hub started. If there is none, the error is a
// fault.NotFound.
func (u *Updates) Comparison(name string) (Comparison, error) {
	s, err := u.options.Registry.Get(name)
	if err != nil {
		return Comparison{}, err
	}
	if c, ok := u.last(s); ok {
		return c.Comparison, nil
	}
	return Comparison{}, fault.New(fault.NotFound, "server %q was not compared with a newer version", name)
}

func (u *Updates) compare(ctx context.Context, w *installer.Work, name string, o CompareOrder, c *Comparison) error {
	v, err := u.plan(ctx, w, name, o.Answers, c)
	if err != nil {
		return err
	}
	defer w.Close(&v.request)
	if o.Hash != v.hash && v.startsDifferently(o.Answers) {
		c.Unstarted = true
		c.Notes = append(c.Notes,
			"The newer version is started in another way than the current one, so it was not started yet. To compare their tools, look "+
				"at its configuration and compare them again.")
		w.Undo(ctx)
		return nil
	}
	if err := w.Download(ctx, &v.request, v.plan); err != nil {
		return err
	}
	defer w.Undo(ctx) // deferred first, so that it runs after the process has ended
	running, err := u.try(ctx, w, v.server, v.to, v.plan.Values())
	defer u.end(running)
	if err != nil {
		return err
	}
	if c.SignIn = running.signIn; c.SignIn {
		return nil
	}
	present := u.options.Catalog.Snapshot().Of(name)
	c.Added, c.Removed, c.Changed = compareTools(present, running.tools)
	if o.Replay == nil {
		return nil
	}
	w.Enter(installer.Replay)
	c.Replay, err = u.replay(ctx, running, v.install, *o.Replay)
	return err
}

// version is a planned version of a server.
type version struct {
	server  registry.Server // the server with its current configuration
	install installer.Install
	request plan.Request
	plan    *plan.Plan
	to      installer.Configured
	hash    string
}

// plan plans the newest version of a server, and adds the facts that are known before a download to a comparison.
// Unless there is an error, the caller closes the request.
func (u *Updates) plan(ctx context.Context, w *installer.Work, name string, answers map[string][]string,
	c *Comparison,
) (v version, err error) {
	w.Enter(installer.Prerequisites)
	if v.server, v.install, err = u.installed(ctx, name); err != nil {
		return v, err
	}
	c.Server, c.From = name, v.install.Version
	if err := v.server.Usable(); err != nil {
		return v, err
	}
	l, err := u.listing(ctx, v.install)
	if err != nil {
		return v, err
	}
	if v.request, err = u.request(ctx, v.server, v.install, l, answers); err != nil {
		return v, err
	}
	v.plan, err = w.Plan(ctx, &v.request)
	if p := w.Planned(); p != nil {
		c.Plan, c.To, c.Inputs, c.Notes = p, versionOf(p), inputs(p, v.install), slices.Clone(p.Notes)
	}
	if err == nil {
		err = v.check()
	}
	if err != nil {
		w.Close(&v.request)
		return v, err
	}
	var notes []string
	v.to, notes = merge(installer.ConfiguredOf(v.server), v.install.Configured, installer.ConfiguredOf(v.plan.Server))
	// The package of a bundle is the URL of its file, which differs in each version.
	if was := v.install.Configured.Package; was != "" && was != v.to.Package && v.plan.Option.Kind != string(listing.KindMCPB) {
		notes = append(notes, "The listing names another package now: "+v.to.Package+" in place of "+was+".")
	}
	v.hash = v.approval()
	c.Hash, c.Notes = v.hash, append(c.Notes, notes...)
	c.Env, c.Headers = v.to.Env, v.to.Headers
	if v.to.Command != "" {
		c.Command = append([]string{v.to.Command}, v.to.Args...)
	} else {
		c.URL = v.to.URL
	}
	return v, nil
}

// check returns an error if a server cannot be updated to a planned version.
func (v *version) check() error {
	if versionOf(v.plan) == v.install.Version {
		return &fault.Error{
			Kind: fault.Conflict, Code: fault.CodeUpToDate,
			Message: "server \"" + v.server.Name + "\" has the latest version, " + v.install.Version,
		}
	}
	for name := range v.plan.Values() {
		if v.request.Stored[name] {
			return fault.New(fault.Invalid, "the secret %s is stored already; to change it: agent-discover secrets set %s %s", name,
				v.server.Name, name)
		}
	}
	return nil
}

// approval returns the hash of everything that the update would run, download and store.
func (v *version) approval() string {
	after := v.server
	v.to.Apply(&after)
	canonical, _ := json.Marshal([]string{v.plan.Hash, launch.Of(after).Hash()}) // encoding strings cannot fail
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// inputs returns the questions of a plan that the plan of the installed version did not ask.
func inputs(p *plan.Plan, i installer.Install) []plan.Question {
	var out []plan.Question
	for _, q := range p.Questions {
		if !slices.Contains(i.Asked, q.Name) {
			out = append(out, q)
		}
	}
	return out
}
