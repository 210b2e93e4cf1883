package importer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

var (
	prompt      = regexp.MustCompile(`^(?:[$>%]|PS [^>]*>)\s+`)
	continued   = regexp.MustCompile("[\\\\`]\r?\n[ \t]*")
	setVariable = regexp.MustCompile(`(?s)^([A-Za-z_]\w*)=(.*)$`)
	shellSign   = regexp.MustCompile(`^(\||\|\||&&|>|>>|<|;|&)$`)
)

// commands reads command lines. A line that ends in a backslash or backtick
// continues on the next.
func commands(text string) ([]textEntry, error) {
	var entries []textEntry
	for line := range strings.Lines(continued.ReplaceAllString(text, " ")) {
		line = prompt.ReplaceAllString(strings.TrimSpace(line), "")
		if line == "" || line[0] == '#' {
			continue
		}
		read, err := command(line)
		if err != nil {
			return nil, err
		}
		if entries = append(entries, read...); len(entries) > maxEntries {
			return nil, fault.New(fault.Invalid, "the text contains more than %d servers; paste a part of it", maxEntries)
		}
	}
	if len(entries) == 0 {
		return nil, fault.New(fault.Invalid, "the text contains no server")
	}
	return entries, nil
}

// command reads one line: a URL, a command that adds a server to a client, or a
// command that starts a server.
func command(line string) ([]textEntry, error) {
	if address.MatchString(line) {
		return []textEntry{remote(line)}, nil
	}
	words, closed := split(line)
	if !closed {
		return nil, fault.New(fault.Invalid, "the text is neither a configuration nor a command line with closed quotes")
	}
	if i := slices.Index(words, "--add-mcp"); i >= 0 && i+1 < len(words) {
		return parseText(words[i+1])
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--add-mcp=") }); i >= 0 {
		return parseText(strings.TrimPrefix(words[i], "--add-mcp="))
	}
	if len(words) > 3 && words[1] == "mcp" && words[2] == "add-json" {
		return addJSON(words[3:])
	}
	if len(words) > 3 && words[1] == "mcp" && words[2] == "add" {
		return []textEntry{added(words[3:])}, nil
	}
	return []textEntry{started(words)}, nil
}

// addJSON reads the arguments of “claude mcp add-json”: a name and an entry.
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

// started reads a command that starts a server: variables, a program and its
// arguments, as in a shell.
func started(words []string) textEntry {
	var e textEntry
	e.Server.Transport = "stdio"
	if len(words) > 1 && words[0] == "env" && setVariable.MatchString(words[1]) {
		words = words[1:]
	}
	for len(words) > 0 && setVariable.MatchString(words[0]) {
		e.set(words[0])
		words = words[1:]
	}
	if len(words) == 0 || strings.TrimSpace(words[0]) == "" {
		e.Problem = "it has neither a command nor a URL"
		return e
	}
	e.Server.Command, e.Server.Args = words[0], words[1:]
	if i := slices.IndexFunc(words, shellSign.MatchString); i >= 0 {
		e.Problem = "no shell runs this command, so “" + words[i] + "” has no effect; write the command into a script"
	}
	return e
}

func (e *textEntry) set(assignment string) {
	name, value, _ := strings.Cut(assignment, "=")
	if e.Server.Env == nil {
		e.Server.Env = make(map[string]string)
	}
	e.Server.Env[name] = value
}

// added reads the arguments of “claude mcp add” and of similar commands: options,
// a name, and a command or URL.
func added(words []string) textEntry {
	a := adding{}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			a.line, words = append(a.line, words...), nil
		case strings.HasPrefix(word, "-"):
			words = a.option(word, words)
		default:
			if a.line = append(a.line, word); len(a.line) == 2 && !address.MatchString(word) {
				a.line, words = append(a.line, words...), nil
			}
		}
	}
	return a.entry()
}

// adding is the state of reading a command that adds a server to a client.
type adding struct {
	line      []string // the name, then the command line or the URL
	variables []string
	headers   map[string]any
	transport string
	url       string
	bearer    string // variable that holds the token
}

// option reads an option with its value and returns the remaining words.
func (a *adding) option(word string, words []string) []string {
	word, value, joined := strings.Cut(word, "=")
	take := func() string {
		if !joined && len(words) > 0 {
			value, words = words[0], words[1:]
		}
		return value
	}
	switch word {
	case "-e", "--env":
		a.variables = append(a.variables, take())
		for len(words) > 0 && setVariable.MatchString(words[0]) {
			a.variables, words = append(a.variables, words[0]), words[1:]
		}
	case "-H", "--header":
		name, text, _ := strings.Cut(take(), ":")
		if a.headers == nil {
			a.headers = make(map[string]any)
		}
		a.headers[strings.TrimSpace(name)] = strings.TrimSpace(text)
	case "-t", "--transport", "--type":
		a.transport = take()
	case "--url":
		a.url = take()
	case "--bearer-token-env-var":
		a.bearer = take()
	case "-s", "--scope", "--timeout", "--description", "--callback-port", "--client-id":
		take()
	}
	return words
}

func (a *adding) entry() textEntry {
	name, line := "", a.line
	if len(line) > 0 {
		name, line = line[0], line[1:]
	}
	if a.url == "" && len(line) > 0 && address.MatchString(line[0]) {
		a.url = line[0]
	}
	var e textEntry
	if a.url != "" {
		e.remote(map[string]any{"type": a.transport, "headers": a.headers, "bearer_token_env_var": a.bearer}, a.url)
	} else {
		if len(line) == 1 && strings.ContainsFunc(line[0], unicode.IsSpace) && !absolute.MatchString(line[0]) {
			line, _ = split(line[0])
		}
		e = started(line)
		for _, assignment := range a.variables {
			e.set(assignment)
		}
	}
	e.Name = name
	return e
}
