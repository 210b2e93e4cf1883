package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c searchCommands) why() *cobra.Command {
	limit := 5
	cmd := &cobra.Command{
		Use: "why WORDS…", Short: "Explain why the search finds each tool for a need",
		Long: `Search like "agent-discover find", and print how many points each part of a tool
contributed to its score. BY WORDS is the place of the tool in a ranking by words
alone, which shows what the search by meaning changed. For a query in another language than English, also print
the English words that were added to it. Exits with 2 if no tool fits.`,
		Example: "  agent-discover why read a text file from disk", Args: needWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var found operations.FindReply
			body := map[string]any{"query": strings.Join(args, " "), "limit": limit}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/find", body, &found); err != nil {
				return err
			}
			if err := c.printWhy(cmd.Context(), found); err != nil {
				return err
			}
			if !found.Found {
				return exitCode(exitNotFound)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "show at most `N` tools")
	return cmd
}

// minPoints is the smallest number of points that is not printed as 0.00.
const minPoints = 0.005

func (c searchCommands) printWhy(ctx context.Context, found operations.FindReply) error {
	if c.p.json {
		return c.p.printJSON(found)
	}
	if len(found.ReadAs) > 0 {
		c.p.printf("read as: %s\n", cell(strings.Join(found.ReadAs, " ")))
	}
	if !found.Found {
		var reply missed
		_ = json.Unmarshal(found.Reply, &reply) // a reply of another shape has no suggestions
		c.printNoMatch(ctx, found.Score, reply)
		return nil
	}
	table := c.p.table("TOOL", "SCORE", "BY WORDS", "PART", "POINTS", "WORDS")
	for _, hit := range found.Hits {
		name, score, byWords := cell(strings.TrimPrefix(hit.CallAs, "mcp__")), fmt.Sprintf("%.2f", hit.Score), "-"
		if hit.ByWords > 0 {
			byWords = strconv.Itoa(hit.ByWords)
		}
		for _, why := range hit.Why {
			if why.Points < minPoints && name == "" {
				continue
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.2f\t%s\n", name, score, byWords, cell(why.Field), why.Points, explain(why))
			name, score, byWords = "", "", "" // shown only in the first row of each tool
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	c.p.printf("confidence: %s\n", found.Confidence)
	return nil
}

// explain returns the words that matched, or the reason for points that do not
// come from words.
func explain(why operations.FindMatch) string {
	words := cell(strings.Join(why.Terms, ", "))
	switch why.Field {
	case "meaning":
		return "(similar meaning)"
	case "mention":
		return "(the query names the tool)"
	case "learned":
		return "(called after a similar query: " + words + ")"
	}
	return words
}
