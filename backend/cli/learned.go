package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (p *program) learned() *cobra.Command {
	cmd := &cobra.Command{
		Use: "learned", Short: "Show which tools were called after which queries, and are lifted for like ones", Args: cobra.NoArgs,
		Long: `Show which tools agents called after which queries. The search lifts those tools a
little for like queries, so that what was right once is found sooner. All of it stays
on this machine, with credentials covered; what is not used again fades away.`,
		Example: "  agent-discover learned\n  agent-discover learned forget 12\n  agent-discover learned off",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			var list resources.LearnedList
			if err := client.Do(cmd.Context(), http.MethodGet, "/api/learned", nil, &list); err != nil {
				return err
			}
			if p.json {
				return p.printJSON(list)
			}
			return p.printLearned(list)
		},
	}
	cmd.AddCommand(p.forgetLearned(), p.switchLearning("on", "Learn from what agents call, and lift what was learned"),
		p.switchLearning("off", "Learn nothing and lift nothing; what was learned stays"))
	return cmd
}

func (p *program) printLearned(list resources.LearnedList) error {
	if len(list.Entries) > 0 {
		table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "ID\tQUERY\tTOOL\tTIMES\tLAST\tSTRENGTH")
		for _, e := range list.Entries {
			last, _ := time.Parse(time.RFC3339, e.Last)
			_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t%.2f\n",
				e.ID, safetext.Clip(cell(e.Query), 60), cell(e.Server+"__"+e.Tool), e.Times, last.Local().Format(time.DateTime), e.Strength)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	} else {
		p.printf("Nothing was learned yet: it comes with what agents find and call.\n")
	}
	if !list.On {
		p.printf("Learning is off. To switch it on: agent-discover learned on\n")
	}
	return nil
}

func (p *program) switchLearning(word, short string) *cobra.Command {
	return &cobra.Command{
		Use: word, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			body := map[string]bool{"on": word == "on"}
			if err := client.Do(cmd.Context(), http.MethodPut, "/api/learned", body, nil); err != nil {
				return err
			}
			return p.say(body, "Learning is %s.\n", word)
		},
	}
}

func (p *program) forgetLearned() *cobra.Command {
	var all, yes bool
	cmd := &cobra.Command{
		Use: "forget [ID | --all]", Short: "Erase one thing that was learned, or all", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return usage{fmt.Errorf("say what to forget: an ID of agent-discover learned, or --all")}
			}
			path, question := "/api/learned", "Forget all that was learned?"
			if !all {
				path, question = path+"/"+url.PathEscape(args[0]), ""
			}
			return p.forget(cmd.Context(), path, question, yes)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "forget all of it")
	cmd.Flags().BoolVar(&yes, "yes", false, "forget without a question")
	return cmd
}

func (p *program) forget(ctx context.Context, path, question string, yes bool) error {
	if question != "" && !yes && p.asks && !p.confirm(question) {
		return fault.New(fault.Denied, "nothing was forgotten")
	}
	client, err := p.client(ctx)
	if err != nil {
		return err
	}
	if err := client.Do(ctx, http.MethodDelete, path, nil, nil); err != nil {
		return err
	}
	return p.say(map[string]string{"status": "forgotten"}, "It is forgotten.\n")
}
