package readme

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

const (
	maxDepth     = 6  // nesting of servers in a configuration
	maxArguments = 10 // per server
	maxHint      = 100
)

// export matches an assignment to a variable in a shell, an .env file, or an option of docker run.
var export = lazyregexp.New(`(?m)^\s*(?:export\s+|\$env:|-e\s+|--env[= ])?([A-Z][A-Z0-9_]+)\s*=\s*(.*?)\s*\\?$`)

// code reads a code block: a configuration of servers, or commands that set variables.
func (c *collector) code(block string) {
	trimmed := strings.TrimSpace(block)
	if strings.HasPrefix(trimmed, `"`) { // a member without the object around it
		trimmed = "{" + trimmed + "}"
	}
	if strings.HasPrefix(trimmed, "{") {
		var document any
		if json.Unmarshal([]byte(relax(trimmed)), &document) == nil {
			c.servers(document, 0)
			return
		}
	}
	for _, m := range export.FindAllStringSubmatch(block, -1) {
		c.set(m[1], m[2])
	}
}

// loose matches text that READMEs use in JSON although JSON does not allow it: comments, and commas before a closing
// bracket. It also matches strings, so that it finds none of these inside of strings.
var loose = lazyregexp.New(`"(?:[^"\\]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/|,(?:\s*[}\]])`)

// relax turns JSON with comments and superfluous commas into valid JSON.
func relax(text string) string {
	for range 2 { // twice, because a comment may follow a superfluous comma
		text = loose.ReplaceAllStringFunc(text, func(part string) string {
			switch part[0] {
			case '/':
				return ""
			case ',':
				return part[1:]
			}
			return part
		})
	}
	return text
}

// servers reads the servers in a document, at any depth up to maxDepth.
func (c *collector) servers(value any, depth int) {
	members, ok := value.(map[string]any)
	if !ok || depth > maxDepth {
		return
	}
	command, isServer := members["command"].(string)
	if !isServer {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			c.servers(members[name], depth+1)
		}
		return
	}
	c.configs++
	env, _ := members["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		text, _ := env[name].(string)
		if f := c.set(name, text); f != nil {
			f.configs++
		}
	}
	var args []string
	list, _ := members["args"].([]any)
	for _, one := range list {
		text, _ := one.(string)
		args = append(args, text)
	}
	c.args(command, args)
}

// set records a variable, and value as an example of its value.
func (c *collector) set(name, value string) *found {
	f := c.field(name)
	if f == nil {
		return nil
	}
	value = safetext.Clip(safetext.Label(strings.Trim(value, `"'`)), maxHint)
	if f.placeholder == "" && !secretscan.HasCredential(value) && !strings.Contains(value, name) {
		f.placeholder = value
	}
	return f
}

// args reads the arguments of a server. Options -e and --env set variables. The arguments after the package become
// inputs, unless the command is a container engine, or an earlier configuration had arguments after the package.
func (c *collector) args(command string, args []string) {
	own := -1
	for i, arg := range args {
		if i > 0 && (args[i-1] == "-e" || args[i-1] == "--env") {
			name, value, _ := strings.Cut(arg, "=")
			c.set(name, value)
		}
		version, isPackage := strings.CutPrefix(arg, c.pkg)
		if own < 0 && isPackage && c.pkg != "" && (version == "" || version[0] == '@' || strings.HasPrefix(version, "==")) {
			own = i + 1
		}
	}
	if own < 0 || len(c.arguments) > 0 || strings.Contains(command, "docker") || strings.Contains(command, "podman") {
		return
	}
	for rest := args[own:min(len(args), own+maxArguments)]; len(rest) > 0; rest = rest[1:] {
		a := listing.Argument{Input: listing.Input{From: listing.FromReadme}}
		name, value, has := strings.Cut(rest[0], "=")
		switch {
		case !strings.HasPrefix(name, "-"):
			a.Hint, value = "value", rest[0]
		case has:
			a.Named, a.Name = true, clean(name)
		case len(rest) > 1 && !strings.HasPrefix(rest[1], "-"):
			a.Named, a.Name, value, rest = true, clean(name), rest[1], rest[1:]
		default:
			a.Named, a.Name = true, clean(name)
		}
		if a.Secret = secretscan.SensitiveName(a.Name) || secretscan.HasCredential(value); !secretscan.HasCredential(value) {
			a.Placeholder = clean(value)
		}
		c.arguments = append(c.arguments, a)
	}
}

func clean(text string) string { return safetext.Clip(safetext.Label(text), maxHint) }

// blank matches example values that a person has to replace.
var blank = lazyregexp.New(
	`(?i)^$|your|<[^>]*>|\bxxx|\*\*\*|\.\.\.|…|\$\{|\{\{|replace|example|changeme|placeholder|_here$|insert|path/to`,
)
