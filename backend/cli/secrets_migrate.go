package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c secretCommands) migrate() *cobra.Command {
	var apply bool
	cmd := &cobra.Command{
		Use: "migrate [SERVER…]", Short: "Move credentials out of the configuration of servers",
		Long: `Find credentials in the configuration of all servers, or of those that are named.
Without --apply, only list them. With --apply, store each as a secret and replace it
by a reference to the secret.`,
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			body := map[string]any{"dry_run": !apply, "servers": args}
			moves := []operations.SecretMove{}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/secrets/migrate", body, &moves); err != nil {
				return err
			}
			return c.printMoves(moves, apply)
		},
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "move the credentials")
	return cmd
}

func (c secretCommands) printMoves(moves []operations.SecretMove, applied bool) error {
	var failed error
	if applied && slices.ContainsFunc(moves, func(m operations.SecretMove) bool { return m.Error != "" }) {
		failed = exitCode(exitFailed)
	}
	if c.p.json {
		if err := c.p.printJSON(moves); err != nil {
			return err
		}
		return failed
	}
	if len(moves) == 0 {
		c.p.printf("The configuration of the servers contains no credentials.\n")
		return nil
	}
	table := c.p.table("SERVER", "WHERE", "SECRET", "ACTION")
	for _, m := range moves {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.Server, cell(m.Where), cell(m.Name), m.Action)
	}
	_ = table.Flush()
	for _, m := range moves {
		if m.Error != "" {
			c.p.printf("%s %s: %s\n", m.Server, m.Where, m.Error)
		}
	}
	if slices.ContainsFunc(moves, func(m operations.SecretMove) bool { return strings.HasPrefix(m.Where, "args[") }) {
		c.p.printf("Other users of this machine may see the arguments of a running server in the process list. If the server accepts an " +
			"environment variable instead, use that.\n")
	}
	if !applied {
		c.p.printf("Nothing was changed. To move them: agent-discover secrets migrate --apply\n")
	}
	return failed
}
