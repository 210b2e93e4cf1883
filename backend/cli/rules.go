package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// ruleCommands are the commands about the rules for tools, which are in the settings file.
type ruleCommands struct{ p *program }

// rulesKey is the setting that contains the rules.
const rulesKey = "discovery.tool_rules"

// toolRule is a rule for tools as the hub writes and reads it.
type toolRule struct {
	Pattern []string `json:"pattern,omitempty"`
	Server  string   `json:"server,omitempty"`
	Enabled *bool    `json:"enabled,omitempty"`
	Tags    []string `json:"tags,omitempty"`
}

func (c ruleCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "Enable, disable and tag tools by rules", Args: cobra.NoArgs, RunE: c.list,
		Long: `Enable, disable and tag tools by rules. Without a subcommand, list them.

The first rule that matches a tool and enables or disables it decides. Once any rule
enables tools, those that no rule is about are disabled. Rules are in config.yaml, whose
comments are kept.`,
		Example: `  agent-discover rules add '*delete*' --disable --dry-run
  agent-discover rules add 'get_*' 'list_*' --server github --enable
  agent-discover rules remove 0`,
	}
	cmd.AddCommand(&cobra.Command{
		Use: "list", Short: "List the rules in the order in which they apply", Args: cobra.NoArgs, RunE: c.list,
	}, c.add(), c.remove())
	return cmd
}

// rules returns the rules that apply.
func (c ruleCommands) rules(ctx context.Context, client *instance.Client) ([]toolRule, error) {
	var config operations.Configuration
	if err := client.Do(ctx, http.MethodGet, "/api/config", nil, &config); err != nil {
		return nil, err
	}
	rules := []toolRule{}
	for _, s := range config.Settings {
		if s.Key == rulesKey {
			if err := json.Unmarshal(s.Value, &rules); err != nil {
				return nil, fmt.Errorf("decode the rules: %w", err)
			}
		}
	}
	return rules, nil
}

func (c ruleCommands) list(cmd *cobra.Command, _ []string) error {
	client, err := c.p.client(cmd.Context())
	if err != nil {
		return err
	}
	rules, err := c.rules(cmd.Context(), client)
	if err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(rules)
	}
	if len(rules) == 0 {
		c.p.printf("There are no rules, so agents may use all tools. Add one with: agent-discover rules add PATTERN --disable\n")
		return nil
	}
	table := c.p.table("RULE", "SERVER", "EFFECT", "TAGS", "TOOLS")
	for i, r := range rules {
		_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", i, cmp.Or(cell(r.Server), "all"), r.effect(),
			cmp.Or(cell(strings.Join(r.Tags, ", ")), "-"), cmp.Or(cell(strings.Join(r.Pattern, " ")), "all"))
	}
	return table.Flush()
}

// effect describes what a rule does with the tools that it matches.
func (r toolRule) effect() string {
	switch {
	case r.Enabled == nil:
		return "tag"
	case *r.Enabled:
		return "enable"
	}
	return "disable"
}

func (c ruleCommands) add() *cobra.Command {
	var rule toolRule
	var enable, disable, dryRun bool
	cmd := &cobra.Command{
		Use: "add [PATTERN...]", Short: "Show what a rule would do, and add it after the others",
		Long: `Show which tools a rule would enable, disable or tag, and add it after the others. Only a
person may do that, so the question is asked on the controlling terminal.

PATTERN is a glob of tool names such as '*delete*', a regular expression such as
'/\bdrop\b/i', or one of them after ! for the tools that the rule is not about. Without a
pattern, the rule is about all tools of the server.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case enable == disable && (enable || len(rule.Tags) == 0):
				return usagef("say what the rule does: --enable, --disable or --tag")
			case len(args) == 0 && rule.Server == "":
				return usagef("say which tools the rule is about: a pattern of their names, or --server")
			case enable || disable:
				rule.Enabled = &enable
			}
			rule.Pattern = args
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			return c.addRule(cmd.Context(), client, rule, dryRun)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&rule.Server, "server", "", "only tools of the server `NAME`")
	flags.BoolVar(&enable, "enable", false, "agents may use these tools")
	flags.BoolVar(&disable, "disable", false, "agents may not use these tools")
	flags.StringSliceVar(&rule.Tags, "tag", nil, "give these tools the `TAG`; may be repeated")
	flags.BoolVar(&dryRun, "dry-run", false, "show what the rule would do, and change nothing")
	_ = cmd.RegisterFlagCompletionFunc("server", c.p.completeWith(serverNames)) // fails only for an unknown flag
	return cmd
}

// try returns what a rule would do at a place in the list of rules; at the end if at is nil.
func (c ruleCommands) try(ctx context.Context, client *instance.Client, rule toolRule, at *int) (tried operations.TriedRule, err error) {
	body := map[string]any{"rule": rule}
	if at != nil {
		body["at"] = *at
	}
	return tried, client.Do(ctx, http.MethodPost, "/api/rules/try", body, &tried)
}

func (c ruleCommands) addRule(ctx context.Context, client *instance.Client, rule toolRule, dryRun bool) error {
	tried, err := c.try(ctx, client, rule, nil)
	if err != nil {
		return err
	}
	if tried.Hits == 0 && rule.Server == "" && len(rule.Pattern) == 1 {
		if tool, err := resolved(ctx, client, rule.Pattern[0]); err == nil && tool.Known {
			c.p.notef("Note: a pattern is about the name of the tool alone. For %s of server %s: agent-discover rules add %[1]s --server %[2]s\n",
				quoted(tool.Tool), quoted(tool.Server))
		}
	}
	if dryRun {
		return c.p.respond(tried, "%s", describeTrial(tried))
	}
	err = c.p.decide(ctx, client, describeTrial(tried), "Add this rule?", "the rule was not added",
		func(person *instance.Client) error {
			return person.Do(ctx, http.MethodPost, "/api/config/rules", map[string]any{"rule": rule}, nil)
		})
	if err != nil {
		return err
	}
	return c.p.respond(tried, "Added the rule; see: agent-discover rules\n")
}

// describeTrial describes what a rule would do, with the tools that it matches or that it enables or disables.
func describeTrial(t operations.TriedRule) string {
	var out strings.Builder
	fmt.Fprintf(&out, "The rule matches %d of %s; it would enable %d and disable %d.\n", t.Hits, counted(t.Tools, "tool", "tools"),
		t.Enabled, t.Disabled)
	for _, e := range t.Effects {
		change := "stays " + enabledWord(e.After)
		if e.Before != e.After {
			change = "becomes " + enabledWord(e.After)
		}
		if e.ExcludedBy != "" {
			change += ", left out by " + e.ExcludedBy
		}
		if len(e.Tags) > 0 {
			change += ", tags: " + strings.Join(e.Tags, ", ")
		}
		fmt.Fprintf(&out, "  %s.%s  %s\n", e.Server, cell(e.Tool), cell(change))
	}
	return out.String()
}

func enabledWord(enabled bool) string {
	if enabled {
		return "enabled"
	}
	return "disabled"
}

func (c ruleCommands) remove() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "remove RULE", Short: "Show a rule and the tools that it matches, and remove it", Args: cobra.ExactArgs(1),
		Long: `Show a rule and the tools that it matches, and remove it. Only a person may do that, so the
question is asked on the controlling terminal. RULE is the number from: agent-discover rules`,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := strconv.Atoi(args[0])
			if err != nil || at < 0 {
				return usagef("%q is not the number of a rule; see: agent-discover rules", args[0])
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			return c.removeRule(cmd.Context(), client, at, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the rule and the tools that it matches, and change nothing")
	return cmd
}

func (c ruleCommands) removeRule(ctx context.Context, client *instance.Client, at int, dryRun bool) error {
	rules, err := c.rules(ctx, client)
	if err != nil {
		return err
	}
	if at >= len(rules) {
		return fault.New(fault.NotFound, "there is no rule %d; see: agent-discover rules", at)
	}
	rule := rules[at]
	tried, err := c.try(ctx, client, rule, &at) // a second time at the same place, it changes nothing
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Rule %d (%s) matches %s:\n", at, rule.effect(), counted(tried.Hits, "tool", "tools"))
	for _, e := range tried.Effects {
		if e.Hit {
			fmt.Fprintf(&text, "  %s.%s  now %s\n", e.Server, cell(e.Tool), enabledWord(e.Before))
		}
	}
	if dryRun {
		return c.p.respond(tried, "%s", text.String())
	}
	err = c.p.decide(ctx, client, text.String(), "Remove this rule?", "the rule was not removed",
		func(person *instance.Client) error {
			return person.Do(ctx, http.MethodPost, "/api/config/rules/remove", map[string]any{"rule": rule, "at": at}, nil)
		})
	if err != nil {
		return err
	}
	return c.p.respond(rule, "Removed rule %d\n", at)
}
