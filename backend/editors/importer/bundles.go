package importer

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/bundle"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// ScanBundle reads the manifest of an .mcpb or .dxt file, and what it asks for.
func (i *Importer) ScanBundle(ctx context.Context, file string) (Scan, []Question, error) {
	b, err := bundle.Open(file)
	if err != nil {
		return Scan{}, nil, err
	}
	defer func() { _ = b.Close() }()
	questions := []Question{}
	for _, o := range b.Options {
		q := Question{Key: o.Key, Title: shown(o.Title), Description: shown(o.Description), Kind: o.Kind, Required: o.Required, Secret: o.Secret, Multiple: o.Multiple}
		if !o.Secret {
			q.Default = b.Default(i.system(), o)
		}
		questions = append(questions, q)
	}
	return Scan{Candidates: []Candidate{i.bundled(b, file)}, Problems: []Problem{}}, questions, ctx.Err()
}

func (i *Importer) system() bundle.System {
	return bundle.System{OS: i.Machine.OS, Home: i.Machine.Home, Runs: func(program string) bool {
		_, ok := i.Machine.Command(program)
		return ok
	}}
}

// bundled is what a bundle offers: one candidate.
func (i *Importer) bundled(b *bundle.Bundle, file string) Candidate {
	folder := filepath.Join(i.Bundles, b.Folder())
	run := b.Launch(i.system(), folder, nil)
	s := sighting{entry: b.Name, server: table.Server{Transport: "stdio", Command: run.Command, Args: run.Args, Env: run.Env}, pasted: true}
	s.file.Path = file
	if !b.Fits(i.system()) {
		s.problem = "the bundle is for other systems: " + strings.Join(b.Platforms, ", ")
	}
	if !strings.HasPrefix(run.Command, folder) {
		s.missing(i.Machine)
	}
	c := candidateOf(s)
	c.ID, c.Sources[0].Name = b.Hash[:16], shown(b.Title)
	if here, ok := i.fromFolder(folder); ok {
		c.Here = here.Name
	}
	i.names().propose(&c)
	return c
}

// fromFolder returns the server that a bundle became whose folder this is.
func (i *Importer) fromFolder(folder string) (registry.Server, bool) {
	for _, s := range i.Registry.List() {
		texts := append([]string{s.Command}, s.Args...)
		for _, value := range s.Env {
			texts = append(texts, value)
		}
		for _, text := range texts {
			if s.Source == "bundle" && strings.Contains(text+string(filepath.Separator), folder+string(filepath.Separator)) {
				return s, true
			}
		}
	}
	return registry.Server{}, false
}

// importBundle unpacks a bundle and brings its server in, whole or not at all.
func (i *Importer) importBundle(ctx context.Context, q Request, dry bool) (Report, error) {
	if q.TakeOut {
		return Report{}, fault.New(fault.Invalid, "a bundle is no entry of an editor; there is nothing to take out")
	}
	b, err := bundle.Open(q.Bundle)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = b.Close() }()
	if i.Bundles == "" {
		return Report{}, fault.New(fault.Unavailable, "there is no folder for bundles here")
	}
	report := Report{Servers: []Arrival{}, Taken: []Taken{}, DryRun: dry}
	all := []Candidate{i.bundled(b, q.Bundle)}
	if len(q.Choices) == 0 {
		q.Choices = []Choice{{ID: all[0].ID}}
	}
	for _, chosen := range choose(q, all) {
		a := Arrival{ID: chosen.ID, Name: cmp.Or(chosen.wanted, chosen.Name), Status: Imported, Moved: []string{}, Kept: []string{}}
		switch {
		case chosen.none:
			a.fail("the bundle is another one by now; look at it again")
		case chosen.Problem != "":
			a.fail(chosen.Problem)
		default:
			u := unpacking{Importer: i, bundle: b, arrival: &a, values: q.Values, here: chosen.Here}
			if err = u.run(ctx, dry); fault.KindOf(err) == fault.Invalid {
				return Report{}, err
			} else if err != nil {
				a.fail(fault.MessageOf(err))
			}
		}
		report.Servers = append(report.Servers, a)
	}
	return report, nil
}

// unpacking is the import of a bundle.
type unpacking struct {
	*Importer
	bundle  *bundle.Bundle
	arrival *Arrival
	values  map[string]string // the user's answers
	here    string            // the server that it became before; "" for none
}

func (u *unpacking) run(ctx context.Context, dry bool) error {
	if u.here != "" {
		u.arrival.Name, u.arrival.Status = u.here, Here
	}
	if u.here == "" || len(u.values) > 0 {
		if err := u.bundle.Check(u.system(), u.values); err != nil {
			return err
		}
	}
	if u.here == "" {
		if err := u.free(); err != nil {
			return err
		}
	}
	folder := filepath.Join(u.Bundles, u.bundle.Folder())
	launch, kept := u.launch(folder)
	for _, s := range kept {
		u.arrival.Moved = append(u.arrival.Moved, s.where)
	}
	if dry {
		return nil
	}
	placed, err := u.bundle.Unpack(ctx, u.Bundles, launch)
	if err != nil {
		return err
	}
	if err := u.enter(ctx, launch, kept); err != nil {
		return errors.Join(err, placed.Undo())
	}
	return placed.Keep()
}

func (u *unpacking) free() error {
	if err := checkName(u.arrival.Name); err != nil {
		return err
	}
	if _, err := u.Registry.Get(u.arrival.Name); err == nil {
		return fault.New(fault.Conflict, "a server named %q is here already; choose another name", u.arrival.Name)
	}
	return nil
}

// hidden is an answer that goes into the keychain.
type hidden struct{ name, value, where string }

// launch works out how the server is started, with references where answers
// are secret.
func (u *unpacking) launch(folder string) (bundle.Launch, []hidden) {
	answers := make(map[string]string, len(u.values))
	var kept []hidden
	plain := u.bundle.Launch(u.system(), folder, nil)
	marked := u.bundle.Launch(u.system(), folder, u.marks())
	for _, o := range u.bundle.Options {
		value := cmp.Or(u.values[o.Key], u.bundle.Default(u.system(), o))
		if !o.Secret || value == "" {
			answers[o.Key] = value
			continue
		}
		name, where := o.Key, "user_config."+o.Key
		for variable, text := range marked.Env {
			if _, fixed := plain.Env[variable]; !fixed && text == mark(o.Key) {
				name, where = variable, "env."+variable // where a secret of that name is anyhow
			}
		}
		kept = append(kept, hidden{name, value, where})
		answers[o.Key] = secrets.Reference(name)
	}
	return u.bundle.Launch(u.system(), folder, answers), kept
}

func (u *unpacking) marks() map[string]string {
	marks := make(map[string]string)
	for _, o := range u.bundle.Options {
		marks[o.Key] = mark(o.Key)
	}
	return marks
}

func mark(key string) string { return "\x00" + key + "\x00" }

// enter puts the server into the registry and its secrets into the keychain.
// When that fails nothing is left of a server that was not here before.
func (u *unpacking) enter(ctx context.Context, launch bundle.Launch, kept []hidden) error {
	name := u.arrival.Name
	if u.here != "" && len(u.values) == 0 {
		u.arrival.Moved = []string{}
		return nil // its files are new, and all else is as it was
	}
	if len(kept) > 0 && u.Vault == nil {
		return fault.New(fault.Unavailable, "the bundle asks for something secret, and there is no keychain to keep it in")
	}
	if u.here == "" {
		if _, err := u.Lifecycle.Add(ctx, u.server(launch)); err != nil {
			return err
		}
	}
	for _, s := range kept {
		if err := u.Vault.Set(ctx, name, s.name, s.value); err != nil {
			return errors.Join(err, u.leave(ctx))
		}
	}
	if u.here != "" {
		u.arrival.Status = Imported
		_, err := u.Registry.Update(ctx, name, func(r *registry.Server) {
			r.Command, r.Args, r.Env = launch.Command, launch.Args, launch.Env
		})
		if err != nil {
			return err
		}
	}
	u.hide(ctx, secrets.Plaintext(launch.Env, launch.Args, nil, ""), u.arrival) // answers that the bundle does not call secret
	return nil
}

// leave removes the server that could not come in whole.
func (u *unpacking) leave(ctx context.Context) error {
	if u.here != "" {
		return nil
	}
	return u.Lifecycle.Remove(context.WithoutCancel(ctx), u.arrival.Name)
}

func (u *unpacking) server(launch bundle.Launch) registry.Server {
	return registry.Server{
		Name: u.arrival.Name, Source: "bundle", Description: shown(u.bundle.Description), Transport: "stdio",
		Command: launch.Command, Args: launch.Args, Env: launch.Env,
	}
}
