package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c secretCommands) list(cmd *cobra.Command, args []string) error {
	client, err := c.p.client(cmd.Context())
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return c.listAll(cmd.Context(), client)
	}
	server, err := serverNamed(cmd.Context(), client, args[0])
	if err != nil {
		return err
	}
	list := []operations.Secret{}
	if err := client.Do(cmd.Context(), http.MethodGet, serverPath(server, "secrets"), nil, &list); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(list)
	}
	if len(list) == 0 {
		c.p.printf("%s has no secrets. Set one with: agent-discover secrets set %s NAME\n", server.Name, server.Name)
		return nil
	}
	table := c.p.table("NAME", "VALUE", "CHANGED")
	for _, s := range list {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", cell(s.Key), cell(s.MaskedValue), s.UpdatedAt)
	}
	return table.Flush()
}

// listAll prints the secrets of all servers without any part of their values.
func (c secretCommands) listAll(ctx context.Context, client *instance.Client) error {
	var view operations.SecretsView
	if err := client.Do(ctx, http.MethodGet, "/api/secrets", nil, &view); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(view.Servers)
	}
	if len(view.Servers) == 0 {
		c.p.printf("No server has secrets. Set one with: agent-discover secrets set SERVER NAME\n")
		return nil
	}
	table := c.p.table("SERVER", "NAME", "STORED IN", "CHANGED")
	for _, server := range view.Servers {
		for _, s := range server.Secrets {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", server.Server, cell(s.Key), s.Kept, s.UpdatedAt)
		}
		for _, l := range server.Links {
			state := "linked"
			if !l.Holds {
				state = "link no longer valid"
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t\n", server.Server, cell(l.Server+"/"+l.Key), state)
		}
	}
	return table.Flush()
}
