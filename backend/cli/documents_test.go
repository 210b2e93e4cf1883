package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	documentedLine = regexp.MustCompile(`(?m)^agent-discover (.*)$`)
	documentedSpan = regexp.MustCompile("`([a-z][^`\n]*)`")
	comment        = regexp.MustCompile(` +[#|] .*$|<.*$`)
	word           = regexp.MustCompile(`^[a-z]+$`)
)

func TestDocumentedCommandsAndFlagsExist(t *testing.T) {
	documents, err := filepath.Glob("../../frontend/guide/*.md")
	if err != nil || len(documents) == 0 {
		t.Fatalf("found documents %q, %v", documents, err)
	}
	checked := 0
	for _, file := range append(documents, "../../README.md", "../../SECURITY.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, match := range documentedLine.FindAllStringSubmatch(string(text), -1) {
			lines = append(lines, match[1])
		}
		for _, match := range documentedSpan.FindAllStringSubmatch(string(text), -1) {
			if line, ok := strings.CutPrefix(match[1], "agent-discover "); ok || isCommand(match[1]) {
				lines = append(lines, line)
			}
		}
		for _, line := range lines {
			checked++
			if wrong := undocumented(strings.Fields(comment.ReplaceAllString(line, ""))); wrong != "" {
				t.Errorf("%s: agent-discover %s: there is no %s", filepath.Base(file), line, wrong)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d commands were found", checked)
	}
}

// isCommand reports whether text begins with the name of a command that has subcommands, followed by a word that may be
// the name of a subcommand. text must not begin with the name of the program.
func isCommand(text string) bool {
	args := strings.Fields(text)
	if len(args) < 2 || !word.MatchString(args[1]) {
		return false
	}
	cmd, _, err := new(program).root().Find(args[:1])
	return err == nil && cmd.HasParent() && cmd.HasSubCommands()
}

// undocumented returns the first word or flag of a command line that the program does not support.
func undocumented(args []string) string {
	cmd, rest, err := new(program).root().Find(args)
	if err != nil {
		return err.Error()
	}
	if cmd.HasSubCommands() && len(rest) > 0 && word.MatchString(rest[0]) {
		return "command " + rest[0]
	}
	for _, arg := range rest {
		name, flag := strings.CutPrefix(arg, "--")
		if arg == "--" {
			break
		}
		if name, _, _ = strings.Cut(name, "="); flag && !hasFlag(cmd, name) {
			return "flag " + arg
		}
	}
	return ""
}

func hasFlag(cmd *cobra.Command, name string) bool {
	return name == "help" || cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
}
