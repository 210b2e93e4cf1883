package cli

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func (c serverCommands) sandbox() *cobra.Command {
	cmd := &cobra.Command{
		Use: "sandbox NAME [off|guard|strict]", Short: "Show or change how a server is confined", Args: cobra.RangeArgs(1, 2),
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames, func(context.Context, *instance.Client, []string) []string {
			return registry.Levels
		})),
		Long: `Show or change how the processes of a local server are confined.

  off     the server may do what you may do
  guard   the server uses only the system, its own program, a home folder of its own,
          the MCP roots and what you grant; it has the network
  strict  as guard, and it reaches no address unless you grant it; it does not start
          where this cannot be enforced

A looser level needs a person's answer in a terminal. What this system enforces is
shown, too. See also: agent-discover servers grant`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, server, err := c.confinable(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				if c.p.json {
					return c.p.printJSON(server.Sandbox)
				}
				c.p.printSandbox(server.Sandbox)
				return nil
			}
			if !slices.Contains(registry.Levels, args[1]) {
				return usagef("%s", fault.MessageOf(registry.CheckSandbox(args[1]+" ")))
			}
			looser := slices.Index(registry.Levels, args[1]) < slices.Index(registry.Levels, server.Sandbox.Level)
			return c.confine(cmd.Context(), client, server, map[string]any{"level": args[1]}, looser,
				"Server "+server.Name+" would be confined less: "+server.Sandbox.Level+" would become "+args[1]+".\n")
		},
	}
	return cmd
}

func (c serverCommands) grant() *cobra.Command {
	var read, write, network []string
	var remove bool
	cmd := &cobra.Command{
		Use: "grant NAME [flags]", Short: "Allow a confined server to use files or the network", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		Long: `Allow a confined server to read or write files and folders, or to use the network.
Without flags, show what it wanted and did not get. It takes effect when the server
starts the next time.

Only a person may do that, so the question is asked in the terminal. --network allows
everything, --network=HOST:PORT one address, and --network=PORT that port of all hosts.
Single addresses need bubblewrap on Linux.`,
		Example: "  agent-discover servers grant notes --write ~/notes\n" +
			"  agent-discover servers grant github --network=api.github.com:443\n" +
			"  agent-discover servers grant notes --remove --write ~/notes",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, server, err := c.confinable(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			asked := registry.Grants{Read: absolute(read), Write: absolute(write), Network: network}
			if len(read)+len(write)+len(network) == 0 {
				if c.p.json {
					return c.p.printJSON(server.Sandbox)
				}
				c.p.printSandbox(server.Sandbox)
				return nil
			}
			return c.grantTo(cmd.Context(), client, server, asked, remove)
		},
	}
	cmd.Flags().StringSliceVar(&read, "read", nil, "allow reading the file or folder `PATH`; may be repeated")
	cmd.Flags().StringSliceVar(&write, "write", nil, "allow reading and writing the file or folder `PATH`; may be repeated")
	cmd.Flags().StringSliceVar(&network, "network", nil, "allow the network, or only `HOST:PORT`; may be repeated")
	cmd.Flags().Lookup("network").NoOptDefVal = registry.AnyHost
	cmd.Flags().BoolVar(&remove, "remove", false, "take these grants away instead")
	return cmd
}

// absolute makes relative paths absolute, except ~ and paths that begin with ~/.
func absolute(paths []string) []string {
	out := slices.Clone(paths)
	for i, path := range paths {
		if whole, err := filepath.Abs(path); err == nil && path != "~" && !strings.HasPrefix(path, "~/") {
			out[i] = whole
		}
	}
	return out
}

func (c serverCommands) grantTo(ctx context.Context, client *instance.Client, server operations.Server, asked registry.Grants,
	remove bool,
) error {
	changed := func(now, asked []string) []string {
		if remove {
			return slices.DeleteFunc(slices.Clone(now), func(grant string) bool { return slices.Contains(asked, grant) })
		}
		now = slices.Clone(now)
		for _, grant := range asked {
			if !slices.Contains(now, grant) {
				now = append(now, grant)
			}
		}
		return now
	}
	g := server.Sandbox.Grants
	grants := operations.SandboxGrants{
		Read: changed(g.Read, asked.Read), Write: changed(g.Write, asked.Write), Network: changed(g.Network, asked.Network),
	}
	text := "Server " + server.Name + " would be allowed to\n"
	for _, kind := range []struct {
		what string
		list []string
	}{{"read", asked.Read}, {"read and write", asked.Write}, {"connect to", asked.Network}} {
		for _, grant := range kind.list {
			text += "  " + kind.what + " " + shownWord(grant) + whereItLeads(grant) + "\n"
		}
	}
	return c.confine(ctx, client, server, map[string]any{"grants": grants}, !remove, text)
}

// whereItLeads returns words that say to which file or folder a path leads through symbolic links. It returns "" for a
// path without links, and for an address.
func whereItLeads(path string) string {
	home, _ := os.UserHomeDir()
	whole := path
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		whole = filepath.Join(home, rest)
	}
	target, err := filepath.EvalSymlinks(whole)
	if !filepath.IsAbs(whole) || err != nil || target == whole {
		return ""
	}
	return ", which leads to " + shownWord(target)
}

// confinable returns a client of the hub and the server with a name. It returns an error for a remote server.
func (c serverCommands) confinable(ctx context.Context, name string) (*instance.Client, operations.Server, error) {
	client, err := c.p.client(ctx)
	if err != nil {
		return nil, operations.Server{}, err
	}
	server, err := serverNamed(ctx, client, name)
	if err == nil && server.Sandbox == nil {
		err = fault.New(fault.Invalid, "server %s is remote and has no process here that could be confined", server.Name)
	}
	return client, server, err
}

// confine changes the sandbox of a server. The caller sets ask if the change gives the server more access. confine then
// shows text to the person at the terminal and asks for confirmation first.
func (c serverCommands) confine(ctx context.Context, client *instance.Client, server operations.Server, change map[string]any, ask bool,
	text string,
) error {
	var after operations.Server
	do := func(client *instance.Client) error {
		return client.Do(ctx, http.MethodPut, serverPath(server, "sandbox"), change, &after)
	}
	if !ask {
		if err := do(client); err != nil {
			return err
		}
		return c.p.respond(after.Sandbox, "%s: %s\n", server.Name, inWords(after.Sandbox))
	}
	yes, err := c.p.askPerson(ctx, text, "Allow that?")
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied,
			"the sandbox of %s was not changed: only a person may allow a server more. Do it in the dashboard, or run this command in a "+
				"terminal", server.Name)
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "the sandbox of %s was not changed", server.Name)
	}
	if err := decided(ctx, client, do); err != nil {
		return err
	}
	return c.p.respond(after.Sandbox, "%s: %s\n", server.Name, inWords(after.Sandbox))
}

// inWords describes in one line how a server is confined.
func inWords(s *operations.Sandbox) string {
	switch s.Enforced {
	case "off":
		return "sandbox off"
	case "partly":
		return "sandbox " + s.Level + ", partly enforced"
	case "unsupported":
		return "sandbox " + s.Level + ", not enforced on this system"
	}
	return "sandbox " + s.Level + ", enforced"
}

// printSandbox prints how a server is confined; s is nil for remote servers.
func (p *program) printSandbox(s *operations.Sandbox) {
	if s == nil {
		return
	}
	p.printf("  %s\n", inWords(s))
	for _, missing := range s.Missing {
		p.printf("    not enforced: %s\n", missing)
	}
	for _, note := range s.Notes {
		p.printf("    %s\n", note)
	}
	if len(s.Added) > 0 {
		p.printf("    added to its arguments: %s\n", strings.Join(s.Added, " "))
	}
	for _, kind := range []struct {
		what string
		list []string
	}{{"may read", s.Grants.Read}, {"may read and write", s.Grants.Write}, {"may connect to", s.Grants.Network}} {
		for _, grant := range kind.list {
			p.printf("    %s %s\n", kind.what, safetext.Visible(grant))
		}
	}
	for _, d := range s.Denied {
		p.printf("    wanted to %s\n", wanted(d))
	}
}

// wanted describes an access that the sandbox denied to a server, and how to allow it.
func wanted(d operations.DeniedAccess) string {
	what, flag := d.Access+" "+safetext.Visible(d.Target), "--"+d.Access+" "
	if d.Access == "network" {
		what, flag = "connect to "+safetext.Visible(d.Target), "--network="
		if d.Target == "" {
			what = "use the network"
		}
	}
	if d.Grant == "" {
		return what + ", which is a secret"
	}
	return what + "; to allow it: " + flag + safetext.ShellWord(d.Grant)
}
