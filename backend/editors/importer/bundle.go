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
	"github.com/agent-discover/agent-discover/backend/servers/intake"
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
		q := Question{
			Key: o.Key, Title: shown(o.Title), Description: shown(o.Description), Kind: o.Kind, Required: o.Required, Secret: o.Secret,
			Multiple: o.Multiple,
		}
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
	o := occurrence{
		entry: b.Name, server: table.Server{Transport: "stdio", Command: run.Command, Args: run.Args, Env: run.Env}, pasted: true,
	}
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

// installed returns the server that was imported from this bundle, and the name of its folder. If
// that name does not contain the whole hash, installed compares the folder with the bundle file by
// file. If there is no such server, the returned server has no name.
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
			if found && (pathname.Here.Equal(folder, b.Folder()) ||
				b.IsFormerFolder(folder) && b.In(filepath.Join(i.options.Bundles, folder))) {
				return s, folder
			}
		}
	}
	return registry.Server{}, ""
}

// importBundle unpacks a bundle and adds its server. If this fails, it leaves neither files nor a
// server behind.
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
		result := newResult(chosen)
		switch {
		case chosen.unknown:
			result.fail("the bundle has changed since it was scanned; scan it again")
		case chosen.Problem != "":
			result.fail(chosen.Problem)
		default:
			run := bundleImport{Importer: i, bundle: b, request: q, result: &result}
			existing, folder := i.installed(b)
			run.existing, run.folder = existing, folder
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
	bundle   *bundle.Bundle
	request  Request
	result   *Result
	existing registry.Server // server that was imported from this bundle before; it has no name if there is none
	folder   string          // name of this server's folder in Options.Bundles
}

// do imports the bundle. If its server exists already, do replaces the files of
// the server, and its configuration if the user answered the bundle's questions.
func (b *bundleImport) do(ctx context.Context, dry bool) error {
	known := b.existing.Name != ""
	if known {
		b.result.Name, b.result.Status = b.existing.Name, Existing
	}
	configure := !known || len(b.request.Values) > 0
	if configure {
		if err := b.bundle.Check(b.system(), b.request.Values); err != nil {
			return err
		}
	}
	launch, answers := b.bundle.Configure(b.system(), filepath.Join(b.options.Bundles, b.bundle.Folder()), b.request.Values)
	b.result.Preview = previewOf(table.Server{Transport: "stdio", Command: launch.Command, Args: launch.Args, Env: launch.Env})
	arrival := intake.Arrival{Server: b.inFolder(), Origin: originOf(b.request), Moved: true, Known: known, Readable: true}
	if configure {
		arrival.Readable, arrival.Values = b.request.PlainText, make(map[string]string)
		arrival.Server = registry.Server{
			Name: b.result.Name, Source: registry.FromBundle, Description: shown(b.bundle.Description), Transport: "stdio",
			Command: launch.Command, Args: launch.Args, Env: launch.Env,
		}
		for _, a := range answers {
			arrival.Values[a.Name] = a.Value
			b.result.Moved = append(b.result.Moved, a.Where)
		}
	}
	out, err := b.options.Intake.Check(ctx, arrival)
	if err == nil && !dry {
		out, err = b.install(ctx, launch, arrival)
	}
	switch {
	case err != nil:
		return readableAllowed(err)
	case configure:
		if !dry {
			b.result.Status = Imported
		}
		b.result.take(out)
	default:
		b.result.Waiting = !out.Server.Approved
	}
	return nil
}

// install unpacks the files of the bundle and adds its server.
func (b *bundleImport) install(ctx context.Context, launch bundle.Launch, a intake.Arrival) (intake.Outcome, error) {
	unpacked, err := b.bundle.Unpack(ctx, b.options.Bundles, launch)
	if err != nil {
		return intake.Outcome{}, err
	}
	out, err := b.options.Intake.Add(ctx, a)
	if err != nil {
		return out, errors.Join(err, unpacked.Undo())
	}
	return out, unpacked.Keep()
}

// inFolder returns the existing server with the paths of its former folder replaced by those of the
// folder of the bundle.
func (b *bundleImport) inFolder() registry.Server {
	s := b.existing
	if pathname.Here.Equal(b.folder, b.bundle.Folder()) {
		return s
	}
	from, to := filepath.Join(b.options.Bundles, b.folder), filepath.Join(b.options.Bundles, b.bundle.Folder())
	s.Command, s.Args, s.Env = moved(s.Command, from, to), slices.Clone(s.Args), maps.Clone(s.Env)
	for n, arg := range s.Args {
		s.Args[n] = moved(arg, from, to)
	}
	for name, value := range s.Env {
		s.Env[name] = moved(value, from, to)
	}
	return s
}

// moved replaces a folder path in text: from is the old path, and to is the new one.
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
