package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// editedServer holds the flags of servers edit.
type editedServer struct {
	newServer
	unset []string
}

func (c serverCommands) edit() *cobra.Command {
	var e editedServer
	cmd := &cobra.Command{
		Use: "edit NAME [flags] [-- COMMAND ARGS…]", Short: "Change the settings of a server",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		Long: `Change the settings of a server. Everything that is not named stays as it is: --env and
--header change single variables and headers, and --unset removes them; --tag replaces
all tags. A credential is stored as a secret.

Only a person may change what runs: the command, its arguments, variables and folder, or
the URL and its headers. That question is asked in the terminal. Without a terminal the
change is saved, and the server waits until it is approved, unless it was never started.`,
		Example: "  agent-discover servers edit files --env DEBUG=1 --unset TRACE\n" +
			"  agent-discover servers edit files -- npx -y @modelcontextprotocol/server-filesystem /srv\n" +
			"  agent-discover servers edit slow --start-timeout 5m --call-timeout 10m",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && cmd.ArgsLenAtDash() != 1 {
				return c.errNoDashes(cmd, args)
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			server, err := serverNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			body, err := e.changes(cmd.Flags().Changed, server, args[1:])
			if err != nil {
				return err
			}
			if len(body) == 0 {
				return usagef("nothing to change; name a flag or a command, see: agent-discover servers edit --help")
			}
			return c.save(cmd.Context(), client, server, body)
		},
	}
	e.flags(cmd)
	c.commandAfterDashes(cmd)
	cmd.Flags().StringSliceVar(&e.unset, "unset", nil, "`NAME` of a variable or header to remove; may be repeated")
	return cmd
}

// changes returns the request that changes a server. given reports whether a flag was given; command is the new command
// with its arguments, or empty.
func (e editedServer) changes(given func(flag string) bool, now operations.Server, command []string) (map[string]any, error) {
	body := make(map[string]any)
	for flag, field := range map[string]struct {
		name  string
		value any
	}{
		"description": {"description", e.description}, "tag": {"tags", e.tags}, "account": {"account", e.account},
		"keep-running": {"keep_running", e.keep}, "isolation": {"isolation", e.isolation}, "cwd": {"cwd", e.folder()},
		"start-timeout": {"start_timeout", e.start}, "call-timeout": {"call_timeout", e.call}, "url": {"homepage", e.url},
	} {
		if given(flag) {
			body[field.name] = field.value
		}
	}
	remote := now.Transport != "stdio"
	if now.State == words.Incomplete && (given("url") || len(command) > 0) { // it becomes remote or local by what it is given
		remote = given("url")
		body["transport"] = map[bool]string{false: "stdio", true: "remote"}[remote]
	}
	switch {
	case remote && (len(command) > 0 || given("env") || given("cwd")):
		return nil, usagef("server %s is remote and has no command, no --env and no --cwd", now.Name)
	case !remote && (given("url") || given("header")):
		return nil, usagef("server %s has a command; --url and --header are for remote servers", now.Name)
	case len(command) > 0:
		body["command"], body["args"] = command[0], command[1:]
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	env, err := parsePairs("--env", e.env)
	if err != nil {
		return nil, err
	}
	headers, err := parseHeaders(e.headers)
	if err != nil {
		return nil, err
	}
	pairs, field, before := env, "env", now.Env
	if remote {
		pairs, field, before = headers, "headers", now.Headers
	}
	if len(pairs)+len(e.unset) == 0 {
		return body, nil
	}
	after := make(map[string]string)
	maps.Copy(after, before)
	maps.Copy(after, pairs)
	for _, name := range e.unset {
		if _, ok := before[name]; !ok {
			return nil, fault.New(fault.NotFound, "server %s has no %s; see: agent-discover servers show %[1]s", now.Name,
				map[bool]string{false: "variable ", true: "header "}[remote]+name)
		}
		delete(after, name)
	}
	body[field] = after
	return body, nil
}

// runs are the fields of a request that decide what runs.
var runs = []string{"command", "args", "env", "cwd", "homepage", "headers"}

// save sends the request that changes a server, after a question if it changes what runs.
func (c serverCommands) save(ctx context.Context, client *instance.Client, now operations.Server, body map[string]any) error {
	var after operations.Server
	put := func(client *instance.Client) error {
		body["launch_hash"] = now.LaunchHash
		return client.Do(ctx, http.MethodPut, serverPath(now, ""), body, &after)
	}
	var err error
	if slices.ContainsFunc(runs, func(field string) bool { return body[field] != nil }) {
		err = c.askAndSave(ctx, client, now, body, put)
	} else {
		err = put(client)
	}
	if err != nil {
		return err
	}
	for _, note := range after.Notes {
		c.p.notef("Note: %s\n", cell(note))
	}
	if after.State == words.Held || after.State == words.Waiting {
		c.p.notef("It waits for a person; "+remedies[after.State]+"\n", after.Name)
	}
	return c.p.respond(after, "Changed server %s.\n", after.Name)
}

func (c serverCommands) askAndSave(ctx context.Context, client *instance.Client, now operations.Server, body map[string]any,
	put func(*instance.Client) error,
) error {
	yes, err := c.p.askPerson(ctx, changeText(now, body), "Change server "+now.Name+" like this?")
	switch {
	case errors.Is(err, errNoPerson):
		return put(client)
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "nothing was changed")
	}
	return decided(ctx, client, put)
}

// changeText shows what a server runs before and after a change. Credentials that it has now are redacted.
func changeText(now operations.Server, body map[string]any) string {
	r := setup.Runs{
		Transport: now.Transport, Command: text(now.Command), Args: now.Args, Env: now.Env, Dir: now.Dir, URL: text(now.Homepage),
		Headers: now.Headers,
	}
	set(&r.Command, body["command"])
	set(&r.Args, body["args"])
	set(&r.Env, body["env"])
	set(&r.Dir, body["cwd"])
	set(&r.URL, body["homepage"])
	set(&r.Headers, body["headers"])
	before := fmt.Sprintf("Server %s runs: %s\n", now.Name, cell(target(now)))
	return before + launched("After the change:\n", r, nil, nil)
}

// set stores value in to, unless value is nil.
func set[T any](to *T, value any) {
	if value != nil {
		*to = value.(T)
	}
}
