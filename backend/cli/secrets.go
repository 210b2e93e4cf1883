package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (p *program) secrets() *cobra.Command {
	cmd := &cobra.Command{
		Use: "secrets", Short: "Keep what servers need to log in, out of their configuration", Args: cobra.NoArgs, RunE: p.listSecrets,
		Long: `A secret belongs to a server, which gets it as an environment variable (a remote
server: as a header) of that name. ${secret:NAME} in a server's variables,
arguments, headers and URL stands for it too; ${secret:OWNER/NAME} for one of
another server, when it is linked.

Values are kept in the system's keychain; where there is none, or with
AGENT_DISCOVER_KEYCHAIN=off, in a file under a passphrase. They are read from a
prompt or from standard input (without its last line break), never from an
argument, and never shown.`,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list [SERVER]", Short: "List the names of secrets; of one server with the first characters",
			Args: cobra.MaximumNArgs(1), ValidArgsFunction: p.completeServers, RunE: p.listSecrets,
		},
		p.secretAction("set SERVER NAME", "Set a secret to what is typed, or comes on standard input", 2, p.setSecret),
		p.secretAction("delete SERVER NAME", "Delete a secret, and the links to it", 2, p.deleteSecret),
		p.secretAction("link SERVER OWNER NAME", "Let a server, as it is now, use a secret of another", 3, p.linkSecret),
		p.secretAction("unlink SERVER OWNER NAME", "Let it use that no longer", 3, p.unlinkSecret),
		p.unlockSecrets(), p.secretStatus(), p.migrateSecrets(),
	)
	return cmd
}

// secretAction is a command about a server, whose name comes first.
func (p *program) secretAction(use, short string, args int, do func(context.Context, *instance.Client, resources.Server, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(args), ValidArgsFunction: p.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			server, err := serverNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			return do(cmd.Context(), client, server, args[1:])
		},
	}
}

func secretPath(s resources.Server, name string) string {
	return serverPath(s, "secrets") + "/" + url.PathEscape(name)
}

func linkPath(s resources.Server, args []string) string {
	return serverPath(s, "links") + "/" + url.PathEscape(args[0]) + "/" + url.PathEscape(args[1])
}

func (p *program) setSecret(ctx context.Context, client *instance.Client, s resources.Server, args []string) error {
	value, err := p.secretInput(ctx, fmt.Sprintf("Value of %s for %s: ", args[0], s.Name))
	if err != nil {
		return err
	}
	if err := client.Do(ctx, http.MethodPut, secretPath(s, args[0]), map[string]string{"value": value}, nil); err != nil {
		return err
	}
	return p.say(map[string]string{"status": "set", "server": s.Name, "key": args[0]}, "%s of %s is set\n", args[0], s.Name)
}

func (p *program) deleteSecret(ctx context.Context, client *instance.Client, s resources.Server, args []string) error {
	if err := client.Do(ctx, http.MethodDelete, secretPath(s, args[0]), nil, nil); err != nil {
		return err
	}
	return p.say(map[string]string{"status": "deleted", "server": s.Name, "key": args[0]}, "%s of %s is deleted\n", args[0], s.Name)
}

func (p *program) linkSecret(ctx context.Context, client *instance.Client, s resources.Server, args []string) error {
	if err := client.Do(ctx, http.MethodPut, linkPath(s, args), nil, nil); err != nil {
		return err
	}
	return p.say(map[string]string{"status": "linked", "server": s.Name, "owner": args[0], "key": args[1]},
		"%s may use %s of %s, as ${secret:%s/%s}, until it runs something else\n", s.Name, args[1], args[0], args[0], args[1])
}

func (p *program) unlinkSecret(ctx context.Context, client *instance.Client, s resources.Server, args []string) error {
	if err := client.Do(ctx, http.MethodDelete, linkPath(s, args), nil, nil); err != nil {
		return err
	}
	return p.say(map[string]string{"status": "unlinked", "server": s.Name, "owner": args[0], "key": args[1]},
		"%s may use %s of %s no longer\n", s.Name, args[1], args[0])
}

func (p *program) listSecrets(cmd *cobra.Command, args []string) error {
	client, err := p.client(cmd.Context())
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return p.listNames(cmd.Context(), client)
	}
	server, err := serverNamed(cmd.Context(), client, args[0])
	if err != nil {
		return err
	}
	list := []resources.Secret{}
	if err := client.Do(cmd.Context(), http.MethodGet, serverPath(server, "secrets"), nil, &list); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(list)
	}
	if len(list) == 0 {
		p.printf("%s has no secrets. Set one with: agent-discover secrets set %s NAME\n", server.Name, server.Name)
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tVALUE\tCHANGED")
	for _, s := range list {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", cell(s.Key), cell(s.MaskedValue), s.UpdatedAt)
	}
	return table.Flush()
}

func (p *program) listNames(ctx context.Context, client *instance.Client) error {
	var view resources.SecretsView
	if err := client.Do(ctx, http.MethodGet, "/api/secrets", nil, &view); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(view.Servers)
	}
	if len(view.Servers) == 0 {
		p.printf("No server has secrets. Set one with: agent-discover secrets set SERVER NAME\n")
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "SERVER\tNAME\tKEPT IN\tCHANGED")
	for _, server := range view.Servers {
		for _, s := range server.Secrets {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", server.Server, cell(s.Key), s.Kept, s.UpdatedAt)
		}
		for _, l := range server.Links {
			kept := "linked"
			if !l.Holds {
				kept = "link does not hold"
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t\n", server.Server, cell(l.Server+"/"+l.Key), kept)
		}
	}
	return table.Flush()
}

func (p *program) migrateSecrets() *cobra.Command {
	var apply bool
	cmd := &cobra.Command{
		Use: "migrate [SERVER…]", Short: "Move credentials out of servers' configurations; says only which, without --apply",
		ValidArgsFunction: p.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			body := map[string]any{"dry_run": !apply, "servers": args}
			moves := []resources.SecretMove{}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/secrets/migrate", body, &moves); err != nil {
				return err
			}
			return p.printMoves(moves, apply)
		},
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "do it")
	return cmd
}

func (p *program) printMoves(moves []resources.SecretMove, applied bool) error {
	var failed error
	for _, m := range moves {
		if applied && m.Error != "" {
			failed = exitCode(exitFailed)
		}
	}
	if p.json {
		if err := p.printJSON(moves); err != nil {
			return err
		}
		return failed
	}
	if len(moves) == 0 {
		p.printf("No credential stands in a server's configuration.\n")
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "SERVER\tWHERE\tSECRET\tACTION")
	for _, m := range moves {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.Server, cell(m.Where), cell(m.Name), m.Action)
	}
	_ = table.Flush()
	for _, m := range moves {
		if m.Error != "" {
			p.printf("%s %s: %s\n", m.Server, m.Where, m.Error)
		}
	}
	if slices.ContainsFunc(moves, func(m resources.SecretMove) bool { return strings.HasPrefix(m.Where, "args[") }) {
		p.printf("The arguments of a running server show in the system's list of processes; where it takes a variable instead, prefer that.\n")
	}
	if !applied {
		p.printf("Nothing was changed. To do it: agent-discover secrets migrate --apply\n")
	}
	return failed
}

func (p *program) secretStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say where secrets are kept, and what is missing", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			status, err := vaultStatus(cmd.Context(), client)
			if err != nil {
				return err
			}
			if err := p.sayStatus(status); err != nil || status.Keeper != "none" {
				return err
			}
			return exitCode(exitFailed)
		},
	}
}

func vaultStatus(ctx context.Context, client *instance.Client) (resources.VaultStatus, error) {
	var view resources.SecretsView
	err := client.Do(ctx, http.MethodGet, "/api/secrets", nil, &view)
	return view.Status, err
}

func (p *program) sayStatus(s resources.VaultStatus) error {
	text := fmt.Sprintf("Secrets go to: %s (%s)\n", s.Keeper, s.Why)
	if s.Keeper == "none" {
		text = fmt.Sprintf("Secrets cannot be kept: %s\n", s.Why)
	}
	if s.Advice != "" {
		text += "To mend that, " + s.Advice + "\n"
	}
	if s.File != "none" {
		text += "The file of secrets is " + s.File + "\n"
	}
	return p.say(s, "%s", text)
}

func (p *program) unlockSecrets() *cobra.Command {
	return &cobra.Command{
		Use: "unlock", Short: "Unlock the file of secrets until the hub ends; the first time, choose its passphrase", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			status, err := vaultStatus(cmd.Context(), client)
			if err != nil {
				return err
			}
			passphrase, err := p.passphrase(cmd.Context(), status.File == "none")
			if err != nil {
				return err
			}
			var unlocked resources.VaultStatus
			body := map[string]string{"passphrase": passphrase}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/secrets/unlock", body, &unlocked); err != nil {
				return err
			}
			return p.sayStatus(unlocked)
		},
	}
}

// passphrase asks for it; twice on a terminal when it is a new one, which
// nobody could mend.
func (p *program) passphrase(ctx context.Context, fresh bool) (string, error) {
	if !fresh || !p.asks {
		return p.secretInput(ctx, "Passphrase: ")
	}
	chosen, err := p.secretInput(ctx, "Choose a passphrase for the file of secrets: ")
	if err != nil {
		return "", err
	}
	again, err := p.secretInput(ctx, "Once more: ")
	if err == nil && again != chosen {
		err = fault.New(fault.Invalid, "the two differ; nothing was changed")
	}
	return chosen, err
}
