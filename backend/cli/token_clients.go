package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
)

func (h hubCommands) tokenCreate() *cobra.Command {
	body := struct {
		Name    string `json:"name"`
		Client  string `json:"client,omitempty"`
		Surface string `json:"surface,omitempty"`
	}{}
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a token for an MCP client that connects over HTTP", Args: cobra.ExactArgs(1),
		Long: `Create a token with which an MCP client connects to the hub over HTTP, and print it once.
The client sends it in the header "Authorization: Bearer TOKEN" to http://127.0.0.1:PORT/mcp,
or to /sse if it knows only the older transport HTTP+SSE.

The token stays valid until it is revoked. It opens nothing else: no REST API, no
WebSocket. Only a hash of it is stored.

Only a person may create a token. So the question is asked on the controlling terminal,
whatever the standard streams are.`,
		Example: `  agent-discover token create laptop-cursor --client cursor
  agent-discover token create ci --surface server:github > token.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			body.Name = args[0]
			client, err := h.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var created operations.NewClientToken
			if err := h.createToken(cmd.Context(), client, tokenOpens(body.Surface), body.Name, body, &created); err != nil {
				return err
			}
			return h.p.respond(created, "%s\n", created.Token)
		},
	}
	cmd.Flags().StringVar(&body.Client, "client", "", "`ID` of the AI editor, as in: agent-discover editors list --all")
	cmd.Flags().StringVar(&body.Surface, "surface", "",
		"what the client is shown: registry, meta, native, server:NAME for one server, or toolset:NAME (default registry)")
	return cmd
}

// tokenOpens describes the access of a program that has a token for a surface.
func tokenOpens(surface string) string {
	if server := surfaces.Server(surface); server != "" {
		return "the server " + safetext.Visible(server)
	}
	if set := surfaces.Toolset(surface); set != "" {
		return "the tools of the toolset " + safetext.Visible(set) + ", and the prompts and resources of their servers"
	}
	return "all servers that you have approved"
}

func (h hubCommands) createToken(ctx context.Context, client *instance.Client, opens, name string, body, created any) error {
	yes, err := h.p.askPerson(ctx, "The token lets a program use "+opens+", until it is revoked.\n",
		"Create the token "+safetext.Visible(name)+"?")
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied, "the token was not created: only a person may do that; run this command in a terminal")
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "the token was not created")
	}
	return decided(ctx, client, func(person *instance.Client) error {
		return person.Do(ctx, http.MethodPost, "/api/tokens", body, created)
	})
}

func (h hubCommands) tokenList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the tokens of MCP clients", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := h.p.client(cmd.Context())
			if err != nil {
				return err
			}
			list, err := clientTokens(cmd.Context(), client)
			if err != nil {
				return err
			}
			if h.p.json {
				return h.p.printJSON(list)
			}
			if len(list) == 0 {
				h.p.printf("There are no tokens of MCP clients. Create one with: agent-discover token create NAME\n")
				return nil
			}
			table := h.p.table("NAME", "SURFACE", "CLIENT", "CREATED", "LAST USED")
			for _, t := range list {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", cell(t.Name), cell(t.Surface), cell(t.Client), minute(&t.CreatedAt),
					minute(t.LastUsed))
			}
			return table.Flush()
		},
	}
}

// minute formats a time in local time, to the minute, or returns "never" for nil.
func minute(at *time.Time) string {
	if at == nil {
		return "never"
	}
	return at.Local().Format("2006-01-02 15:04")
}

func clientTokens(ctx context.Context, client *instance.Client) ([]operations.ClientToken, error) {
	list := []operations.ClientToken{}
	err := client.Do(ctx, http.MethodGet, "/api/tokens", nil, &list)
	return list, err
}

func (h hubCommands) tokenRevoke() *cobra.Command {
	var yes bool
	return deletes(&cobra.Command{
		Use: "revoke NAME", Short: "Revoke the token of an MCP client, and end its sessions", Args: cobra.ExactArgs(1),
		ValidArgsFunction: h.p.completeWith(inOrder(tokenNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := "Revoke the token " + safetext.Visible(args[0]) + "? Its client can no longer connect."
			if err := h.p.confirmDeletion(yes, question, "nothing was revoked"); err != nil {
				return err
			}
			client, err := h.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Do(cmd.Context(), http.MethodDelete, "/api/tokens/"+url.PathEscape(args[0]), nil, nil); err != nil {
				return err
			}
			return h.p.respond(map[string]string{"revoked": args[0]}, "Revoked the token %s\n", safetext.Visible(args[0]))
		},
	}, &yes)
}

func tokenNames(ctx context.Context, client *instance.Client, _ []string) []string {
	list, _ := clientTokens(ctx, client) // if the hub does not answer, nothing is completed
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	return names
}
