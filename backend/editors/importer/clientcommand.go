package importer

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// clients matches the names of the programs that have a command "mcp add".
var clients = lazyregexp.New(`^(claude|codex|gemini|qwen|amp|copilot|droid|auggie|opencode|kilo|kiro-cli|q|cursor-agent|` +
	`kimi|grok|qodercli|codebuddy|openhands|iflow|crush|goose|vibe|mcporter)$`)

// packageOfClient matches the npm packages of the programs in clients.
var packageOfClient = lazyregexp.New(`^(@anthropic-ai/claude-code|@openai/codex|@google/gemini-cli|@qwen-code/qwen-code|` +
	`@sourcegraph/amp|@github/copilot|@augmentcode/auggie|opencode-ai|@kilocode/cli|mcporter)(@[\w.-]+)?$`)

// installers matches the npm packages that install a server into a client.
var installers = lazyregexp.New(`^(@smithery/cli|smithery|add-mcp|install-mcp|mcp-add|@michaellatman/mcp-get|mcp-get|` +
	`@anaisbetts/mcp-installer|mcpm)(@[\w.-]+)?$`)

// clientCommand returns the arguments of a command that changes the servers of a client, such as
// "claude mcp add", from the word mcp on. It returns nil for any other command.
func clientCommand(words []string) []string {
	words, name := unwrapped(words)
	if name == "" {
		return nil
	}
	for n, word := range words {
		if word == "mcp" || word == "--add-mcp" || strings.HasPrefix(word, "--add-mcp=") || strings.HasPrefix(word, "--with-") {
			return words[n:]
		}
		if n > 4 || !strings.HasPrefix(word, "-") && (n == 0 || !strings.HasPrefix(words[n-1], "-")) && word != "session" && word != "run" {
			return nil // only options of the client come before "mcp"
		}
	}
	return nil
}

// unwrapped returns the arguments of a client and its name, if a command starts
// a client: directly, with sudo, or with npx and the like.
func unwrapped(words []string) (rest []string, name string) {
	for len(words) > 0 && (words[0] == "sudo" || words[0] == "env" || words[0] == "command" || setVariable.MatchString(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, ""
	}
	name = program.Name(words[0])
	if clients.MatchString(name) || editorProgram.MatchString(name) || addsToClient(name, words[1:]) {
		return words[1:], name
	}
	if pack := packageIn(words[1:]); runner.MatchString(name) && packageOfClient.MatchString(pack) {
		return words[1+slices.Index(words[1:], pack)+1:], path.Base(pack)
	}
	return nil, ""
}

// addsToClient reports whether words are the arguments of "mcp add" or "mcp add-json". It returns
// false if program is not a client but a runner such as npx.
func addsToClient(program string, words []string) bool {
	return !runner.MatchString(program) && len(words) > 3 && words[0] == "mcp" && (words[1] == "add" || words[1] == "add-json")
}

// editorProgram matches the programs with an option --add-mcp.
var editorProgram = lazyregexp.New(`^(code|code-insiders|codium|vscodium|cursor|windsurf|surf|kiro|trae|positron)$`)

// ofClient returns the servers that a command adds to a client. words are as clientCommand returns
// them.
func ofClient(words []string) ([]textEntry, error) {
	word, value, joined := strings.Cut(words[0], "=")
	if !joined && len(words) > 1 {
		value = words[1]
	}
	switch {
	case word == "--add-mcp":
		return parseText(value)
	case word == "--with-extension":
		more, _ := split(value)
		return []textEntry{started(more)}, nil
	case strings.HasPrefix(word, "--with-") && address.MatchString(value):
		return []textEntry{remote(value)}, nil
	case len(words) > 2 && words[1] == "add-json":
		return addJSON(words[2:])
	case len(words) > 2 && (words[1] == "add" || words[1] == "install"):
		return added(words[2:])
	}
	return nil, fault.New(fault.Invalid,
		"this command of an AI client does not add a server; paste the command that does, such as claude mcp add NAME -- COMMAND")
}

// addJSON reads the arguments of "claude mcp add-json": a name and an entry.
func addJSON(words []string) ([]textEntry, error) {
	var rest []string
	for i := 0; i < len(words); i++ {
		if words[i] == "-s" || words[i] == "--scope" {
			i++
		} else if !strings.HasPrefix(words[i], "-") {
			rest = append(rest, words[i])
		}
	}
	if len(rest) < 2 {
		return nil, fault.New(fault.Invalid, "add-json needs a name and an entry in JSON")
	}
	entries, err := parseText(rest[1])
	if err == nil && len(entries) == 1 {
		entries[0].Name = rest[0]
	}
	return entries, err
}

// added reads the arguments of "claude mcp add" and of similar commands: options,
// a name, and a command or URL.
func added(words []string) ([]textEntry, error) {
	a := adding{fields: make(map[string]any)}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			a.line, words = append(a.line, words...), nil
		case strings.HasPrefix(word, "-"):
			words = a.option(word, words)
		default:
			if a.line = append(a.line, word); len(a.line) == 2 && a.name == "" && !address.MatchString(word) && !isLine(word) {
				a.line, words = append(a.line, words...), nil
			}
		}
	}
	if a.name == "" && len(a.line) > 0 {
		a.name, a.line = a.line[0], a.line[1:]
	}
	if a.url == "" && a.program == "" && len(a.line) == 0 {
		return nil, fault.New(fault.Invalid, "the command adds a server, but has neither a command nor a URL for it")
	}
	return []textEntry{a.entry()}, nil
}

// isLine reports whether a word is a whole command line.
func isLine(word string) bool {
	return strings.ContainsFunc(word, unicode.IsSpace) && !absolute.MatchString(word)
}

// adding is the state of reading a command that adds a server to a client.
type adding struct {
	name      string
	line      []string // the name, unless an option contains it, and then the command line or the URL
	program   string   // the value of --command
	arguments []string
	variables []string
	headers   map[string]any
	transport string
	url       string
	bearer    string         // name of the variable that holds the bearer token
	fields    map[string]any // other fields of the entry, which nameLosses checks
}

// several matches the options that accept more than one value, up to the next option.
var several = lazyregexp.New(`^(-e|--env|-H|--header)$`)

// option reads an option with its value and returns the remaining words.
func (a *adding) option(word string, words []string) []string {
	word, value, joined := strings.Cut(word, "=")
	if !joined && len(words) > 0 && !flags[word] {
		value, words = words[0], words[1:]
	}
	a.set(word, value)
	for several.MatchString(word) && len(words) > 0 && pairWord.MatchString(words[0]) {
		a.set(word, words[0])
		words = words[1:]
	}
	return words
}

// pairWord matches a word that is one more value of an option that accepts several values.
var pairWord = lazyregexp.New(`^[A-Za-z_][\w-]*(=|:\s)`)

// flags are the options that take no value.
var flags = setOf("--trust", "--client-secret", "--json", "--show-secrets", "--workspace", "--global", "--project", "--local",
	"--replace", "-r", "--force", "-f", "--yes", "-y", "--debug", "-d", "--disabled", "--no-trust", "-g", "--user")

func (a *adding) set(option, value string) {
	switch option {
	case "-e", "--env":
		pairs := strings.Split(value, ",") // Kiro accepts several pairs in one value
		if slices.ContainsFunc(pairs, func(pair string) bool { return !setVariable.MatchString(pair) }) {
			pairs = []string{value}
		}
		a.variables = append(a.variables, pairs...)
	case "-H", "--header":
		name, text, found := strings.Cut(value, ":")
		if before, after, assigns := strings.Cut(value, "="); assigns && (!found || len(before) < len(name)) {
			name, text = before, after // amp writes NAME=VALUE
		}
		if a.headers == nil {
			a.headers = make(map[string]any)
		}
		a.headers[strings.TrimSpace(name)] = strings.TrimSpace(text)
	case "-t", "--transport", "--type":
		a.transport = value
	case "-u", "--url", "--qoder-url":
		a.url = value
	case "-n", "--name":
		a.name = value
	case "-c", "--command":
		a.program = value
	case "--args":
		a.arguments = append(a.arguments, argumentsOf(value)...)
	case "--cwd":
		a.fields["cwd"] = value
	case "--bearer-token-env-var":
		a.bearer = value
	case "--timeout", "--trust":
		a.fields[option[2:]] = "set"
	case "--include-tools", "--tools":
		if value != "*" {
			a.fields["includeTools"] = "set"
		}
	case "--exclude-tools":
		a.fields["excludeTools"] = "set"
	case "--client-id", "--client-secret", "--callback-port", "--oauth-client-id", "--oauth-client-secret", "--oauth-client-registration",
		"--oauth-resource",
		"--oauth-scopes", "--oauth-authorization-url", "--oauth-token-url", "--oauth-redirect-uri":
		a.fields["oauth"] = "set"
	case "--disabled":
		a.fields["disabled"] = true
	case "--description":
		a.fields["description"] = value
	}
}

// argumentsOf reads the value of --args: a list in JSON, words separated by
// commas, or a command line.
func argumentsOf(value string) []string {
	if strings.HasPrefix(value, "[") {
		if list, err := parse(`{"`+whole+`":`+value+`}`, "json"); err == nil {
			return new(textEntry).words(member(list, whole), "args")
		}
	}
	if !strings.ContainsFunc(value, unicode.IsSpace) && strings.Contains(value, ",") {
		return strings.Split(value, ",")
	}
	more, _ := split(value)
	return more
}

func (a *adding) entry() textEntry {
	line := a.line
	if a.program != "" {
		line = append(append([]string{a.program}, a.arguments...), line...)
	}
	if a.url == "" && len(line) > 0 && address.MatchString(line[0]) {
		a.url = line[0]
	}
	var e textEntry
	if a.url != "" {
		e.remote(map[string]any{"type": a.transport, "headers": a.headers, "bearer_token_env_var": a.bearer}, a.url)
	} else {
		if len(line) == 1 && isLine(line[0]) {
			line, _ = split(line[0])
		}
		e = started(line)
		e.Server.Dir = text(a.fields["cwd"])
	}
	for _, assignment := range a.variables {
		e.set(assignment)
	}
	e.Name, e.entry, e.Server.Disabled = a.name, a.fields, a.fields["disabled"] == true
	e.Description = text(a.fields["description"])
	return e
}
