package launch

import "strings"

// Own reports whether a command is the MCP server of Agent Discover itself: it starts the program agent-discover, from any
// folder, with the argument mcp or without arguments, directly or through a shell. With the argument mcp, the
// program's name may have a suffix, such as a version. A package named agent-discover that a package manager runs is
// another product.
func Own(command string, args []string) bool {
	program, rest := Unwrap(command, args)
	if strings.Contains(strings.ToLower(program), "node_modules") {
		return false
	}
	name := strings.TrimSuffix(base(program), ".exe")
	if !strings.HasPrefix(name, "agent-discover") {
		return false
	}
	return len(rest) > 0 && rest[0] == "mcp" || len(rest) == 0 && name == "agent-discover"
}

// Unwrap returns the command that a shell or env starts, and any other command
// unchanged.
func Unwrap(program string, args []string) (string, []string) {
	switch base(program) {
	case "cmd", "cmd.exe":
		for i, arg := range args {
			if strings.EqualFold(arg, "/c") || strings.EqualFold(arg, "/k") {
				return line(args[i+1:])
			}
		}
	case "sh", "bash", "zsh", "dash":
		for i, arg := range args {
			if strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, "c") {
				return line(args[i+1 : min(i+2, len(args))])
			}
		}
	case "env":
		for i, arg := range args {
			if !strings.Contains(arg, "=") && !strings.HasPrefix(arg, "-") {
				return arg, args[i+1:]
			}
		}
	}
	return program, args
}

// line returns the program and the arguments of a command line. If words has only one element, that
// is the whole command line, which line splits.
func line(words []string) (string, []string) {
	if len(words) == 1 {
		words = Words(words[0])
	}
	if len(words) > 1 && words[0] == "exec" {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", nil
	}
	return words[0], words[1:]
}

func base(path string) string {
	return strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
}

// Words splits a command line at spaces and tabs outside of quotes.
func Words(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	open := false
	for _, c := range line {
		switch {
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case c == quote:
			quote = 0
		case quote == 0 && (c == ' ' || c == '\t'):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
