// Package cli is the command line. Most commands have a file of their own; all
// have the flag --json and end with an exit code that a script can use. Commands
// about one subject share a type such as serverCommands, whose field p is the program.
// The hub does the work, except for the few commands that must work without a
// hub, such as doctor, eval, serve and version.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// program is one run of the command line: its streams, the data folder and the
// global flags.
type program struct {
	version     string
	args        []string // as typed
	json        bool     // the flag --json
	interactive bool     // standard input is a terminal, so a question can be answered
	outTerminal bool     // standard output is a terminal
	errTerminal bool     // standard error is a terminal
	colour      bool     // standard output shows colours
	differs     bool     // it was said that the hub is of another version
	folder      paths.Folder
	in          io.Reader
	out         io.Writer
	err         io.Writer
	terminal    func() (io.ReadWriteCloser, error) // opens the terminal of the person who runs the program
}

// Main runs the command line of this process and returns its exit code.
func Main(version string) int {
	if confinement.Called(os.Args) { // before anything else, because this process becomes another program
		return confinement.Exec()
	}
	endings := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // closing the terminal sends SIGHUP; keep ignoring the signal under nohup
		endings = append(endings, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings...)
	defer stop()
	if os.Getenv("AGENT_DISCOVER_PASSPHRASE") != "" {
		process.Protect()
	}
	args := os.Args[1:]
	if info, err := os.Stdin.Stat(); len(args) == 0 && err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		args = []string{"mcp"} // an editor whose entry has no arguments started the program
	}
	p := &program{
		version: version, args: args, terminal: openTerminal, in: os.Stdin, out: os.Stdout, err: os.Stderr,
		interactive: isatty.IsTerminal(os.Stdin.Fd()),
		outTerminal: isatty.IsTerminal(os.Stdout.Fd()),
		errTerminal: isatty.IsTerminal(os.Stderr.Fd()),
	}
	p.colour = wantsColour(p.outTerminal, os.Getenv)
	root := p.root()
	p.json = jsonRequested(args) // before Execute, because cobra reports an unknown command without parsing flags
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	return p.report(root.ExecuteContext(ctx))
}

func jsonRequested(args []string) bool {
	for _, arg := range args {
		if arg == "--json" || arg == "--" {
			return arg == "--json"
		}
	}
	return false
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "agent-discover",
		Short: "Connect AI editors to all your MCP servers through one entry",
		Long: `Agent Discover adds one MCP entry to your AI editors. Through that entry, agents
search and call the tools of all MCP servers that you configure.

The hub, a background program, runs the servers and keeps their settings. Editors
start "agent-discover mcp", which connects them to the hub. That command, and most
of the others, start the hub if it is not running.

Exit codes: 0 success, 1 invalid arguments, 2 not found, 3 failed, 4 disabled or not
approved.`,
		Example: `  agent-discover setup                       # connect your editors, and import their servers
  agent-discover servers add memory -- npx -y @modelcontextprotocol/server-memory
  agent-discover find read a text file       # search the tools as an agent does
  agent-discover open                        # open the dashboard in the browser`,
		Version:      p.version,
		SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			p.folder, err = paths.Default()
			return err
		},
	}
	root.Flags().Bool("version", false, "print the version") // without this, cobra adds the short form -v
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see: %s --help", err, cmd.CommandPath())
	})
	p.addCommands(root)
	finish(root)
	return root
}

// addCommands adds the commands in the groups in which --help lists them.
func (p *program) addCommands(root *cobra.Command) {
	hub, setup, search := hubCommands{p}, setupCommands{p}, searchCommands{p}
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"configure", "Configure editors and servers:", []*cobra.Command{
			p.firstRun(), editorCommands{p}.command(), marketCommands{p}.command(), personaCommands{p}.command(),
			serverCommands{p}.command(), secretCommands{p}.command(), authCommands{p}.command(), setup.sync(), setup.importDatabase(),
			setup.export(), setup.restore(), configCommands{p}.command(),
		}},
		{"tools", "Find and call tools:", []*cobra.Command{
			search.find(), search.search(), search.why(), search.cost(), inspectCommand{p}.command(), callCommand{p}.command(),
			callCommand{p}.execute(), toolsetCommands{p}.command(), ruleCommands{p}.command(), search.learned(), evalCommand{p}.command(),
		}},
		{"watch", "Monitor and diagnose:", []*cobra.Command{
			hub.open(), hub.status(), logCommands{p}.logs(), logCommands{p}.metrics(), auditCommands{p}.audit(), trustCommands{p}.command(),
			doctorCommand{p}.command(),
		}},
		{"hub", "Control the hub:", []*cobra.Command{
			hub.start(), hub.stop(), hub.restart(), hub.serve(), hub.mcp(), hub.pause(), hub.resume(), hub.token(), hub.purge(),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, command := range group.commands {
			command.GroupID = group.id
			root.AddCommand(command)
		}
	}
	root.AddCommand(hub.versionCommand(), p.manual(root))
}

// finish completes a command and those below it: wrong arguments become usage
// errors that name the command's help, and the help shows "[flags]" only for
// commands that have flags of their own.
func finish(cmd *cobra.Command) {
	cmd.DisableFlagsInUseLine = !cmd.HasLocalFlags()
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.HasSubCommands() && check(cmd, nil) == nil && check(cmd, args) != nil {
				return suggest(cmd, args[0])
			}
			if err := check(cmd, args); err != nil {
				return usage{fmt.Errorf("%w; see: %s --help", err, cmd.CommandPath())}
			}
			return nil
		}
	}
	addAliases(cmd)
	for _, sub := range cmd.Commands() {
		finish(sub)
	}
}
