// Package cli is the command-line door: one command a file, the same words as
// the other doors, --json everywhere, and an exit code that a script can use.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// The exit codes.
const (
	exitOK        = 0
	exitArguments = 1
	exitNotFound  = 2
	exitFailed    = 3
	exitDisabled  = 4
)

// program is one run of the command line.
type program struct {
	version string
	json    bool
	asks    bool // standard input is a terminal: somebody can be asked
	screen  bool // standard output is a terminal
	watched bool // standard error is a terminal
	folder  paths.Folder
	in      io.Reader
	out     io.Writer
	err     io.Writer
}

// Main runs the command line of this process and returns its exit code.
func Main(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	args := os.Args[1:]
	if len(args) == 0 && piped(os.Stdin) {
		args = []string{"mcp"} // an editor started us
	}
	p := &program{version: version, in: os.Stdin, out: os.Stdout, err: os.Stderr}
	p.asks, p.screen = isatty.IsTerminal(os.Stdin.Fd()), isatty.IsTerminal(os.Stdout.Fd())
	p.watched = isatty.IsTerminal(os.Stderr.Fd())
	root := p.root()
	p.json = asksForJSON(args) // an unknown command is refused before its flags are read
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	return p.report(root.ExecuteContext(ctx))
}

func asksForJSON(args []string) bool {
	for _, arg := range args {
		if arg == "--json" || arg == "--" {
			return arg == "--json"
		}
	}
	return false
}

// piped reports whether a file is a pipe or a socket, as an editor's end is.
func piped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "agent-discover",
		Short: "One entry for every AI editor, and behind it every MCP server of yours",
		Long: `Agent Discover gives every AI editor on this machine one MCP entry, and behind it
all your MCP servers. The hub runs in the background; editors start the companion
(agent-discover mcp), and everything else here talks to the hub.

Exit codes: 0 ok, 1 arguments, 2 not found, 3 failed, 4 disabled or not approved.`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			p.folder, err = paths.Default()
			return err
		},
	}
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage{err} })
	root.AddCommand(p.serve(), p.mcp(), p.open(), p.stop(), p.pause(), p.resume(), p.status(), p.servers(), p.secrets(), p.editors(), p.find(), p.why(), p.eval(), p.call(),
		p.sync(), p.importDatabase(), p.logs(), p.metrics(), p.learned(), p.token(), p.doctor(), p.versionCommand())
	wrapArgs(root)
	return root
}

// usage is an error in how a command was written.
type usage struct{ error }

// wrapArgs makes wrong arguments of any command usage errors.
func wrapArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usage{fmt.Errorf("%w; see: %s --help", err, cmd.CommandPath())}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}

// report prints an error, if any, and chooses the exit code.
func (p *program) report(err error) int {
	if err == nil {
		return exitOK
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	message := err.Error()
	if _, ok := errors.AsType[*fault.Error](err); ok {
		message = fault.MessageOf(err)
	}
	if p.json {
		_ = json.NewEncoder(p.err).Encode(map[string]string{"error": message})
	} else {
		_, _ = fmt.Fprintln(p.err, "agent-discover: "+safetext.Prose(message))
	}
	return codeOf(err)
}

func codeOf(err error) int {
	if _, wrong := errors.AsType[usage](err); wrong {
		return exitArguments
	}
	if _, known := errors.AsType[*fault.Error](err); !known {
		return exitArguments // cobra's own: an unknown command
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return exitArguments
	case fault.NotFound:
		return exitNotFound
	case fault.Denied:
		return exitDisabled
	}
	return exitFailed
}

// exitCode ends with a code and without a message: it was printed already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// hub returns the running hub; it starts one unless the user stopped it.
func (p *program) hub(ctx context.Context) (instance.Info, error) {
	if info, err := instance.Read(p.folder); err == nil {
		return info, nil
	}
	if instance.Stopped(p.folder) {
		return instance.Info{}, fault.New(fault.Unavailable, "the hub was stopped; start it with: agent-discover serve")
	}
	return instance.Ensure(ctx, p.folder, "cli")
}

func (p *program) client(ctx context.Context) (*instance.Client, error) {
	info, err := p.hub(ctx)
	if err != nil {
		return nil, err
	}
	return instance.NewClient(info), nil
}

// printJSON prints a value the way scripts read it.
func (p *program) printJSON(v any) error {
	encoder := json.NewEncoder(p.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// printf prints for a person. What steers a terminal comes from servers and
// agents only, and is shown instead.
func (p *program) printf(format string, args ...any) {
	p.write(safetext.Prose(fmt.Sprintf(format, args...)))
}

// output prints what a server answered: for another program as it came.
func (p *program) output(text string) {
	if p.screen && !p.json {
		text = safetext.Prose(text)
	}
	p.write(text + "\n")
}

func (p *program) write(text string) {
	_, _ = io.WriteString(p.out, text) // a closed terminal is no failure of ours
}
