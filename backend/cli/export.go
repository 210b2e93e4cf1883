package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/market/backup"
)

func (c setupCommands) export() *cobra.Command {
	var secrets, force bool
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write everything that you have configured into one file",
		Long: `Write everything that you have configured into one JSON file: servers, rules and other
settings, toolsets, personas, approvals of calls, and what was learned. Import it on
another machine with: agent-discover import FILE

Credentials are replaced by references, and secrets are left out. With --secrets, the file
contains them, encrypted with a passphrase that you choose; this needs your answer on the
terminal. Sign-ins, tokens of clients and logs are never exported.

FILE may be "-" for standard output.`,
		Example: "  agent-discover export agent-discover.json\n  agent-discover export --secrets everything.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := overwritable(args[0], force); err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var data json.RawMessage
			write := func(client *instance.Client, passphrase string) error {
				return client.Do(cmd.Context(), http.MethodPost, "/api/export", map[string]string{"passphrase": passphrase}, &data)
			}
			if secrets {
				err = c.withSecrets(cmd.Context(), client, write)
			} else {
				err = write(client, "")
			}
			if err != nil {
				return err
			}
			return c.save(args[0], data)
		},
	}
	cmd.Flags().BoolVar(&secrets, "secrets", false, "add the secrets, encrypted with a passphrase")
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it exists")
	return cmd
}

// overwritable returns a fault.Conflict if a file exists, unless it may be replaced.
func overwritable(file string, force bool) error {
	if file == "-" || force {
		return nil
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Conflict, "%s exists; choose another name, or replace it with --force", file)
	}
	return nil
}

// withSecrets asks for a passphrase and for the agreement of the person at the terminal, and exports for that person.
func (c setupCommands) withSecrets(ctx context.Context, client *instance.Client,
	write func(client *instance.Client, passphrase string) error,
) error {
	passphrase, err := secretCommands(c).newPassphrase(ctx, "Choose a passphrase for the secrets in the file: ")
	if err != nil {
		return err
	}
	yes, err := c.p.askPerson(ctx, "", "Write all secrets into the file, encrypted with this passphrase?")
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied, "nobody can be asked here whether to export secrets; run the command in a terminal, or without --secrets")
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "nothing was exported")
	}
	return decided(ctx, client, func(person *instance.Client) error { return write(person, passphrase) })
}

// save writes an export, which only this user can read.
func (c setupCommands) save(file string, data json.RawMessage) error {
	var text bytes.Buffer
	if err := json.Indent(&text, data, "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	if file == "-" {
		_, err := c.p.out.Write(text.Bytes())
		return err
	}
	if err := paths.WriteDurable(file, text.Bytes()); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write %s: %s", file, paths.Reason(err))
	}
	var e backup.Export
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(map[string]any{
			"file": file, "servers": len(e.Servers), "toolsets": len(e.Toolsets), "personas": len(e.Personas), "secrets": e.Sealed != "",
			"left_out": e.LeftOut,
		})
	}
	c.p.printf("Wrote %s: %s, %s, %s, %s%s\n", file, counted(len(e.Servers), "server", "servers"),
		counted(len(e.Toolsets), "toolset", "toolsets"), counted(len(e.Personas), "persona", "personas"),
		counted(len(e.Learned), "learned query", "learned queries"), map[bool]string{true: ", settings"}[e.Settings != ""])
	for _, left := range e.LeftOut {
		c.p.printf("%s\n", cell(left))
	}
	if e.Sealed == "" {
		c.p.printf("Secrets are not in the file. To add them, encrypted: agent-discover export --secrets FILE\n")
	}
	c.p.printf("On the other machine: agent-discover import %s\n", quoted(file))
	return nil
}
