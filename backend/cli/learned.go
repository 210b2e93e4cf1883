package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c searchCommands) learned() *cobra.Command {
	cmd := &cobra.Command{
		Use: "learned", Short: "List what the search learned from the calls of agents", Args: cobra.NoArgs,
		Long: `List which tools agents called after which queries. The search ranks these tools
slightly higher for similar queries. The list never leaves this machine, credentials in
it are redacted, and the effect of an entry fades while it is not used.`,
		Example: "  agent-discover learned\n  agent-discover learned forget 12\n  agent-discover learned off",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var list operations.LearnedList
			if err := client.Do(cmd.Context(), http.MethodGet, "/api/learned", nil, &list); err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(list)
			}
			return c.printLearned(list)
		},
	}
	cmd.AddCommand(c.forgetCommand(),
		c.learnCommand("on", "Learn from the calls of agents, and use what was learned"),
		c.learnCommand("off", "Stop learning and ignore what was learned, without erasing it"))
	return cmd
}

func (c searchCommands) printLearned(list operations.LearnedList) error {
	if len(list.Entries) > 0 {
		table := c.p.table("ID", "QUERY", "TOOL", "TIMES", "LAST", "STRENGTH")
		for _, e := range list.Entries {
			last, _ := time.Parse(time.RFC3339, e.Last)
			_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t%.2f\n",
				e.ID, safetext.Clip(cell(e.Query), 60), cell(e.Server+"__"+e.Tool), e.Times, last.Local().Format(time.DateTime), e.Strength)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	} else {
		c.p.printf("Nothing was learned yet. Entries appear when agents find and call tools.\n")
	}
	if !list.On {
		c.p.printf("Learning is off. To turn it on: agent-discover learned on\n")
	}
	return nil
}

func (c searchCommands) learnCommand(word, short string) *cobra.Command {
	return &cobra.Command{
		Use: word, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			body := map[string]bool{"on": word == "on"}
			if err := client.Do(cmd.Context(), http.MethodPut, "/api/learned", body, nil); err != nil {
				return err
			}
			return c.p.respond(body, "Learning is %s.\n", word)
		},
	}
}

func (c searchCommands) forgetCommand() *cobra.Command {
	var all, yes bool
	cmd := &cobra.Command{
		Use: "forget [ID | --all]", Short: "Erase one learned entry, or all", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return usagef("name the entry by its ID from agent-discover learned, or use --all")
			}
			question, path := "Erase everything that was learned?", ""
			if !all {
				question, path = "Erase the learned entry "+args[0]+"?", "/"+url.PathEscape(args[0])
			}
			if err := c.p.confirmDeletion(yes, question, "nothing was erased"); err != nil {
				return err
			}
			return c.forget(cmd.Context(), path)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "erase all entries")
	return deletes(cmd, &yes)
}

// forget erases the learned entry at a path below /api/learned, or all entries if path is "".
func (c searchCommands) forget(ctx context.Context, path string) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	if err := client.Do(ctx, http.MethodDelete, "/api/learned"+path, nil, nil); err != nil {
		return err
	}
	return c.p.respond(map[string]string{"status": "forgotten"}, "Erased.\n")
}
