package table

import "strings"

// Ours reports whether a server is the entry of Agent Discover: it starts the program agent-discover, from any
// folder, with the argument mcp or without arguments, directly or through a shell. With the argument mcp, the
// program's name may have a suffix, such as a version. A package named agent-discover that a package manager runs is
// another product.
func Ours(s Server) bool {
	program, rest := unwrap(s.Command, s.Args)
	if strings.Contains(strings.ToLower(program), "node_modules") {
		return false
	}
	name := strings.TrimSuffix(base(program), ".exe")
	if !strings.HasPrefix(name, "agent-discover") {
		return false
	}
	return len(rest) > 0 && rest[0] == "mcp" || len(rest) == 0 && name == "agent-discover"
}

// Arguments returns the arguments with which the entry of Agent Discover starts the
// program, directly or through a shell.
func Arguments(s Server) []string {
	_, args := unwrap(s.Command, s.Args)
	return args
}

// unwrap returns the command that a shell or env starts, and any other command
// unchanged.
func unwrap(program string, args []string) (string, []string) {
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
		words = commandWords(words[0])
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
