package table

import "github.com/agent-discover/agent-discover/backend/servers/launch"

// Ours reports whether a server is the entry of Agent Discover.
func Ours(s Server) bool { return launch.Own(s.Command, s.Args) }

// Arguments returns the arguments with which the entry of Agent Discover starts the
// program, directly or through a shell.
func Arguments(s Server) []string {
	_, args := launch.Unwrap(s.Command, s.Args)
	return args
}
