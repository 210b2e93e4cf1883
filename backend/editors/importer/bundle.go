package importer

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/bundle"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Question is a setting that a bundle asks the user for.
type Question struct {
	Key         string `json:"key"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Kind        string `json:"kind"` // string, number, boolean, file or directory
	Default     string `json:"default"`
	Required    bool   `json:"required"`
	Secret      bool   `json:"secret"`
	Multiple    bool   `json:"multiple"` // each line of the answer is one value
}

// ScanBundle reads the manifest of an .mcpb or .dxt file. It returns the
// bundle's server as the only candidate, and the bundle's questions.
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
	return Scan{Candidates: []Candidate{i.bundleCandidate(b, file)}, Problems: []Problem{}}, questions, ctx.Err()
}

func (i *Importer) system() bundle.System {
	return bundle.System{OS: i.options.Machine.OS, Home: i.options.Machine.Home, Runs: func(program string) bool {
		_, ok := i.options.Machine.Command(program)
		return ok
	}}
}

func (i *Importer) bundleCandidate(b *bundle.Bundle, file string) Candidate {
	folder := filepath.Join(i.options.Bundles, b.Folder())
	run := b.Launch(i.system(), folder, nil)
	o := occurrence{entry: b.Name, server: table.Server{Transport: "stdio", Command: run.Command, Args: run.Args, Env: run.Env}, pasted: true}
	o.file.Path = file
	if !b.Fits(i.system()) {
		o.problem = "the bundle does not support this operating system, only " + strings.Join(b.Platforms, ", ")
	}
	if !pathname.Here.In(folder, run.Command) {
		o.checkCommand(i.options.Machine)
	}
	c := newCandidate(o)
	c.ID, c.Sources[0].Name = b.Hash, shown(b.Title)
	if server, _ := i.installed(b); server.Name != "" {
		c.Existing = server.Name
	}
	i.takenNames().propose(&c)
	return c
}

// installed returns the server that was imported from this very bundle, and the
// name of its folder. A folder whose name does not contain the whole hash is
// compared with the bundle file by file. The server has no name if there is
// none.
func (i *Importer) installed(b *bundle.Bundle) (registry.Server, string) {
	for _, s := range i.options.Registry.List() {
		if s.Source != "bundle" {
			continue
		}
		for _, text := range slices.Concat([]string{s.Command}, s.Args, slices.Sorted(maps.Values(s.Env))) {
			_, end, found := pathname.Here.Index(text, i.options.Bundles)
			rest := text[end:]
			if at := strings.IndexAny(rest, `/`+string(filepath.Separator)); at >= 0 {
				rest = rest[:at]
			}
			folder := rest
			if found && (pathname.Here.Equal(folder, b.Folder()) || b.IsFormerFolder(folder) && b.In(filepath.Join(i.options.Bundles, folder))) {
				return s, folder
			}
		}
	}
	return registry.Server{}, ""
}

// importBundle unpacks a bundle and adds its server. After a failure, neither
// files nor a server are left.
func (i *Importer) importBundle(ctx context.Context, q Request, dry bool) (Report, error) {
	if q.RemoveEntries {
		return Report{}, fault.New(fault.Invalid, "a bundle is not an entry of an editor; import it without removing entries")
	}
	b, err := bundle.Open(q.Bundle)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = b.Close() }()
	if i.options.Bundles == "" {
		return Report{}, fault.New(fault.Unavailable, "bundles cannot be unpacked: no folder is configured for them")
	}
	report := Report{Servers: []Result{}, Removed: []Removal{}, DryRun: dry}
	all := []Candidate{i.bundleCandidate(b, q.Bundle)}
	if len(q.Choices) == 0 {
		q.Choices = []Choice{{ID: all[0].ID}}
	}
	for _, chosen := range choose(q, all) {
		result := newResult(chosen, q.Unseen)
		switch {
		case chosen.unknown:
			result.fail("the bundle has changed since it was scanned; scan it again")
		case chosen.Problem != "":
			result.fail(chosen.Problem)
		default:
			run := bundleImport{Importer: i, bundle: b, unseen: q.Unseen, result: &result, values: q.Values, keeping: keeping{vault: i.options.Vault, plain: q.PlainText}}
			existing, folder := i.installed(b)
			run.existing, run.folder = existing.Name, folder
			if err = run.do(ctx, dry); fault.KindOf(err) == fault.Invalid {
				return Report{}, err
			} else if err != nil {
				result.fail(fault.MessageOf(err))
			}
		}
		report.Servers = append(report.Servers, result)
	}
	return report, nil
}

// bundleImport is the state of the import of one bundle.
type bundleImport struct {
	*Importer
	unseen   bool
	bundle   *bundle.Bundle
	result   *Result
	values   map[string]string // the user's answers
	keeping  keeping
	existing string // the server imported from this bundle before; "" for none
	folder   string // of existing, below Bundles
}

// do imports the bundle. If its server exists already, do replaces the files of
// the server, and its configuration if the user answered the bundle's questions.
func (b *bundleImport) do(ctx context.Context, dry bool) error {
	if b.existing != "" {
		b.result.Name, b.result.Status = b.existing, Existing
	}
	if b.existing == "" || len(b.values) > 0 {
		if err := b.bundle.Check(b.system(), b.values); err != nil {
			return err
		}
	}
	if b.existing == "" {
		if err := checkName(b.result.Name); err != nil {
			return err
		}
		if err := b.checkFree(b.result.Name); err != nil {
			return err
		}
	}
	start, answers := b.bundle.Configure(b.system(), filepath.Join(b.options.Bundles, b.bundle.Folder()), b.values)
	b.result.Preview = previewOf(table.Server{Transport: "stdio", Command: start.Command, Args: start.Args, Env: start.Env})
	for _, a := range answers {
		b.result.Moved = append(b.result.Moved, a.Where)
	}
	if b.existing == "" || len(b.values) > 0 {
		if why := b.keeping.reason(ctx); len(answers) > 0 && why != "" {
			return fault.New(fault.Unavailable, "the bundle needs a secret, which cannot be stored: %s", why)
		}
		if err := b.keeping.plan(ctx, launch.Plaintext(start.Env, start.Args, nil, ""), &Result{}); err != nil {
			return err
		}
	}
	if dry {
		return nil
	}
	unpacked, err := b.bundle.Unpack(ctx, b.options.Bundles, start)
	if err != nil {
		return err
	}
	if err := b.store(ctx, start, answers); err != nil {
		return errors.Join(err, unpacked.Undo())
	}
	if err := unpacked.Keep(); err != nil || b.existing == "" || b.unseen || b.options.Accept == nil {
		return err
	}
	return b.options.Accept(ctx, b.existing)
}

// store writes the server to the registry and the secret answers to the
// keychain. After a failure a server that did not exist before is removed.
func (b *bundleImport) store(ctx context.Context, start bundle.Launch, answers []bundle.Secret) error {
	name := b.result.Name
	if b.existing == "" {
		server := registry.Server{
			Name: name, Source: "bundle", Description: shown(b.bundle.Description), Transport: "stdio",
			Command: start.Command, Args: start.Args, Env: start.Env,
		}
		add := b.options.Lifecycle.Add
		if b.unseen {
			add = b.options.Lifecycle.AddUnapproved
		}
		if _, err := add(ctx, server); err != nil {
			return err
		}
	} else if b.unseen { // the new files are another program
		if _, err := b.options.Registry.Update(ctx, name, func(r *registry.Server) { r.Approved = false }); err != nil {
			return err
		}
		b.result.Waiting = true
	}
	if b.existing != "" && len(b.values) == 0 {
		b.result.Moved = []string{} // no credential was moved: only the files were replaced
		return b.moveFolder(ctx)
	}
	for _, a := range answers {
		if err := b.options.Vault.Set(ctx, name, a.Name, a.Value); err != nil {
			if b.existing == "" {
				err = errors.Join(err, b.options.Lifecycle.Remove(context.WithoutCancel(ctx), name))
			}
			return err
		}
	}
	if b.existing != "" {
		b.result.Status = Imported
		_, err := b.options.Registry.Update(ctx, name, func(r *registry.Server) {
			r.Command, r.Args, r.Env = start.Command, start.Args, start.Env
		})
		if err != nil {
			return err
		}
	}
	// An answer may be a credential although the manifest does not mark the
	// setting as sensitive.
	err := b.moveSecrets(ctx, b.keeping, launch.Plaintext(start.Env, start.Args, nil, ""), b.result)
	if err != nil && b.existing == "" {
		err = errors.Join(err, b.options.Lifecycle.Remove(context.WithoutCancel(ctx), name), b.options.Registry.Compact(ctx))
	}
	return err
}

// moveFolder makes the existing server use the folder of the bundle, if it uses
// a former one.
func (b *bundleImport) moveFolder(ctx context.Context) error {
	if pathname.Here.Equal(b.folder, b.bundle.Folder()) {
		return nil
	}
	from, to := filepath.Join(b.options.Bundles, b.folder), filepath.Join(b.options.Bundles, b.bundle.Folder())
	_, err := b.options.Registry.Update(ctx, b.existing, func(r *registry.Server) {
		r.Command = moved(r.Command, from, to)
		for n, arg := range r.Args {
			r.Args[n] = moved(arg, from, to)
		}
		for name, value := range r.Env {
			r.Env[name] = moved(value, from, to)
		}
	})
	return err
}

// moved returns a text with the path of another folder in place of a folder's.
func moved(text, from, to string) string {
	out, text := "", text+"/" // Index finds only folders before a separator
	for {
		start, end, ok := pathname.Here.Index(text, from)
		if !ok {
			return out + text[:len(text)-1]
		}
		out, text = out+text[:start]+to, text[end-1:]
	}
}
