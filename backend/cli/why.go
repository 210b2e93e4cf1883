package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (p *program) why() *cobra.Command {
	limit := 5
	cmd := &cobra.Command{
		Use: "why WORDS…", Short: "Show what an agent would find, and what made each tool a hit",
		Example: "  agent-discover why read a text file from disk", Args: words,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			var found resources.FindReply
			ask := map[string]any{"query": strings.Join(args, " "), "limit": limit}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/find", ask, &found); err != nil {
				return err
			}
			if err := p.printWhy(cmd.Context(), found); err != nil {
				return err
			}
			if !found.Found {
				return exitCode(exitNotFound)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "tools to show")
	return cmd
}

// leastPoints is what two digits still show.
const leastPoints = 0.005

// wordsOf says which words made a part count, or what did where it was not
// those.
func wordsOf(why resources.FindMatch) string {
	words := cell(strings.Join(why.Terms, ", "))
	switch why.Field {
	case "meaning":
		return "(means the like)"
	case "mention":
		return "(the tool is named)"
	case "learned":
		return "(called after a like question: " + words + ")"
	}
	return words
}

func (p *program) printWhy(ctx context.Context, found resources.FindReply) error {
	if p.json {
		return p.printJSON(found)
	}
	if !found.Found {
		var reply struct {
			DidYouMean []string `json:"did_you_mean"`
		}
		_ = json.Unmarshal(found.Reply, &reply) // what is not there is left out
		p.printMiss(ctx, found.Score, reply.DidYouMean)
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "TOOL\tSCORE\tPART\tPOINTS\tWORDS")
	for _, hit := range found.Hits {
		name, score := cell(strings.TrimPrefix(hit.CallAs, "mcp__")), fmt.Sprintf("%.2f", hit.Score)
		for _, why := range hit.Why {
			if why.Points < leastPoints && name == "" {
				continue
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%.2f\t%s\n", name, score, cell(why.Field), why.Points, wordsOf(why))
			name, score = "", "" // once a tool
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	p.printf("confidence: %s\n", found.Confidence)
	return nil
}
