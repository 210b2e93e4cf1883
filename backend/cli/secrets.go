package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

type secretCommands struct{ p *program }

func (c secretCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "secrets", Short: "Store the credentials of servers outside their configuration", Args: cobra.NoArgs, RunE: c.list,
		Long: `Store the credentials of servers outside their configuration. Without a subcommand,
list their names.

A secret belongs to one server, which gets it as an environment variable of the same
name (a remote server: as a header). In a server's variables, arguments, headers and
URL, ${secret:NAME} is replaced by its value, and ${secret:OWNER/NAME} by that of a
secret of the server OWNER, after "secrets link".

Values are stored in the system's keychain. If there is none, or with
AGENT_DISCOVER_KEYCHAIN=off, they are stored in a file that is encrypted with a
passphrase. Values are read from a prompt or from standard input (without its last
line break), never from an argument, and never shown.`,
		Example: "  agent-discover secrets set github GITHUB_TOKEN\n" +
			"  agent-discover secrets set github GITHUB_TOKEN < token.txt\n" +
			"  agent-discover secrets link reports github GITHUB_TOKEN\n" +
			"  agent-discover secrets migrate --apply",
	}
	set := withLong(c.p.serverCommand("set SERVER NAME", "Set a secret, read from a prompt or standard input", 2, c.set),
		`Set the secret NAME of SERVER. On a terminal, the value is asked for and not shown;
otherwise it is read from standard input.`)
	set.ValidArgsFunction = c.p.completeWith(inOrder(serverNames, wantedSecrets))
	link := withLong(c.p.serverCommand("link SERVER OWNER NAME", "Let a server use a secret of another server", 3, c.link),
		`Let SERVER use the secret NAME of the server OWNER, as ${secret:OWNER/NAME} in its
configuration. The link is valid until the configuration of SERVER changes. Only a
person may do that, so the question is asked in the terminal.`)
	unlink := c.p.serverCommand("unlink SERVER OWNER NAME", "Stop letting a server use a secret of another server", 3, c.unlink)
	for _, linking := range []*cobra.Command{link, unlink} {
		linking.ValidArgsFunction = c.p.completeWith(inOrder(serverNames, serverNames, secretNames))
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list [SERVER]", Short: "List the names of secrets, of all servers or of one",
			Args: cobra.MaximumNArgs(1), ValidArgsFunction: c.p.completeWith(inOrder(serverNames)), RunE: c.list,
		},
		set, c.delete(), link, unlink,
		c.unlock(), c.status(), c.migrate(),
	)
	return cmd
}

func secretPath(s operations.Server, name string) string {
	return serverPath(s, "secrets") + "/" + url.PathEscape(name)
}

// linkPath returns the REST path of the link to a secret; args are the owner
// and the name of the secret.
func linkPath(s operations.Server, args []string) string {
	return serverPath(s, "links") + "/" + url.PathEscape(args[0]) + "/" + url.PathEscape(args[1])
}

func (c secretCommands) set(ctx context.Context, client *instance.Client, s operations.Server, args []string) error {
	value, err := c.p.readSecret(ctx, fmt.Sprintf("Value of %s for %s: ", args[0], s.Name))
	if err != nil {
		return err
	}
	if err := client.Do(ctx, http.MethodPut, secretPath(s, args[0]), map[string]string{"value": value}, nil); err != nil {
		return err
	}
	return c.p.respond(map[string]string{"status": "set", "server": s.Name, "key": args[0]}, "Set secret %s of %s.\n", args[0], s.Name)
}

func (c secretCommands) delete() *cobra.Command {
	var yes bool
	cmd := withLong(c.p.serverCommand("delete SERVER NAME", "Delete a secret and the links to it", 2,
		func(ctx context.Context, client *instance.Client, s operations.Server, args []string) error {
			question := "Delete secret " + args[0] + " of " + s.Name + "? This cannot be undone."
			if err := c.p.confirmDeletion(yes, question, "nothing was deleted"); err != nil {
				return err
			}
			if err := client.Do(ctx, http.MethodDelete, secretPath(s, args[0]), nil, nil); err != nil {
				return err
			}
			return c.p.respond(map[string]string{"status": "deleted", "server": s.Name, "key": args[0]},
				"Deleted secret %s of %s.\n", args[0], s.Name)
		}), "Delete a secret and the links to it. This cannot be undone, so it asks first.")
	cmd.ValidArgsFunction = c.p.completeWith(inOrder(serverNames, secretNames))
	return deletes(cmd, &yes)
}

func (c secretCommands) link(ctx context.Context, client *instance.Client, s operations.Server, args []string) error {
	text := fmt.Sprintf("Server %s would get the value of the secret %s of server %s.\n", s.Name, shownWord(args[1]), shownWord(args[0]))
	yes, err := c.p.askPerson(ctx, text, "Allow that?")
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied,
			"%s was not linked: only a person may let a server use a secret of another one. Do it in the dashboard, or run this command "+
				"in a terminal", s.Name)
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "%s was not linked; nothing was changed", s.Name)
	}
	err = decided(ctx, client, func(person *instance.Client) error {
		return person.Do(ctx, http.MethodPut, linkPath(s, args), nil, nil)
	})
	if err != nil {
		return err
	}
	return c.p.respond(map[string]string{"status": "linked", "server": s.Name, "owner": args[0], "key": args[1]},
		"%s may use secret %s of %s, as ${secret:%s/%s}, until its configuration changes.\n", s.Name, args[1], args[0], args[0], args[1])
}

func (c secretCommands) unlink(ctx context.Context, client *instance.Client, s operations.Server, args []string) error {
	if err := client.Do(ctx, http.MethodDelete, linkPath(s, args), nil, nil); err != nil {
		return err
	}
	return c.p.respond(map[string]string{"status": "unlinked", "server": s.Name, "owner": args[0], "key": args[1]},
		"%s may no longer use secret %s of %s.\n", s.Name, args[1], args[0])
}
