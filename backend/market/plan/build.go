package plan

import (
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
)

// builder builds the plan of one option.
type builder struct {
	request Request
	machine Machine
	plan    *Plan
	names   map[string]bool // names of the plan's questions
}

const stdio = "stdio"

func build(r Request, m Machine, c candidate) *Plan {
	b := &builder{request: r, machine: m, names: make(map[string]bool), plan: &Plan{
		ID: r.Listing.ID(), Version: r.Listing.Version, Questions: []Question{},
		Risk: risk.Assessment{Warnings: []string{}, Marks: []risk.Mark{}}, Env: map[string]string{}, Headers: map[string]string{},
		values: map[string]string{},
	}}
	o := Option{ID: c.id, Kind: Remote}
	if c.at != nil {
		o.Name, o.Ready = prose(c.at.URL, 300), true
		b.plan.Server.Transport = c.at.Type
		b.remote(*c.at)
		if c.at.Probe != nil && c.at.Probe.Answer == "failed" {
			o.Ready, o.Missing = false, "The address did not answer when it was tried."
		}
	} else {
		o.Kind, o.Name, o.Downloads = string(c.pkg.Kind), prose(c.pkg.Identifier, 300), true
		b.plan.Option.Kind = o.Kind
		b.plan.Server.Transport = stdio
		b.install(*c.pkg)
		p, problem := m.Programs.Meets(b.plan.Needs)
		o.Program, o.Ready, o.Missing = p.Name, problem == "", problem
		b.plan.Missing, b.plan.Product, b.plan.Install = problem, p.Product, p.Install
	}
	o.Problem = b.plan.Problem
	for _, q := range b.plan.Questions {
		if q.Required && q.Default == "" && !q.Guessed {
			o.Required++
			if q.Secret {
				o.Secrets++
			}
		}
	}
	if c.at != nil && c.at.Probe != nil && c.at.Probe.Answer == "sign_in" {
		o.Secrets = max(o.Secrets, 1) // for the token of a sign-in
		b.note("The server asks for a sign-in, which follows the installation.")
	}
	b.plan.Option = o
	return b.plan
}

// refuse records why the option cannot be installed. Only the first reason is kept.
func (b *builder) refuse(format string, args ...any) {
	if b.plan.Problem == "" {
		b.plan.Problem = fmt.Sprintf(format, args...)
	}
}

func (b *builder) note(format string, args ...any) {
	b.plan.Notes = append(b.plan.Notes, fmt.Sprintf(format, args...))
}

// install plans a package, which is started over stdio.
func (b *builder) install(p listing.Package) {
	if p.Transport.Type != "" && p.Transport.Type != stdio {
		b.refuse("It is a program that listens at an address of its own (%s). Programs are started over stdio only.",
			prose(p.Transport.Type, 40))
		return
	}
	switch p.Kind {
	case listing.KindNPM:
		b.npm(p)
	case listing.KindPyPI:
		b.pypi(p)
	case listing.KindOCI:
		b.container(p)
	case listing.KindNuGet:
		b.nuget(p)
	case listing.KindCargo:
		b.cargo(p)
	case listing.KindMCPB:
		b.mcpb(p)
	default:
		b.refuse("Packages of the kind %s are not supported.", prose(string(p.Kind), 40))
	}
}

// needs records that the plan requires one of the programs.
func (b *builder) needs(programs ...string) {
	b.plan.Needs = prerequisites.Requirement{Programs: programs}
}

var (
	variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	// hijacks match variables that change which program or package is started, instead of how it works.
	hijacks = lazyregexp.New(`(?i)^(?:PATH|PATHEXT|COMSPEC|SHELL|IFS|BASH_ENV|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|` +
		`SYSTEMROOT|XDG_.*|LD_.*|DYLD_.*|GCONV_PATH|` +
		`NODE_OPTIONS|NODE_PATH|NPM_CONFIG_.*|NPX_.*|UV_.*|UVX_.*|PIP_.*|PYTHON(?:PATH|HOME|STARTUP|EXECUTABLE|USERBASE|PLATLIBDIR|BREAKPOINT|WARNINGS|INSPECT)|VIRTUAL_ENV|` +
		`NUGET_.*|DOTNET_(?:STARTUP_HOOKS|ROOT.*|HOST_PATH|ADDITIONAL_DEPS|SHARED_STORE|CLI_.*)|COR(?:ECLR)?_.*|CARGO_.*|RUSTUP_.*|RUSTC.*|RUSTFLAGS)$`)
	// engines match variables that decide which engine runs a container.
	engines = lazyregexp.New(`(?i)^(?:DOCKER_(?:HOST|CONFIG|CONTEXT|CERT_PATH|TLS.*|API_VERSION|CONTENT_TRUST.*|` +
		`DEFAULT_PLATFORM|CUSTOM_HEADERS)|CONTAINERS?_.*|PODMAN_.*|BUILDAH_.*|REGISTRY_AUTH_FILE|.*_PROXY)$`)
)

// env adds the environment variables of a package, and returns their names.
func (b *builder) env(fields []listing.Field) []string {
	var names []string
	taken := make(map[string]bool)
	for _, f := range fields {
		where := "The variable " + safetext.Visible(safetext.Clip(f.Name, 100))
		switch {
		case !variableName.MatchString(f.Name):
			b.refuse("%s has no valid name.", where)
		case hijacks.MatchString(f.Name), process.OwnVariable(f.Name),
			b.plan.Option.Kind == string(listing.KindOCI) && engines.MatchString(f.Name):
			b.refuse("%s decides which program is started, and a listing must not set it.", where)
		}
		if b.plan.Problem != "" {
			return nil
		}
		if taken[strings.ToUpper(f.Name)] {
			continue
		}
		taken[strings.ToUpper(f.Name)] = true
		for _, v := range b.fill(input{
			Input: f.Input, variables: f.Variables, name: f.Name, where: where, variable: f.Name, secret: f.Name,
		}) {
			b.plan.Env[f.Name] = v.text
			names = append(names, f.Name)
		}
	}
	return names
}
