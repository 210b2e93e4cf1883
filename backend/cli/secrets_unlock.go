package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c secretCommands) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show where secrets are stored, and whether that works", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			status, err := vaultStatus(cmd.Context(), client)
			if err != nil {
				return err
			}
			if err := c.printStatus(status); err != nil || status.Keeper != "none" {
				return err
			}
			return exitCode(exitFailed)
		},
	}
}

func vaultStatus(ctx context.Context, client *instance.Client) (operations.VaultStatus, error) {
	var view operations.SecretsView
	err := client.Do(ctx, http.MethodGet, "/api/secrets", nil, &view)
	return view.Status, err
}

func (c secretCommands) printStatus(s operations.VaultStatus) error {
	text := fmt.Sprintf("Secrets are stored in: %s (%s)\n", s.Keeper, s.Why)
	if s.Keeper == "none" {
		text = fmt.Sprintf("Secrets cannot be stored: %s\n", s.Why)
	}
	if s.Advice != "" {
		text += "What to do: " + s.Advice + "\n"
	}
	if s.File != "none" {
		text += "The encrypted file of secrets is " + s.File + ".\n"
	}
	return c.p.respond(s, "%s", text)
}

func (c secretCommands) unlock() *cobra.Command {
	return &cobra.Command{
		Use: "unlock", Short: "Unlock the encrypted file of secrets until the hub stops", Args: cobra.NoArgs,
		Long: `Unlock the encrypted file of secrets until the hub stops. If there is no file yet,
choose a passphrase and create one. A lost passphrase cannot be recovered.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			status, err := vaultStatus(cmd.Context(), client)
			if err != nil {
				return err
			}
			isNew := status.File == "none"
			passphrase, err := c.passphrase(cmd.Context(), isNew)
			if err != nil {
				return err
			}
			var unlocked operations.VaultStatus
			unlock := func(client *instance.Client) error {
				body := map[string]string{"passphrase": passphrase}
				return client.Do(cmd.Context(), http.MethodPost, "/api/secrets/unlock", body, &unlocked)
			}
			if isNew {
				err = c.create(cmd.Context(), client, unlock)
			} else {
				err = unlock(client)
			}
			if err != nil {
				return err
			}
			return c.printStatus(unlocked)
		},
	}
}

// create calls unlock with a client that acts for a person, after the person has agreed to a new file of secrets. The
// passphrase of that file opens all secrets in it, so that an agent must not choose it.
func (c secretCommands) create(ctx context.Context, client *instance.Client, unlock func(*instance.Client) error) error {
	if c.p.interactive { // a person has typed the passphrase twice
		return decided(ctx, client, unlock)
	}
	yes, err := c.p.askPerson(ctx, "Secrets of all servers would be stored in a file that is encrypted with this passphrase.\n", "Create it?")
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied,
			"nothing was changed: only a person may choose the passphrase of the file of secrets. Do it in the dashboard, run this command in "+
				"a terminal, or start the hub with AGENT_DISCOVER_PASSPHRASE")
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "no file was created; nothing was changed")
	}
	return decided(ctx, client, unlock)
}

// passphrase reads the passphrase. A new one has to be typed twice on a
// terminal, because a mistyped passphrase could not be recovered.
func (c secretCommands) passphrase(ctx context.Context, isNew bool) (string, error) {
	if !isNew || !c.p.interactive {
		return c.p.readSecret(ctx, "Passphrase: ")
	}
	return c.newPassphrase(ctx, "Choose a passphrase for the file of secrets: ")
}

// newPassphrase reads a passphrase, on a terminal twice.
func (c secretCommands) newPassphrase(ctx context.Context, prompt string) (string, error) {
	chosen, err := c.p.readSecret(ctx, prompt)
	if err != nil || !c.p.interactive {
		return chosen, err
	}
	again, err := c.p.readSecret(ctx, "Repeat the passphrase: ")
	if err == nil && again != chosen {
		err = fault.New(fault.Invalid, "the passphrases differ; nothing was changed")
	}
	return chosen, err
}
