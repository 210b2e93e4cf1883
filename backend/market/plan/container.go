package plan

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
)

// containerRules are the options of docker run that a listing may pass. Options that give a container access to the
// computer, such as --privileged, are missing.
var containerRules = map[string]rule{
	"-i": drop, "--interactive": drop, "--rm": drop, "-t": drop, "--tty": drop, "-it": drop, "-ti": drop, "-d": drop, "--detach": drop,
	"--name": take, "-e": take, "--env": take, "-v": take, "--volume": take, "--mount": take, "--tmpfs": take,
	"--network": take, "--net": take, "-p": take, "--publish": take, "--add-host": take, "--dns": take, "-h": take, "--hostname": take,
	"-u": take, "--user": take, "-w": take, "--workdir": take, "--entrypoint": take, "--platform": take, "--pull": take, "-l": take,
	"--label": take, "-m": take, "--memory": take, "--cpus": take, "--shm-size": take, "--gpus": take, "--stop-timeout": take,
	"--cap-drop": take, "--init": pass, "--read-only": pass,
}

var (
	digest = lazyregexp.New(`^sha256:[a-f0-9]{64}$`)
	image  = lazyregexp.New(`^((?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?/)?[a-z0-9]+(?:(?:\.|__?|` +
		`-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*)` +
		`(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[a-f0-9]{64}))?$`)
	// release matches tags of one release, such as 1.2.0-alpine. Publishers usually move other tags, such as latest,
	// main and 1.2, to newer images.
	release = lazyregexp.New(`(?:^|[^0-9.])\d+\.\d+\.\d+`)
)

func (b *builder) container(p listing.Package) {
	engine := prerequisites.Docker
	b.needs(prerequisites.Docker, prerequisites.Podman)
	if program, problem := b.machine.Programs.Meets(b.plan.Needs); problem == "" {
		engine = program.Name
	}
	reference := b.image(p)
	args := []string{"run", "-i", "--rm"}
	fields := slices.Clone(p.Env)
	options, words := b.options(engine, p.Before, containerRules)
	for _, o := range options {
		switch o.name {
		case "--name": // drop the name, because two containers cannot have the same one
		case "-e", "--env":
			fields = b.variable(fields, o)
		default:
			if o.rule != drop {
				args = append(args, b.containerOption(engine, o)...)
			}
		}
	}
	for _, word := range words {
		if word != "run" && !own(p, word) && word != prerequisites.Docker && word != prerequisites.Podman {
			b.refuse("It passes “%s” to %s, which is not its image.", prose(word, 60), engine)
		}
	}
	for _, name := range b.env(fields) {
		args = append(args, "-e", name) // docker reads the value from the environment
	}
	b.run(engine, append(append(args, reference), b.arguments(p.Arguments)...)...)
}

// image returns the reference of a package's image, with a version or digest that does not change. If there is none,
// image records in the plan that the digest is unresolved.
func (b *builder) image(p listing.Package) string {
	parts := image.FindStringSubmatch(p.Identifier)
	if parts == nil || len(p.Identifier) > 400 {
		b.refuse("“%s” is not the name of an image.", prose(p.Identifier, 100))
		return ""
	}
	name, tag, sum := parts[1], parts[2], parts[3]
	switch {
	case sum == "" && release.MatchString(tag):
	case sum == "" && digest.MatchString(b.request.Digest):
		sum = b.request.Digest
	case sum == "":
		b.plan.Unresolved = Digest
	}
	version := tag
	if sum != "" {
		version = sum
	}
	b.plan.Download = &Download{Kind: p.Kind, Name: name, Version: version, SHA256: strings.TrimPrefix(sum, "sha256:")}
	if host, _, found := strings.Cut(name, "/"); found && (strings.ContainsAny(host, ".:") || host == "localhost") {
		b.plan.Download.From = host
	}
	b.plan.Server.Package.Name, b.plan.Server.Package.Version = name, version
	return b.plan.Download.Image()
}

// variable returns fields together with the environment variable that an option -e sets, or passes from the
// environment.
func (b *builder) variable(fields []listing.Field, o given) []listing.Field {
	name, text, sets := strings.Cut(o.value.Value, "=")
	at := slices.IndexFunc(fields, func(f listing.Field) bool { return f.Name == name })
	f := listing.Field{Name: name, Input: o.value.Input, Variables: o.value.Variables}
	switch {
	case name == "":
		b.refuse("It asks %s for an environment variable without a name.", o.name)
	case sets && at >= 0 && len(f.Variables) == 0:
		// Keep the listing's own declaration of the variable, and ignore the value in the option.
	case sets:
		if f.Value = text; at >= 0 {
			fields[at] = f
			return fields
		}
		return append(fields, f)
	case at < 0: // not declared by the listing, so it may be a credential
		f.Value, f.Secret = "", true
		return append(fields, f)
	}
	return fields
}

// containerOption returns an option of docker run, once for each of its values.
func (b *builder) containerOption(engine string, o given) []string {
	if o.rule == pass {
		return []string{o.name}
	}
	a := o.value
	in := argumentInput(a, o.name, "The option "+o.name+" of "+engine)
	mount := o.name == "--mount"
	in.check = func(_, answer string) string {
		if mount && strings.ContainsAny(answer, `,"`) ||
			b.machine.OS != "windows" && strings.Contains(answer, ":") && (o.name == "-v" || o.name == "--volume") && a.Value != "" {
			return "The answer must not contain a comma, a colon or quotation marks."
		}
		return ""
	}
	in.whole = func(plain string) string {
		switch {
		case strings.HasPrefix(plain, "-"):
			return isOption
		case mount && strings.Contains(plain, "volume-"):
			return "It sets options of a volume, which can lead to any folder."
		}
		return ""
	}
	var out []string
	for _, v := range b.fill(in) {
		out = append(out, o.name, v.text)
		switch {
		case strings.HasPrefix(o.name, "--net") && v.plain == "host":
			b.note("The container uses the network of this computer directly, with all local services.")
		case o.name == "-p" || o.name == "--publish":
			b.note("The container opens a port of this computer.")
		}
	}
	return out
}
