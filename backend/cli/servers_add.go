package cli

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// newServer holds the flags of servers add.
type newServer struct {
	description, url, paste string
	isolation, account      string
	sandbox                 string
	cwd, start, call        string // working folder and time limits; may be empty
	transport               string // if empty, the hub chooses it
	env, headers, tags      []string
	keep, later             bool
	yes, plain, dry         bool
}

func (c serverCommands) add() *cobra.Command {
	var n newServer
	sse := false
	cmd := &cobra.Command{
		Use:   "add NAME [flags] -- COMMAND [ARGS…] | NAME --url URL | LINK | --paste FILE",
		Short: "Add a server and list its tools",
		Long: `Add a server and start it once to list its tools. COMMAND starts a local server, which
communicates over standard input and output; --url names a remote one.

LINK is an install link, as web pages have for Cursor, VS Code and other editors. --paste
reads what documentation shows: a configuration of any client, a command such as
"claude mcp add", an install link, or a whole page in Markdown. What would run is shown
before anything is added; then each server is started once in the background.`,
		Example: "  agent-discover servers add memory -- npx -y @modelcontextprotocol/server-memory\n" +
			"  agent-discover servers add files --env DEBUG=1 -- npx -y @modelcontextprotocol/server-filesystem /tmp\n" +
			"  agent-discover servers add github --url https://mcp.example/github --no-start\n" +
			"  agent-discover servers add tickets --url https://mcp.example/tickets --header 'Authorization=Bearer TOKEN'\n" +
			"  agent-discover servers add github-home --account home --url https://mcp.example/github\n" +
			"  pbpaste | agent-discover servers add --paste - --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			if n.paste != "" || len(args) == 1 && n.url == "" && strings.ContainsAny(args[0], ":{") {
				return c.addPasted(cmd.Context(), n, args)
			}
			if len(args) == 0 {
				return usagef("name the server: agent-discover servers add NAME -- COMMAND ARGS; or use --paste FILE; see " +
					"agent-discover servers add --help")
			}
			if n.dry {
				return usagef("--dry-run is for LINK and --paste")
			}
			if cmd.Flags().Changed("sse") {
				n.transport = map[bool]string{true: "sse", false: "streamable-http"}[sse]
			}
			if n.url == "" && len(n.headers) == 0 && (len(args) < 2 || cmd.ArgsLenAtDash() != 1) {
				return c.errNoDashes(cmd, args)
			}
			body, err := n.body(args)
			if err != nil {
				return err
			}
			return c.create(cmd.Context(), body, n.later)
		},
	}
	cmd.Flags().StringVar(&n.paste, "paste", "", "add the servers in the text in `FILE`; - for standard input")
	c.commandAfterDashes(cmd)
	cmd.Flags().BoolVar(&n.yes, "yes", false, "with LINK or --paste: add without asking")
	cmd.Flags().BoolVar(&n.dry, "dry-run", false, "with LINK or --paste: only show what would be added")
	cmd.Flags().BoolVar(&n.plain, "plain-text", false,
		"with LINK or --paste: keep credentials readable in the configuration if they cannot be stored as secrets")
	cmd.Flags().BoolVar(&sse, "sse", false,
		"use the older SSE transport for --url, not streamable HTTP; the default if the path of URL ends in /sse")
	n.flags(cmd)
	cmd.Flags().StringVar(&n.sandbox, "sandbox", registry.Unconfined,
		"`LEVEL`: off, guard (only the system, its own files and grants) or strict (also no network unless granted)")
	cmd.Flags().BoolVar(&n.later, "no-start", false,
		"do not start the server before its first call; agents cannot find its tools until then")
	choices(cmd, "sandbox", registry.Levels...)
	return cmd
}

// flags adds the flags that servers add and servers edit have in common.
func (n *newServer) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.url, "url", "", "address of a remote server, as a `URL`")
	cmd.Flags().StringVar(&n.description, "description", "", "what the server is for, as `TEXT` of one sentence")
	cmd.Flags().StringArrayVar(&n.env, "env", nil,
		"environment variable of the server, as `NAME=VALUE`; may be repeated; a credential is stored as a secret")
	cmd.Flags().StringArrayVar(&n.headers, "header", nil,
		"HTTP header to send to the server at --url, as `NAME=VALUE`; may be repeated; a credential is stored as a secret")
	cmd.Flags().StringSliceVar(&n.tags, "tag", nil, "`TAG` of the server; may be repeated")
	cmd.Flags().StringVar(&n.account, "account", "", "`LABEL` of the account that the server uses, if you add the same server for several")
	cmd.Flags().BoolVar(&n.keep, "keep-running", false, "start the server with the hub, and do not stop it when idle")
	cmd.Flags().StringVar(&n.isolation, "isolation", registry.Shared,
		"`KIND`: shared (all clients share one process) or session (each session of a client has its own)")
	choices(cmd, "isolation", registry.Shared, registry.PerSession)
	cmd.Flags().StringVar(&n.cwd, "cwd", "", "start the server in the folder `DIR` instead of the home folder; may begin with ${env:NAME}")
	cmd.Flags().StringVar(&n.start, "start-timeout", "",
		"how long the server may be silent while it starts, as a `TIME` such as 5m; limits.start_timeout if not given")
	cmd.Flags().StringVar(&n.call, "call-timeout", "",
		"how long a call may have neither an answer nor progress, as a `TIME` such as 5m; limits.call_timeout if not given")
}

// folder returns the absolute path of the working folder, or "" if the server has none of its own.
func (n newServer) folder() string {
	if n.cwd == "" || strings.HasPrefix(n.cwd, "${") {
		return n.cwd
	}
	return absolute([]string{n.cwd})[0]
}

// check returns an error if a flag has a value that no server can have.
func (n newServer) check() error {
	_, start := registry.ParseTimeout(n.start)
	_, call := registry.ParseTimeout(n.call)
	checked := registry.Server{Isolation: n.isolation, Account: n.account, Sandbox: n.sandbox, Dir: n.folder()}.Check()
	for _, err := range []error{checked, start, call} {
		if err != nil {
			return usagef("%s", fault.MessageOf(err))
		}
	}
	return nil
}

// body returns the request that creates the server. args are its name and, unless it is remote, its command.
func (n newServer) body(args []string) (map[string]any, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	body := map[string]any{
		"name": args[0], "description": n.description, "tags": n.tags, "keep_running": n.keep, "isolation": n.isolation,
		"account": n.account, "sandbox": n.sandbox, "cwd": n.folder(), "start_timeout": n.start, "call_timeout": n.call, "start": !n.later,
	}
	switch {
	case n.url != "" && (len(args) > 1 || len(n.env) > 0 || n.cwd != ""):
		return nil, usagef(
			"--url names a remote server, which has no command, no --env and no --cwd; give its credentials with --header, or set them " +
				"later with: agent-discover secrets set",
		)
	case n.url == "" && len(n.headers) > 0:
		return nil, usagef("--header is for remote servers, which have a --url; use --env for those with a command")
	case n.url != "":
		headers, err := parseHeaders(n.headers)
		if err != nil {
			return nil, err
		}
		body["homepage"], body["headers"] = n.url, headers
		if n.transport != "" {
			body["transport"] = n.transport
		}
	default:
		variables, err := parsePairs("--env", n.env)
		if err != nil {
			return nil, err
		}
		body["command"], body["args"], body["env"] = args[1], args[2:], variables
	}
	return body, nil
}

// parseHeaders parses HTTP headers, each NAME=VALUE or, as other programs write them, NAME: VALUE.
func parseHeaders(list []string) (map[string]string, error) {
	pairs := make([]string, len(list))
	for i, header := range list {
		if at := strings.IndexAny(header, ":="); at > 0 && header[at] == ':' {
			header = header[:at] + "=" + strings.TrimSpace(header[at+1:])
		}
		pairs[i] = header
	}
	return parsePairs("--header", pairs)
}

// parsePairs parses the values of a flag, each NAME=VALUE.
func parsePairs(flag string, list []string) (map[string]string, error) {
	out := make(map[string]string)
	for _, pair := range list {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usagef("%s %q must have the form NAME=VALUE", flag, pair)
		}
		out[name] = value
	}
	return out, nil
}

// addPasted adds the servers in a pasted text or an install link, as an import
// does.
func (c serverCommands) addPasted(ctx context.Context, n newServer, args []string) error {
	editors, f := editorCommands(c), importFlags{yes: n.yes, dry: n.dry, plain: n.plain, text: n.paste}
	if n.paste != "" && len(args) > 0 {
		return usagef("--paste takes no name and no command: the text contains them")
	}
	text := ""
	if n.paste == "" {
		text = args[0]
	}
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	return editors.importFrom(ctx, client, f, text, nil)
}

// refuseClient returns an error if the command in body would not start a server
// but add one to the configuration of an AI client.
func refuseClient(ctx context.Context, client *instance.Client, body map[string]any) error {
	command, _ := body["command"].(string)
	args, _ := body["args"].([]string)
	if !slices.Contains(args, "mcp") && !strings.Contains(strings.Join(args, " "), "--add-mcp") {
		return nil
	}
	var line []string
	for _, word := range append([]string{command}, args...) {
		line = append(line, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	var found struct {
		Servers []struct{ Command, Name, URL string }
	}
	err := client.Do(ctx, http.MethodPost, "/api/servers/parse", map[string]string{"text": strings.Join(line, " ")}, &found)
	if err == nil && len(found.Servers) == 1 && found.Servers[0].Command != command {
		return usagef("this command adds a server to an AI client and starts none; to add that server here, write the command into a " +
			"file and run: agent-discover servers add --paste FILE")
	}
	return nil
}

func (c serverCommands) create(ctx context.Context, body map[string]any, later bool) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	if err := refuseClient(ctx, client, body); err != nil {
		return err
	}
	var server operations.Server
	if err := client.Do(ctx, http.MethodPost, "/api/servers", body, &server); err != nil {
		return err
	}
	for _, note := range server.Notes {
		c.p.notef("Note: %s\n", cell(note))
	}
	if later {
		return c.p.respond(server,
			"Added server %s. Agents cannot find its tools before it has started once: agent-discover servers refresh %[1]s\n", server.Name)
	}
	c.p.notef("Starting %s to list its tools …\n", server.Name)
	if err := client.Do(ctx, http.MethodPost, serverPath(server, "refresh"), nil, nil); err != nil {
		return fault.Wrap(err, fault.KindOf(err), "server %s was added, but did not start: %s", server.Name, fault.MessageOf(err))
	}
	if server, err = serverNamed(ctx, client, server.Name); err != nil {
		return err
	}
	return c.p.respond(server, "Added server %s: %s\n", server.Name, counted(server.ToolCount, "tool", "tools"))
}
