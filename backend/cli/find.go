package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

type searchCommands struct{ p *program }

func (c searchCommands) find() *cobra.Command {
	limit := 5
	cmd := &cobra.Command{
		Use: "find WORDS…", Short: "Find the tools for a need, as an agent would",
		Long: `Find the tools for a need that you describe in plain words. The best tool is printed
with its required arguments, the others below it. Exits with 2 if no tool fits.`,
		Example: "  agent-discover find read a text file from disk", Args: needWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := c.p.session(cmd.Context())
			if err != nil {
				return err
			}
			defer s.close()
			arguments, err := json.Marshal(map[string]any{
				"action": "find_tool", "query": strings.Join(args, " "), "limit": limit, "auto_activate": false,
			})
			if err != nil {
				return err
			}
			result, err := s.callTool(cmd.Context(), "registry", arguments)
			if errors.Is(err, jsonrpc.ErrClosed) { // the hub has ended; the next one finds the same
				if s, err = c.p.session(cmd.Context()); err != nil {
					return err
				}
				defer s.close()
				result, err = s.callTool(cmd.Context(), "registry", arguments)
			}
			if err != nil {
				return fault.Wrap(err, fault.Failed, "the search failed: %s", err)
			}
			return c.printFound(cmd.Context(), textOf(result))
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "show at most `N` tools")
	return cmd
}

// needWords checks that the arguments are not blank.
func needWords(_ *cobra.Command, args []string) error {
	if strings.TrimSpace(strings.Join(args, " ")) == "" {
		return fault.New(fault.Invalid, "describe in a few words what you need")
	}
	return nil
}

// textOf returns the text blocks of a tool's result.
func textOf(result json.RawMessage) string {
	var r struct {
		Content []struct{ Type, Text string } `json:"content"`
	}
	_ = json.Unmarshal(result, &r) // a result of another shape has no text
	var texts []string
	for _, block := range r.Content {
		if block.Type == "text" {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// foundTools is the answer of find_tool.
type foundTools struct {
	Found       bool    `json:"found"`
	Confidence  string  `json:"confidence"`
	Score       float64 `json:"score"`
	CallAs      string  `json:"call_as"`
	Description string  `json:"description"`
	TopScore    float64 `json:"top_score"`
	missed
	RequiredArgs []struct {
		Name, Type, Description string
	} `json:"required_args"`
	OtherMatches []struct {
		CallAs      string   `json:"call_as"`
		Description string   `json:"description"`
		Score       *float64 `json:"score"`
	} `json:"other_matches"`
}

func (c searchCommands) printFound(ctx context.Context, text string) error {
	var found foundTools
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return fault.New(fault.Failed, "%s", text)
	}
	switch {
	case c.p.json:
		c.p.printContent(text)
	case found.Found:
		c.printMatches(found)
	default:
		c.printNoMatch(ctx, found.TopScore, found.missed)
	}
	if !found.Found {
		return exitCode(exitNotFound)
	}
	return nil
}

func (c searchCommands) printMatches(found foundTools) {
	name := strings.TrimPrefix(found.CallAs, "mcp__")
	call := "agent-discover call " + name
	c.p.printf("%s  (%s, %.2f)\n  %s\n", name, found.Confidence, found.Score, safetext.Clip(firstLine(found.Description), 100))
	for _, a := range found.RequiredArgs {
		c.p.printf("%s\n", strings.TrimRight(fmt.Sprintf("  %s: %s  %s", a.Name, a.Type, safetext.Clip(firstLine(a.Description), 80)), " "))
		call += " " + a.Name + "=…"
	}
	c.p.printf("  to call it: %s\n", call)
	for _, m := range found.OtherMatches {
		c.p.printf("%s", strings.TrimPrefix(m.CallAs, "mcp__"))
		if m.Score != nil { // long answers omit the scores and descriptions
			c.p.printf("  (%.2f)", *m.Score)
		}
		c.p.printf("\n")
		if m.Description != "" {
			c.p.printf("  %s\n", safetext.Clip(m.Description, 100))
		}
	}
}
