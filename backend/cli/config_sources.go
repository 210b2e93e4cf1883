package cli

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// configSource is a source of servers and whether it can be read.
type configSource struct {
	Editor  string `json:"editor,omitempty"`
	File    string `json:"file,omitempty"`
	Problem string `json:"problem"` // why the source cannot be read; empty if no reason is known
}

func (c configCommands) sources() *cobra.Command {
	return &cobra.Command{
		Use: "sources", Short: "List the sources of servers that config.yaml names", Args: cobra.NoArgs,
		Long: `List the sources of servers in discovery.sources of config.yaml: editors and files, and
what is wrong with each. To import their servers:
agent-discover editors import --sources.`,
		RunE: func(*cobra.Command, []string) error {
			s, err := settings.Load(c.p.folder.Config())
			if err != nil {
				return err
			}
			list := []configSource{}
			for _, source := range s.Discovery.Sources {
				list = append(list, configSource{source.Editor, source.File, sourceProblem(source)})
			}
			if c.p.json {
				return c.p.printJSON(list)
			}
			return c.printSources(list)
		},
	}
}

// sourceProblem returns why a source cannot be read, or "" if no reason is known.
func sourceProblem(s settings.Source) string {
	if s.Editor != "" {
		if _, known := table.ByID(s.Editor); !known {
			return "unknown editor; see: agent-discover editors list --all"
		}
		return ""
	}
	info, err := os.Stat(s.File)
	switch {
	case os.IsNotExist(err):
		return "the file does not exist"
	case err != nil:
		return "the file cannot be read"
	case info.IsDir():
		return "it is a folder"
	}
	return ""
}

func (c configCommands) printSources(list []configSource) error {
	if len(list) == 0 {
		c.p.printf("No sources are configured. Name editors and files in discovery.sources of %s\n", c.p.folder.Config())
		return nil
	}
	rows := c.p.table("SOURCE", "KIND", "STATE")
	for _, s := range list {
		kind := "editor"
		if s.File != "" {
			kind = "file"
		}
		_, _ = fmt.Fprintf(rows, "%s\t%s\t%s\n", cell(cmp.Or(s.Editor, s.File)), kind, cmp.Or(s.Problem, "ok"))
	}
	return rows.Flush()
}
