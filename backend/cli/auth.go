package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/browser"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

type authCommands struct{ p *program }

func (c authCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "auth", Short: "Sign in to remote servers, and out of them", Args: cobra.NoArgs, RunE: c.status,
		Long: `Sign in to remote servers with OAuth, and out of them. Without a subcommand, show who
is signed in where.

The tokens are stored like secrets. They are sent only to the server that they are for,
and renewed before they end. A server that was added twice under two names has a sign-in
for each.

A service that does not let programs register themselves needs a client of your own.
Register one there, and set its ID and secret as secrets of the server:
oauth:client_id and oauth:client_secret. With oauth:grant set to client_credentials, the
program gets tokens for itself, and nobody signs in.`,
		Example: "  agent-discover auth login notion\n" +
			"  agent-discover auth login notion --no-browser\n" +
			"  agent-discover auth complete 'http://127.0.0.1:13424/callback?code=...'",
	}
	cmd.AddCommand(
		c.login(),
		&cobra.Command{
			Use: "complete URL", Short: "Finish a sign-in with the address in the browser", Args: cobra.ExactArgs(1), RunE: c.complete,
			Long: `Finish a sign-in whose browser runs on another machine. At the end, that browser fails
to open an address that begins with http://127.0.0.1. Copy it from the address bar. Use
"-" as URL to read it from standard input.`,
		},
		withLong(c.p.serverCommand("logout SERVER", "Sign out of a server", 1, c.logout),
			"Forget the tokens of SERVER and revoke them there, if the service offers that."),
		&cobra.Command{Use: "status", Short: "Show who is signed in where", Args: cobra.NoArgs, RunE: c.status},
	)
	return cmd
}

func (c authCommands) login() *cobra.Command {
	var only bool
	cmd := withLong(c.p.serverCommand("login SERVER", "Sign in to a server", 1,
		func(ctx context.Context, client *instance.Client, s operations.Server, _ []string) error {
			return c.signIn(ctx, client, s, only)
		}), `Sign in to SERVER in a browser, and wait until that is done. With --no-browser, or if no
browser can be started, the address to open is printed. If you open it on another
machine, finish with "agent-discover auth complete".`)
	cmd.Flags().BoolVar(&only, "no-browser", false, "print the address instead of opening it")
	return cmd
}

// signIn begins a sign-in, opens its page in a browser and waits until the sign-in ends. If only is set, or no browser
// can be opened, it prints the address of the page instead.
func (c authCommands) signIn(ctx context.Context, client *instance.Client, s operations.Server, only bool) error {
	b, found := browser.Find()
	open := found && !only
	var page operations.SignInPage
	if err := client.Do(ctx, http.MethodPost, serverPath(s, "auth")+"/login",
		map[string]any{"file": open, "snap": b.Snap}, &page); err != nil {
		return err
	}
	switch {
	case page.Address == "":
	case open && b.Open(page.File):
		c.p.notef("Sign in to %s in your browser. If it does not open: agent-discover auth login %s --no-browser\n", s.Name, s.Name)
	default:
		c.p.notef("Open this address in a browser to sign in to %s:\n%s\n", s.Name, page.Address)
		if page.Redirect != "" {
			c.p.notef("If the browser runs on another machine, it cannot open the last page, which begins with %s. "+
				"Then copy its address and run: agent-discover auth complete URL\n", page.Redirect)
		}
	}
	for {
		var now operations.SignIn
		if err := client.Do(ctx, http.MethodGet, serverPath(s, "auth")+"?wait=true", nil, &now); err != nil {
			return err
		}
		switch {
		case now.State == "waiting":
			continue
		case now.State == "signed_in" && now.Failure == "":
			return c.p.respond(now, "Signed in to %s.\n", s.Name)
		case now.Failure != "":
			return fault.New(fault.Failed, "%s", now.Failure)
		}
		return fault.New(fault.Failed, "nobody is signed in to server %q", s.Name)
	}
}

func (c authCommands) complete(cmd *cobra.Command, args []string) error {
	address := args[0]
	if address == "-" {
		var err error
		if address, err = c.p.readSecret(cmd.Context(), "Address: "); err != nil {
			return err
		}
	}
	client, err := c.p.client(cmd.Context())
	if err != nil {
		return err
	}
	var done map[string]string
	if err := client.Do(cmd.Context(), http.MethodPost, "/api/auth/complete", map[string]string{"url": address}, &done); err != nil {
		return err
	}
	return c.p.respond(done, "Signed in to %s.\n", done["server"])
}

func (c authCommands) logout(ctx context.Context, client *instance.Client, s operations.Server, _ []string) error {
	var done struct {
		Status  string `json:"status"`
		Server  string `json:"server"`
		Warning string `json:"warning,omitempty"`
	}
	if err := client.Do(ctx, http.MethodPost, serverPath(s, "auth")+"/logout", nil, &done); err != nil {
		return err
	}
	if done.Warning != "" {
		c.p.notef("Warning: %s\n", done.Warning)
	}
	return c.p.respond(done, "Signed out of %s.\n", s.Name)
}

func (c authCommands) status(cmd *cobra.Command, _ []string) error {
	client, err := c.p.client(cmd.Context())
	if err != nil {
		return err
	}
	list := []operations.SignIn{}
	if err := client.Do(cmd.Context(), http.MethodGet, "/api/auth", nil, &list); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(list)
	}
	if len(list) == 0 {
		c.p.printf("There are no remote servers.\n")
		return nil
	}
	table := c.p.table("SERVER", "STATE", "SERVICE", "PERMISSIONS")
	for _, s := range list {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Server, signInState(s), cell(s.Issuer),
			safetext.Clip(cell(strings.Join(s.Scopes, " ")), 60))
	}
	return table.Flush()
}

// signInState describes the state of a sign-in for a person.
func signInState(s operations.SignIn) string {
	switch s.State {
	case "signed_in":
		return "signed in"
	case "required":
		if s.Again {
			return "sign in again"
		}
		return "sign-in required"
	case "waiting":
		return "waiting for you"
	}
	return "not signed in"
}
