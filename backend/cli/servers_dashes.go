package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/process"
	baseprogram "github.com/agent-discover/agent-discover/backend/base/program"
)

// commandAfterDashes lets errors about flags of servers add and servers edit say that they are flags of the server's command.
func (c serverCommands) commandAfterDashes(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if before := cmd.Flags().Args(); len(before) > 1 || len(before) == 1 && starts(before[0]) {
			return c.errNoDashes(cmd, before)
		}
		return cmd.Parent().FlagErrorFunc()(cmd, err)
	})
}

// errNoDashes is the error for a server's command that does not follow "NAME --". It shows the corrected command line. args
// are the arguments of cmd up to the error.
func (c serverCommands) errNoDashes(cmd *cobra.Command, args []string) error {
	line := cmd.CommandPath()
	switch dash := cmd.ArgsLenAtDash(); {
	case dash == 0:
		return usagef("name the server before --: %s NAME -- %s", line, commandLine(args[0], args[1:]))
	case dash > 1:
		return usagef("put only the name of the server before --: %s %s -- COMMAND ARGS", line, quoted(args[0]))
	}
	named := !starts(args[0]) || len(args) > 1 && starts(args[1])
	if named && len(args) == 1 {
		return usagef("put -- before the command: %s %s -- COMMAND ARGS", line, quoted(args[0]))
	}
	first := args[0]
	if named {
		first = args[1]
	}
	typed := c.p.args[slices.Index(c.p.args, cmd.CalledAs())+1:]
	at := slices.Index(typed, args[0])
	at += slices.Index(typed[at:], first)
	what, corrected := "put -- before the command", append(strings.Fields(line), typed[:at]...)
	if !named {
		what, corrected = "name the server, and put -- before its command", append(corrected, "NAME")
	}
	corrected = append(append(corrected, "--"), typed[at:]...)
	return usagef("%s: %s", what, commandLine(corrected[0], corrected[1:]))
}

// starts reports whether a word is the name of a program or a path rather than the name of a server.
func starts(word string) bool {
	_, known := baseprogram.ProductOf(baseprogram.Name(word))
	return known || strings.ContainsAny(word, `/\`) || process.Env(os.Environ()).LookPath(word) != ""
}
