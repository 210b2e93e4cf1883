package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// manual returns the hidden command that writes the manual pages, which packages
// install.
func (p *program) manual(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages of all commands to a folder", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fault.Wrap(err, fault.Invalid, "could not create the folder %s", args[0])
			}
			n, err := writePages(root, args[0], p.version)
			if err != nil {
				return fault.Wrap(err, fault.Invalid, "could not write the manual pages to %s", args[0])
			}
			return p.respond(map[string]int{"pages": n}, "Wrote %s to %s.\n", counted(n, "page", "pages"), args[0])
		},
	}
}

// writePages writes the manual pages of a command and of those below it, and returns
// their number.
func writePages(cmd *cobra.Command, dir, version string) (int, error) {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(page(cmd, name, version)), 0o644); err != nil {
		return 0, err
	}
	pages := 1
	for _, sub := range shownCommands(cmd) {
		n, err := writePages(sub, dir, version)
		if err != nil {
			return 0, err
		}
		pages += n
	}
	return pages, nil
}

// page returns the manual page of a command in the format of man(7). Package
// cobra/doc is not used, because it depends on a Markdown converter.
func page(cmd *cobra.Command, name, version string) string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	line(`.TH "`, strings.ToUpper(roff(name)), `" "1" "" "agent-discover `, roff(version), `" "Agent Discover"`)
	line(".SH NAME")
	line(roff(name), ` \- `, roff(cmd.Short))
	line(".SH SYNOPSIS")
	line(`\fB`, roff(cmd.UseLine()), `\fR`)
	line(".SH DESCRIPTION")
	if cmd.Long == "" {
		line(roff(cmd.Short + "."))
	} else {
		literal(line, cmd.Long)
	}
	for _, group := range []struct {
		title string
		flags *pflag.FlagSet
	}{{"OPTIONS", cmd.NonInheritedFlags()}, {"GLOBAL OPTIONS", cmd.InheritedFlags()}} {
		if group.flags.HasAvailableFlags() {
			line(".SH ", group.title)
			group.flags.VisitAll(func(f *pflag.Flag) { option(line, f) })
		}
	}
	if cmd.Example != "" {
		line(".SH EXAMPLES")
		literal(line, cmd.Example)
	}
	if related := shownCommands(cmd); len(related) > 0 || cmd.HasParent() {
		line(".SH SEE ALSO")
		var pages []string
		if cmd.HasParent() {
			pages = append(pages, reference(cmd.Parent()))
		}
		for _, sub := range related {
			pages = append(pages, reference(sub))
		}
		line(strings.Join(pages, ",\n"))
	}
	return b.String()
}

func reference(cmd *cobra.Command) string {
	return `\fB` + roff(strings.ReplaceAll(cmd.CommandPath(), " ", "-")) + `\fR(1)`
}

func option(line func(...string), f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	names := "--" + f.Name
	if f.Shorthand != "" {
		names = "-" + f.Shorthand + ", " + names
	}
	line(".TP")
	line(`\fB`, roff(names), `\fR `, roff(value))
	line(roff(usage))
}

// literal writes a text whose line breaks are kept.
func literal(line func(...string), text string) {
	line(".nf")
	for _, l := range strings.Split(text, "\n") {
		line(roff(l))
	}
	line(".fi")
}

// roff escapes a line of text for roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// shownCommands returns the subcommands of a command that the help lists.
func shownCommands(cmd *cobra.Command) []*cobra.Command {
	var shown []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			shown = append(shown, sub)
		}
	}
	return shown
}
