package plan

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/editors/bundle"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

var checksum = lazyregexp.New(`^[a-f0-9]{64}$`)

// mcpb plans a bundle. Its command is unknown until the file of the bundle has been downloaded.
func (b *builder) mcpb(p listing.Package) {
	b.plan.Download = &Download{Kind: p.Kind, Name: p.Identifier, Version: p.Version, From: p.Identifier, SHA256: p.SHA256}
	b.plan.Server.Package.Name, b.plan.Server.Package.Version = p.Identifier, p.Version
	file := b.request.Bundle
	switch _, ok := webAddress(p.Identifier); {
	case !ok:
		b.refuse("“%s” is not an address from which a file can be downloaded.", prose(p.Identifier, 200))
	case !checksum.MatchString(p.SHA256):
		b.refuse("The listing has no checksum of the file, so that nobody could notice another file in its place.")
	case len(p.Before) > 0:
		b.refuse("It passes arguments to a program that starts it, but a bundle has its own command.")
	case file == nil:
		b.plan.Unresolved = File
	case file.Hash != p.SHA256:
		b.refuse("The downloaded file is not the one of the listing: its checksum is %s.", file.Hash)
	case !file.Fits(b.machine.system()):
		b.refuse("The bundle does not support this operating system, only %s.", prose(strings.Join(file.Platforms, ", "), 60))
	default:
		b.unpacked(file)
	}
	b.env(p.Env)
	rest := b.arguments(p.Arguments)
	b.plan.Server.Args = append(b.plan.Server.Args, rest...)
}

func (m Machine) system() bundle.System {
	return bundle.System{OS: m.OS, Home: m.Home, Runs: func(name string) bool {
		p := m.Programs.Program(prerequisites.Python)
		return p.Works && program.Name(p.Path) == name
	}}
}

// formats maps the kinds of a bundle's settings to formats of inputs.
var formats = map[string]string{"number": "number", "boolean": "boolean", "file": "filepath", "directory": "filepath"}

// unpacked plans a bundle whose file has been downloaded.
func (b *builder) unpacked(file *bundle.Bundle) {
	answers, names, stored := make(map[string]string), b.secretNames(file), make(map[string]bool)
	for _, o := range file.Options {
		standard := file.Default(b.machine.system(), o)
		in := listing.Input{Description: o.Description, Required: o.Required, Secret: o.Secret, Format: formats[o.Kind], Default: standard}
		if strings.Contains(standard, "\n") { // a list: without an answer, the bundle itself uses this default
			in.Default, in.Placeholder, in.Required = "", strings.ReplaceAll(standard, "\n", ", "), false
		}
		r := b.ask(asked{Input: in, name: o.Key, secret: names[o.Key], label: o.Title, where: "The setting " +
			prose(o.Title, 100), repeated: o.Multiple, check: func(answer string) string {
			if strings.Contains(answer, "\n") {
				return "The answer must be one line."
			}
			if err := o.Check(answer); err != nil {
				return fault.MessageOf(err) + "."
			}
			return ""
		}})
		answers[o.Key] = strings.Join(r.values, "\n")
		stored[names[o.Key]] = r.stored
	}
	run, kept := file.Configure(b.machine.system(), filepath.Join(b.machine.Bundles, file.Folder()), answers)
	b.keepAnswers(run, kept, stored)
	for name, text := range run.Env {
		b.plan.Env[name] = text
	}
	b.plan.Server.Command, b.plan.Server.Args = run.Command, run.Args
	switch run.Command {
	case "node":
		b.plan.Needs = prerequisites.Requirement{
			Programs: []string{prerequisites.Node}, Of: prerequisites.Node, Versions: file.Runtimes["node"],
		}
	case "npx":
		b.plan.Needs = prerequisites.Requirement{
			Programs: []string{prerequisites.NPX}, Of: prerequisites.Node, Versions: file.Runtimes["node"],
		}
	case "python", "python3":
		b.plan.Needs = prerequisites.Requirement{
			Programs: []string{prerequisites.Python}, Of: prerequisites.Python, Versions: file.Runtimes["python"],
		}
	case "uv", "uvx":
		b.needs(run.Command)
	}
}

// secretNames returns the names under which the answers to a bundle's secret settings are stored, by the key of the
// setting.
func (b *builder) secretNames(file *bundle.Bundle) map[string]string {
	answers := make(map[string]string)
	for _, o := range file.Options {
		if o.Secret {
			answers[o.Key] = storedValue
		}
	}
	_, kept := file.Configure(b.machine.system(), "", answers)
	names := make(map[string]string)
	for _, o := range file.Options {
		if o.Secret {
			names[o.Key], kept = kept[0].Name, kept[1:]
		}
	}
	return names
}

// keepAnswers adds the bundle's secret answers to the plan. stored has the names of those that the keychain already
// has. The bundle's command must refer to no other secrets.
func (b *builder) keepAnswers(run bundle.Launch, kept []bundle.Secret, stored map[string]bool) {
	var names []string
	for _, s := range kept {
		names = append(names, s.Name)
		if _, whole := run.Env[s.Name]; !whole && (hijacks.MatchString(s.Name) || !plainName.MatchString(s.Name)) {
			b.refuse("Its setting %s has no valid name.", prose(s.Name, 60))
		}
		reference := launch.Reference(s.Name)
		visible := slices.ContainsFunc(run.Args, func(arg string) bool { return strings.Contains(arg, reference) })
		b.plan.Secrets = append(b.plan.Secrets,
			Secret{Name: s.Name, Reference: reference, Where: s.Where, Stored: stored[s.Name], Visible: visible})
		if !stored[s.Name] {
			b.plan.values[s.Name] = s.Value
		}
	}
	texts := slices.AppendSeq(append([]string{run.Command}, run.Args...), maps.Values(run.Env))
	for _, text := range texts {
		if strings.Contains(text, "${env:") ||
			slices.ContainsFunc(launch.References(text), func(name string) bool { return !slices.Contains(names, name) }) {
			b.refuse("Its command refers to the variables or secrets of this computer.")
		}
	}
}
