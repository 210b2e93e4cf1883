package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// checkedConfig is the outcome of config validate.
type checkedConfig struct {
	File     string                     `json:"file"`
	Valid    bool                       `json:"valid"`
	Problems []operations.ConfigProblem `json:"problems"`
	// Warnings are about settings that are valid and probably have no effect.
	Warnings []string `json:"warnings"`
}

func (c configCommands) validate() *cobra.Command {
	return &cobra.Command{
		Use: "validate [FILE]", Short: "Check a settings file, and list every problem with its position", Args: cobra.MaximumNArgs(1),
		Long: `Check a settings file, config.yaml by default, and list every problem with its position.
Nothing is changed, and no hub is needed. Environment variables are checked too. Names of
clients and sources that are not known are warnings, with which a file is valid.`,
		Example: "  agent-discover config validate\n  agent-discover config validate new.yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			file := c.p.folder.Config()
			if len(args) == 1 {
				if file = args[0]; file == "" {
					return usagef("name a file")
				}
				if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
					return fault.Wrap(err, fault.NotFound, "there is no file %s", file)
				} else if err != nil {
					return fault.Wrap(err, fault.Invalid, "could not read %s", file)
				}
			}
			s, err := settings.Load(file)
			return c.printChecked(checkedConfig{
				file, err == nil, operations.ConfigProblems(settings.Problems(err)), configWarnings(s.Discovery),
			})
		},
	}
}

// configWarnings returns warnings about unknown clients and unreadable sources; it is never nil.
func configWarnings(d settings.Discovery) []string {
	warnings := []string{}
	for i, limit := range d.Clients {
		if _, known := table.ByID(limit.Client); !known {
			warnings = append(warnings,
				fmt.Sprintf("discovery.clients[%d] limits the client %q, which is no known editor; see: agent-discover editors list --all",
					i, limit.Client))
		}
	}
	for i, source := range d.Sources {
		if problem := sourceProblem(source); problem != "" {
			warnings = append(warnings, fmt.Sprintf("discovery.sources[%d] (%s): %s", i, cmp.Or(source.Editor, source.File), problem))
		}
	}
	return warnings
}

func (c configCommands) printChecked(of checkedConfig) error {
	if c.p.json {
		if err := c.p.printJSON(of); err != nil {
			return err
		}
	} else if of.Valid {
		c.p.printf("%s is valid.\n", of.File)
		for _, warning := range of.Warnings {
			c.p.notef("warning: %s\n", warning)
		}
	}
	if of.Valid {
		return nil
	}
	for _, p := range of.Problems {
		if c.p.json {
			break
		}
		place := of.File
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", of.File, p.Line, p.Column) // as compilers write it, so that text editors can jump there
		}
		c.p.notef("%s: %s\n", place, p.Message)
	}
	return exitCode(exitArguments)
}
