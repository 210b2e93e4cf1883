package importer

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

var (
	prompt      = lazyregexp.New(`^(?:[$>%❯]|PS [^>]*>)\s+`)
	continued   = lazyregexp.New("[\\\\`]\r?\n[ \t]*")
	setVariable = lazyregexp.New(`(?s)^([A-Za-z_]\w*)=(.*)$`)
	shellSign   = lazyregexp.New(`^(\||\|\||&&|>|>>|<|;|&)$`)
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
		if err != nil && strings.Contains(text, "\n") {
			return nil, fault.Wrap(err, fault.Invalid, "command %d: %s", len(entries)+1, fault.MessageOf(err))
		}
		if err != nil {
			return nil, err
		}
		if entries = append(entries, read...); len(entries) > maxEntries {
			return nil, tooManyServers()
		}
	}
	if len(entries) == 0 {
		return nil, fault.New(fault.Invalid, "the text contains no server")
	}
	return entries, nil
}

// command reads one line: a URL, an install link, a command that adds a server
// to a client, or a command that starts a server.
func command(line string) ([]textEntry, error) {
	if linked, is, err := installLink(line); is {
		return linked, err
	}
	if address.MatchString(line) {
		return []textEntry{remote(line)}, nil
	}
	words, closed := split(line)
	if !closed {
		return nil, fault.New(fault.Invalid, "the text is neither a configuration nor a command line with closed quotes")
	}
	if why := refusal(line, words); why != nil {
		return nil, why
	}
	var entries []textEntry
	for _, part := range sequence(words) {
		ours := clientCommand(part)
		if ours == nil {
			if len(entries) > 0 {
				break
			}
			return []textEntry{started(words)}, nil
		}
		read, err := ofClient(ours)
		if err != nil {
			return nil, err
		}
		entries = append(entries, read...)
	}
	return entries, nil
}

// sequence splits the words of a line at &&, || and ;, if the line begins with the command of a
// client.
func sequence(words []string) [][]string {
	if clientCommand(words) == nil {
		return [][]string{words}
	}
	var parts [][]string
	from := 0
	for i, word := range words {
		if word == "&&" || word == ";" || word == "||" {
			parts, from = append(parts, words[from:i]), i+1
		}
	}
	return append(parts, words[from:])
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
