package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func (c callCommand) execute() *cobra.Command {
	var raw string
	cmd := &cobra.Command{
		Use:   "execute TOOL [VALUE…]",
		Short: "Call a tool with values in the order of its parameters",
		Long: `Call a tool as "agent-discover call" does, with values in the order of its parameters:
first the required ones, then the others, each in the order of the tool's schema. A value of
the form KEY=VALUE is for the parameter KEY if the tool has one of that name.

The exit code is 0 if the tool succeeded, 1 for wrong arguments, 2 if there is no such tool,
3 if the tool failed, and 4 if the configuration or the user forbids the call.`,
		Example: "  agent-discover execute echo hello\n  agent-discover execute github__create_issue me/repo title='It fails'",
		Args:    cobra.MinimumNArgs(1), ValidArgsFunction: c.p.completeWith(inOrder(toolNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0], args[1:], raw, positional)
		},
	}
	cmd.Flags().StringVar(&raw, "args", "", "all arguments as one JSON `object`; - reads it from standard input")
	return cmd
}

// positional returns values as KEY=VALUE pairs, in the order of a tool's parameters, required ones
// first.
func positional(tool operations.KnownTool, values []string) ([]string, error) {
	var required []string
	_ = json.Unmarshal(jsonrpc.Get(tool.InputSchema, "required"), &required) // without a usable schema, no parameter is required
	properties := jsonrpc.Get(tool.InputSchema, "properties")
	parameters := slices.Clone(required)
	if len(properties) > 0 && properties[0] == '{' {
		jsonrpc.Each(properties, func(name string, _ json.RawMessage) {
			if !slices.Contains(required, name) {
				parameters = append(parameters, name)
			}
		})
	}
	named := func(value string) string {
		key, _, ok := strings.Cut(value, "=")
		if ok && slices.Contains(parameters, key) {
			return key
		}
		return ""
	}
	free := slices.DeleteFunc(slices.Clone(parameters), func(name string) bool {
		return slices.ContainsFunc(values, func(value string) bool { return named(value) == name })
	})
	pairs := make([]string, len(values))
	for i, value := range values {
		if pairs[i] = value; named(value) != "" {
			continue
		}
		if len(free) == 0 {
			return nil, usagef("%s has no parameter for %q; its parameters: %s", tool.Name, value, strings.Join(parameters, ", "))
		}
		pairs[i], free = free[0]+"="+value, free[1:]
	}
	return pairs, nil
}
