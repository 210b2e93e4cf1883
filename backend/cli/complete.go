package cli

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// completer returns the words that a shell may offer for the argument that is
// being typed. args are the arguments before it.
type completer func(ctx context.Context, client *instance.Client, args []string) []string

// completeWith returns a completer as a function for cobra. Completion does not
// start the hub: if no hub is running, nothing is completed.
func (p *program) completeWith(words completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		info, err := instance.Read(p.folder)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(cmd.Context(), instance.NewClient(info), args), cobra.ShellCompDirectiveNoFileComp
	}
}

// choices lets a shell complete the values that a flag can have.
func choices(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for an unknown flag.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// inOrder completes each argument with a completer of its own.
func inOrder(each ...completer) completer {
	return func(ctx context.Context, client *instance.Client, args []string) []string {
		if len(args) >= len(each) {
			return nil
		}
		return each[len(args)](ctx, client, args)
	}
}

func serverNames(ctx context.Context, client *instance.Client, _ []string) []string {
	servers, _ := allServers(ctx, client) // if the hub does not answer, nothing is completed
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return names
}

// toolNames completes SERVER__TOOL. It starts no server, because the hub stores the tools of all
// servers.
func toolNames(ctx context.Context, client *instance.Client, _ []string) []string {
	var tools []operations.KnownTool
	_ = client.Do(ctx, http.MethodGet, "/api/tools?brief=true", nil, &tools)
	var names []string
	for _, t := range tools {
		names = append(names, t.Server+"__"+t.Name)
	}
	return names
}

// kindNames completes the kinds of log entries.
func kindNames(context.Context, *instance.Client, []string) []string {
	var names []string
	for _, kind := range journal.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// secretNames completes the names of the secrets of the server whose name is the last of args.
func secretNames(ctx context.Context, client *instance.Client, args []string) []string {
	server, err := serverNamed(ctx, client, args[len(args)-1])
	if err != nil {
		return nil
	}
	var secrets []struct{ Key string }
	_ = client.Do(ctx, http.MethodGet, serverPath(server, "secrets"), nil, &secrets)
	var names []string
	for _, s := range secrets {
		names = append(names, s.Key)
	}
	return names
}

// wantedSecrets completes the names of the secrets that a server has or may need: those to
// which its configuration refers, variables and headers without a value, and the variable
// that the server reported as missing at its last failure.
func wantedSecrets(ctx context.Context, client *instance.Client, args []string) []string {
	names := secretNames(ctx, client, args)
	server, err := serverNamed(ctx, client, args[len(args)-1])
	if err != nil {
		return names
	}
	if server.MissingVariable != "" {
		names = append(names, server.MissingVariable)
	}
	for _, values := range []map[string]string{server.Env, server.Headers} {
		for name, value := range values {
			if value == "" {
				names = append(names, name)
			}
		}
	}
	for _, name := range server.References {
		if !strings.Contains(name, "/") { // otherwise it is a secret of another server
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// suggest returns the error for an unknown subcommand.
func suggest(cmd *cobra.Command, typed string) error {
	cmd.SuggestionsMinimumDistance = min(2, len(typed)/3) // letters that may differ
	hint := "see: " + cmd.CommandPath() + " --help"
	similar := elsewhere(cmd, typed)
	if len(similar) == 0 {
		similar = cmd.SuggestionsFor(typed)
	}
	if len(similar) > 0 {
		hint = "did you mean " + strings.Join(similar, " or ") + "? " + hint
	}
	return usage{fault.New(fault.Invalid, "unknown command %q for %q; %s", typed, cmd.CommandPath(), hint)}
}
