package bundle

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// System describes the machine on which a bundle's server runs.
type System struct {
	OS   string // linux, darwin or windows
	Home string
	Runs func(program string) bool // reports whether a program is on the PATH; nil if that is unknown
}

func (s System) platform() string {
	if s.OS == "windows" {
		return "win32"
	}
	return s.OS
}

// Launch is the command line and environment that start a server.
type Launch struct {
	Command string
	Args    []string
	Env     map[string]string
}

// Fits reports whether the bundle supports a system.
func (m Manifest) Fits(s System) bool {
	return len(m.Platforms) == 0 || slices.Contains(m.Platforms, s.platform())
}

// Default returns the default value of an option, with several values on
// separate lines; "" for none.
func (m Manifest) Default(s System, o Option) string {
	var lines []string
	for _, line := range o.Default {
		lines = append(lines, s.expand(line, s.folders("")))
	}
	return strings.Join(lines, "\n")
}

// Check returns an error that names the first invalid answer or, if all answers are valid, the keys of all missing
// ones. The error does not quote values.
func (m Manifest) Check(s System, answers map[string]string) error {
	var missing []string
	for _, o := range m.Options {
		answer := cmp.Or(answers[o.Key], m.Default(s, o))
		if answer == "" && o.Required {
			flag := "--set " + o.Key + "=VALUE"
			if o.Secret { // other users can see the arguments of a command
				flag = "--set-file " + o.Key + "=FILE"
			}
			missing = append(missing, flag+" ("+o.Title+")")
		}
		if err := o.Check(answer); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return fault.New(fault.Invalid, "the bundle needs values; give them with %s", strings.Join(missing, ", "))
	}
	return nil
}

// Check returns an error if the answer to a number or boolean option has another type or is out of
// range. The error does not quote the answer.
func (o Option) Check(answer string) error {
	if answer == "" {
		return nil
	}
	switch o.Kind {
	case "number":
		n, err := strconv.ParseFloat(strings.TrimSpace(answer), 64)
		if err != nil || o.Min != nil && n < *o.Min || o.Max != nil && n > *o.Max {
			return fault.New(fault.Invalid, "the answer for %q must be a number%s", o.Key, o.limits())
		}
	case "boolean":
		if answer != "true" && answer != "false" {
			return fault.New(fault.Invalid, "the answer for %q must be true or false", o.Key)
		}
	}
	return nil
}

func (o Option) limits() string {
	text := ""
	if o.Min != nil {
		text += " from " + strconv.FormatFloat(*o.Min, 'f', -1, 64)
	}
	if o.Max != nil {
		text += " up to " + strconv.FormatFloat(*o.Max, 'f', -1, 64)
	}
	return text
}

// Launch returns the command line that starts the server of a bundle unpacked in a folder. Answers are inserted
// without escaping, and a line end in them becomes a comma or, in args, starts a new argument. For a secret answer,
// pass a reference. Relative paths of files in the bundle become absolute, because the hub starts servers in the
// user's home folder.
func (b *Bundle) Launch(s System, folder string, answers map[string]string) Launch {
	from := b.start
	if other, has := b.others[s.platform()]; has {
		from.Command = cmp.Or(other.Command, from.Command)
		if other.Args != nil {
			from.Args = other.Args
		}
		env := maps.Clone(from.Env)
		if env == nil {
			env = make(map[string]string)
		}
		maps.Copy(env, other.Env)
		from.Env = env
	}
	if from.Command == "" {
		from = b.defaultStart()
	}
	l := builder{Bundle: b, system: s, folder: folder, variables: s.folders(folder)}
	for _, o := range b.Options {
		if answer := cmp.Or(answers[o.Key], b.Default(s, o)); answer != "" {
			l.variables["user_config."+o.Key] = answer
		}
	}
	return Launch{Command: l.command(from.Command), Args: l.args(from.Args), Env: l.env(from.Env)}
}

// Secret is an answer that belongs in the keychain.
type Secret struct {
	Name  string // name of the environment variable with exactly this value; otherwise, key of the option
	Value string
	Where string // place in the configuration: env.VARIABLE or user_config.KEY
}

// Configure is like Launch, but inserts a reference to a secret in place of each secret answer. It
// also returns the secret answers.
func (b *Bundle) Configure(s System, folder string, answers map[string]string) (Launch, []Secret) {
	values, marks := make(map[string]string, len(answers)), make(map[string]string, len(b.Options))
	for _, o := range b.Options {
		marks[o.Key] = "\x00" + o.Key + "\x00" // a unique text, so that its place in the launch can be found
	}
	plain, marked := b.Launch(s, folder, nil), b.Launch(s, folder, marks)
	var kept []Secret
	for _, o := range b.Options {
		value := cmp.Or(answers[o.Key], b.Default(s, o))
		if !o.Secret || value == "" {
			values[o.Key] = value
			continue
		}
		name, where := o.Key, "user_config."+o.Key
		for _, variable := range slices.Sorted(maps.Keys(marked.Env)) {
			if _, fixed := plain.Env[variable]; !fixed && marked.Env[variable] == marks[o.Key] {
				name, where = variable, "env."+variable
			}
		}
		kept = append(kept, Secret{name, value, where})
		values[o.Key] = launch.Reference(name)
	}
	return b.Launch(s, folder, values), kept
}

// defaultStart returns the command line of a server whose manifest contains no
// command.
func (b *Bundle) defaultStart() start {
	entry := "${__dirname}/" + b.entry
	switch b.kind {
	case "node":
		return start{Command: "node", Args: []string{entry}}
	case "python":
		return start{Command: "python", Args: []string{entry}}
	case "uv":
		return start{Command: "uv", Args: []string{"run", "--directory", "${__dirname}", entry}}
	}
	return start{Command: entry}
}

// folders returns the values of the variables of the bundle format, except the variables for
// answers. folder is the folder of the unpacked bundle.
func (s System) folders(folder string) map[string]string {
	separator := "/"
	if s.OS == "windows" {
		separator = `\`
	}
	return map[string]string{
		"__dirname": folder, "/": separator, "pathSeparator": separator, "HOME": s.Home,
		"DESKTOP": s.Home + separator + "Desktop", "DOCUMENTS": s.Home + separator + "Documents",
		"DOWNLOADS": s.Home + separator + "Downloads",
	}
}

var variable = regexp.MustCompile(`\$\{([^{}]+)\}`)

// expand replaces the variables in text with their values, in which line ends become commas. It
// does not expand the inserted values again. A user_config variable without a value becomes an
// empty text; any other unknown variable is kept.
func (s System) expand(text string, variables map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		if value, has := variables[name]; has {
			return strings.ReplaceAll(value, "\n", ",")
		}
		if strings.HasPrefix(name, "user_config.") {
			return ""
		}
		return found
	})
}

type builder struct {
	*Bundle
	system    System
	folder    string
	variables map[string]string
}

func (l builder) expand(text string) string { return l.system.expand(text, l.variables) }

func (l builder) command(text string) string {
	command := l.expand(text)
	if inside := l.absolute(command, false); inside != command {
		return inside
	}
	if l.system.OS == "windows" && l.has(strings.TrimPrefix(command, l.folder+"/")+".exe", false) {
		return l.absolute(command+".exe", false)
	}
	if command == "python" && l.system.Runs != nil && !l.system.Runs("python") && l.system.Runs("python3") {
		return "python3" // the only name of Python on many systems
	}
	return command
}

// absolute returns the absolute path of a file in the bundle or, if folders is set, of a folder, with the separators
// of this system. It returns any other text unchanged.
func (l builder) absolute(text string, folders bool) string {
	inside, absolute := strings.CutPrefix(text, l.folder+"/") // the expansion of ${__dirname}/
	if inside == "" || !absolute && filepath.IsAbs(text) || strings.HasPrefix(text, "-") || !l.has(inside, folders) {
		return text
	}
	return filepath.Join(l.folder, filepath.FromSlash(inside))
}

// args expands arguments. An argument that consists only of an answer becomes
// one argument for each line of the answer. Without an answer, the argument
// and a flag before it are dropped.
func (l builder) args(texts []string) []string {
	var out []string
	for i, text := range texts {
		at := variable.FindStringSubmatch(text)
		if at == nil || at[0] != text || !strings.HasPrefix(at[1], "user_config.") {
			out = append(out, l.absolute(l.expand(text), false))
			continue
		}
		answer := l.variables[at[1]]
		switch {
		case answer != "":
			out = append(out, strings.FieldsFunc(answer, func(r rune) bool { return r == '\n' })...)
		case i > 0 && len(out) > 0 && out[len(out)-1] == texts[i-1] && strings.HasPrefix(texts[i-1], "-"):
			out = out[:len(out)-1]
		}
	}
	return out
}

// env expands environment variables, and drops a variable whose value becomes empty because an answer is missing.
func (l builder) env(texts map[string]string) map[string]string {
	out := make(map[string]string, len(texts))
	for name, text := range texts {
		value := l.expand(text)
		if strings.Contains(value, "/") {
			value = l.absolute(value, true)
		}
		if value != "" || text == "" {
			out[name] = value
		}
	}
	return out
}
