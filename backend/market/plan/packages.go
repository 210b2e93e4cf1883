package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
)

// identifiers match the names of packages. They do not match options, paths, addresses or names with a version.
var identifiers = map[listing.Kind]*lazyregexp.Regexp{
	listing.KindNPM:   lazyregexp.New(`^(?:@[A-Za-z0-9_][A-Za-z0-9._~-]*/)?[A-Za-z0-9_][A-Za-z0-9._~-]*$`),
	listing.KindPyPI:  lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9][A-Za-z0-9._,-]*\])?$`),
	listing.KindNuGet: lazyregexp.New(`^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?$`),
	listing.KindCargo: lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]*$`),
}

// script matches the name of a program in a package.
var script = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// release checks the name of a package. It returns the package with the version to install, and with the facts of the
// package registry about that version.
func (b *builder) release(p listing.Package) listing.Package {
	if !identifiers[p.Kind].MatchString(p.Identifier) || strings.Contains(p.Identifier, "..") || len(p.Identifier) > 214 {
		b.refuse("“%s” is not the name of a package.", prose(p.Identifier, 100))
	}
	known := b.request.Release
	if !exact(p.Version) {
		if p.Version = known.Version; !exact(p.Version) {
			b.plan.Unresolved, p.Version = Version, ""
		}
	}
	if p.Version != "" && p.Version == known.Version {
		p.Program, p.Requires = known.Program, cmp.Or(known.Requires, p.Requires)
		if known.Deprecated != "" {
			b.note("The publisher advises against this version. %s", prose(known.Deprecated, 300))
		}
	}
	b.plan.Download = &Download{Kind: p.Kind, Name: p.Identifier, Version: p.Version, SHA256: p.SHA256}
	b.plan.Server.Package.Name, b.plan.Server.Package.Version = p.Identifier, p.Version
	return p
}

var (
	versionText = lazyregexp.New(`^[vV]?\d[0-9A-Za-z.+_!-]*$`)
	openVersion = lazyregexp.New(`(?:^|\.)[xX](?:\.|$)`)
)

// exact reports whether a version names one release. Ranges and tags do not: they may refer to another release later.
func exact(version string) bool {
	return versionText.MatchString(version) && !openVersion.MatchString(version) && len(version) <= 255
}

// run sets the command of the server.
func (b *builder) run(program string, args ...string) {
	b.plan.Server.Command, b.plan.Server.Args = program, slices.DeleteFunc(args, func(arg string) bool { return arg == "" })
}

// own reports whether word is the name of the package, optionally with a version.
func own(p listing.Package, word string) bool {
	rest, ok := strings.CutPrefix(word, p.Identifier)
	return ok && (rest == "" || strings.HasPrefix(rest, "@") || strings.HasPrefix(rest, "=="))
}

// program returns the program of a package to start, or "" if it has the name of the package. named means that an
// option of the runner names the package; a word before the arguments of the package is then the program. Otherwise
// the listing or the package registry names the program.
func (b *builder) program(p listing.Package, runner string, words []string, named bool) string {
	words = slices.DeleteFunc(words, func(word string) bool { return own(p, word) && !(named && word == p.Identifier) })
	name := p.Program
	if named && len(words) == 1 {
		name = words[0]
	} else if len(words) > 0 {
		b.refuse("It passes “%s” to %s, which is not the name of its package.", prose(words[0], 60), runner)
	}
	if name != "" && !script.MatchString(name) {
		b.refuse("“%s” is not the name of a program.", prose(name, 60))
	}
	return name
}

var npxRules = map[string]rule{"-y": drop, "--yes": drop, "-q": drop, "--quiet": drop, "-p": take, "--package": take}

func (b *builder) npm(p listing.Package) {
	p = b.release(p)
	b.plan.Needs = prerequisites.Requirement{Programs: []string{prerequisites.NPX}, Of: prerequisites.Node, Versions: p.Requires}
	options, words := b.options("npx", p.Before, npxRules)
	named := false
	for _, o := range options {
		if o.rule == take && !own(p, b.fixed("npx", o)) {
			b.refuse("It makes npx load another package.")
		}
		named = named || o.rule == take
	}
	program := b.program(p, "npx", words, named)
	registry := b.registry(p, "--registry=", "")
	b.env(p.Env)
	args := []string{"-y", registry}
	if program != "" {
		args = append(args, "--package", p.Identifier+"@"+p.Version, program)
	} else {
		args = append(args, p.Identifier+"@"+p.Version)
	}
	rest := b.arguments(p.Arguments)
	npx := b.machine.Programs.Program(prerequisites.NPX)
	if npx.Works && !prerequisites.Allows(">=9", npx.Version) &&
		slices.ContainsFunc(rest, func(arg string) bool { return !harmless.MatchString(arg) }) {
		b.refuse(
			"The npx on this computer has the version %s, which passes arguments through a shell. Update npm to the version 9 or later.",
			npx.Version,
		)
	}
	b.run("npx", append(args, rest...)...)
}

// harmless matches arguments that no shell changes.
var harmless = lazyregexp.New(`^[A-Za-z0-9_@%+=:,./-]+$`)

var uvxRules = map[string]rule{
	"-q": drop, "--quiet": drop, "-n": drop, "--no-cache": drop, "--refresh": drop, "--isolated": drop,
	"--from": take, "-p": take, "--python": take, "--with": take, "--prerelease": take,
}

var (
	pythonVersion = lazyregexp.New(`^(?:>=|==|~=)?3(?:\.\d+){0,2}$`)
	prerelease    = lazyregexp.New(`^(?:disallow|allow|if-necessary|explicit|if-necessary-or-explicit)$`)
	pinned        = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9._,-]+\])?==\d[0-9A-Za-z.+!_-]*$`)
)

// interpreter matches the names for which uvx starts a Python interpreter instead of a package.
var interpreter = lazyregexp.New(`(?i)^(?:c?python|pypy|graalpy|pyodide)w?[\d.]*$`)

func (b *builder) pypi(p listing.Package) {
	p = b.release(p)
	if bare, _, _ := strings.Cut(p.Identifier, "["); interpreter.MatchString(bare) {
		b.refuse("“%s” is not the name of a package for uvx, which would start Python itself.", prose(p.Identifier, 100))
	}
	b.needs(prerequisites.UVX) // if there is no suitable Python, uvx downloads one
	options, words := b.options("uvx", p.Before, uvxRules)
	named, args := false, []string{}
	for _, o := range options {
		if o.rule != take {
			continue
		}
		fixed, fits := b.fixed("uvx", o), false
		switch o.name {
		case "--from":
			named, fits = true, own(p, fixed)
		case "--with":
			fits = pinned.MatchString(fixed)
			args = append(args, "--with="+fixed)
		case "--prerelease":
			fits = prerelease.MatchString(fixed)
			args = append(args, "--prerelease="+fixed)
		default:
			fits = pythonVersion.MatchString(fixed)
			args = append(args, "--python="+fixed)
		}
		if !fits {
			b.refuse("It passes the option %s with the value “%s” to uvx, which Agent Discover does not do for a listing.",
				o.name, prose(fixed, 60))
		}
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "tool" || word == "run" || word == "uvx" }) // uv tool run
	program := b.program(p, "uvx", words, named)
	args = append(args, b.registry(p, "--default-index=", "/simple"))
	b.env(p.Env)
	if bare, _, extras := strings.Cut(p.Identifier, "["); program != "" || extras {
		args = append(args, "--from", p.Identifier+"=="+p.Version, cmp.Or(program, bare))
	} else {
		args = append(args, p.Identifier+"@"+p.Version)
	}
	b.run("uvx", append(args, b.arguments(p.Arguments)...)...)
}

var dnxRules = map[string]rule{"-y": drop, "--yes": drop, "--prerelease": drop, "--": drop}

func (b *builder) nuget(p listing.Package) {
	p = b.release(p)
	b.needs(prerequisites.DNX)
	_, words := b.options("dnx", p.Before, dnxRules)
	b.program(p, "dnx", words, false)
	source := b.registry(p, "--source=", "")
	b.env(p.Env)
	args := []string{p.Identifier + "@" + p.Version, "--yes", source}
	if rest := b.arguments(p.Arguments); len(rest) > 0 {
		args = append(append(args, "--"), rest...)
	}
	b.run("dnx", args...)
}

func (b *builder) cargo(p listing.Package) {
	p = b.release(p)
	b.needs(prerequisites.Cargo)
	switch {
	case len(p.Before) > 0:
		b.refuse("It passes arguments to a program that starts it, but a program of Cargo is started directly.")
	case b.machine.Packages == "":
		b.refuse("There is no folder into which Cargo could install it.")
	}
	b.registry(p, "", "")
	b.env(p.Env)
	folder := b.machine.Packages + "/cargo-" + p.Identifier + "-" + p.Version
	program := folder + "/bin/" + p.Identifier
	if b.machine.OS == "windows" {
		folder, program = strings.ReplaceAll(folder, "/", `\`), strings.ReplaceAll(program, "/", `\`)+".exe"
	}
	b.plan.Steps = []Step{{
		Command: []string{"cargo", "install", "--locked", "--version", strings.TrimLeft(p.Version, "vV"), "--root", folder, p.Identifier},
		Why: "Cargo downloads the source of the package and compiles it, which takes minutes. Its build scripts run with your " +
			"permissions.",
	}}
	b.run(program, b.arguments(p.Arguments)...)
}
