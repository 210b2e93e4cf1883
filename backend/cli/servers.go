package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (p *program) servers() *cobra.Command {
	cmd := &cobra.Command{Use: "servers", Short: "Configure MCP servers", Args: cobra.NoArgs, RunE: p.listServers}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the configured servers", Args: cobra.NoArgs, RunE: p.listServers},
		p.addServer(),
		p.serverAction("remove", "Forget a server and its tools", p.removeServer),
		p.approve(),
		p.serverAction("activate", "Put a server's tools into every session's list", p.activateServer),
		p.serverAction("deactivate", "Take a server's tools out of the lists and stop it", p.deactivateServer),
		p.serverAction("refresh", "Start a server and list its tools anew", p.refreshServer),
		p.serverAction("show", "Show a server, its tools and its last words", p.showServer),
	)
	return cmd
}

func (p *program) serverAction(name, short string, do func(context.Context, *instance.Client, resources.Server) error) *cobra.Command {
	return &cobra.Command{
		Use: name + " NAME", Short: short, Args: cobra.ExactArgs(1),
		ValidArgsFunction: p.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			server, err := serverNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			return do(cmd.Context(), client, server)
		},
	}
}

func (p *program) completeServers(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	client, err := p.client(cmd.Context())
	var servers []resources.Server
	if err != nil || client.Do(cmd.Context(), http.MethodGet, "/api/servers", nil, &servers) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func serverNamed(ctx context.Context, client *instance.Client, name string) (resources.Server, error) {
	var servers []resources.Server
	if err := client.Do(ctx, http.MethodGet, "/api/servers", nil, &servers); err != nil {
		return resources.Server{}, err
	}
	for _, s := range servers {
		if s.Name == name {
			return s, nil
		}
	}
	return resources.Server{}, fault.New(fault.NotFound, "there is no server %q; see: agent-discover servers list", name)
}

func serverPath(s resources.Server, action string) string {
	path := fmt.Sprintf("/api/servers/%d", s.ID)
	if action != "" {
		path += "/" + url.PathEscape(action)
	}
	return path
}

func (p *program) listServers(cmd *cobra.Command, _ []string) error {
	client, err := p.client(cmd.Context())
	if err != nil {
		return err
	}
	servers := []resources.Server{}
	if err := client.Do(cmd.Context(), http.MethodGet, "/api/servers", nil, &servers); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(covered(servers))
	}
	p.printServers(servers)
	return nil
}

func (p *program) printServers(servers []resources.Server) {
	if len(servers) == 0 {
		p.printf("No server is configured. Add one with: agent-discover servers add NAME -- COMMAND ARGS\n")
		return
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tSTATE\tTOOLS\tTOKENS\tCOMMAND")
	for _, s := range servers {
		command := safetext.Clip(cell(target(s)), 70)
		if command == "" {
			command = "-"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", s.Name, state(s), s.ToolCount, s.ToolTokens, command)
	}
	_ = table.Flush()
}

func state(s resources.Server) string {
	switch {
	case !s.Approved:
		return "waiting for approval"
	case s.Running && s.Active:
		return "active, running"
	case s.Running:
		return "running"
	case s.HealthStatus == "unhealthy" || s.LastError != "":
		return "failed"
	case s.Active:
		return "active"
	}
	return "ready"
}

func (p *program) addServer() *cobra.Command {
	var description, url string
	var env, tags []string
	var keep, later, sse bool
	cmd := &cobra.Command{
		Use:   "add NAME [flags] -- COMMAND [ARGS…] | --url URL",
		Short: "Configure a server and list its tools",
		Example: "  agent-discover servers add memory -- npx -y @modelcontextprotocol/server-memory\n" +
			"  agent-discover servers add github --url https://mcp.example/github --no-start",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]any{"name": args[0], "description": description, "tags": tags, "keep_running": keep, "warm": later}
			switch {
			case url != "" && (len(args) > 1 || len(env) > 0):
				return usage{errors.New("--url names a server that runs elsewhere: it has no command and no --env; its credentials are secrets")}
			case url != "":
				body["homepage"], body["transport"] = url, map[bool]string{true: "sse", false: "streamable-http"}[sse]
			case len(args) < 2 || cmd.ArgsLenAtDash() != 1:
				return usage{fmt.Errorf("put -- before the command: agent-discover servers add %s -- COMMAND ARGS", args[0])}
			default:
				variables, err := parsePairs("--env", env)
				if err != nil {
					return err
				}
				body["command"], body["args"], body["env"] = args[1], args[2:], variables
			}
			return p.createServer(cmd.Context(), body, later)
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "address of a server that is reached over HTTP")
	cmd.Flags().BoolVar(&sse, "sse", false, "it speaks the older transport SSE, not streamable HTTP")
	cmd.Flags().StringVar(&description, "description", "", "what the server is for, in a sentence")
	cmd.Flags().StringArrayVar(&env, "env", nil, "environment variable of the server, as `K=V`; may be repeated")
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "tag; may be repeated")
	cmd.Flags().BoolVar(&keep, "keep-running", false, "start it with the hub and never stop it for idleness")
	cmd.Flags().BoolVar(&later, "no-start", false, "do not start it now; its tools are unknown until its first start")
	return cmd
}

func parsePairs(flag string, list []string) (map[string]string, error) {
	out := make(map[string]string)
	for _, kv := range list {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, usage{fmt.Errorf("%s %q must have the form NAME=value", flag, kv)}
		}
		out[k] = v
	}
	return out, nil
}

func (p *program) createServer(ctx context.Context, body map[string]any, later bool) error {
	client, err := p.client(ctx)
	if err != nil {
		return err
	}
	var server resources.Server
	if err := client.Do(ctx, http.MethodPost, "/api/servers", body, &server); err != nil {
		return err
	}
	if !later {
		_, _ = fmt.Fprintf(p.err, "starting %s to list its tools …\n", server.Name)
		if err := client.Do(ctx, http.MethodPost, serverPath(server, "refresh"), nil, nil); err != nil {
			return fault.Wrap(err, fault.KindOf(err), "%s is configured, but it does not start: %s", server.Name, fault.MessageOf(err))
		}
		if server, err = serverNamed(ctx, client, server.Name); err != nil {
			return err
		}
	}
	return p.say(server, "%s is configured; %d tools\n", server.Name, server.ToolCount)
}

func (p *program) removeServer(ctx context.Context, client *instance.Client, s resources.Server) error {
	if err := client.Do(ctx, http.MethodDelete, serverPath(s, ""), nil, nil); err != nil {
		return err
	}
	return p.say(map[string]string{"status": "removed", "name": s.Name}, "%s is removed\n", s.Name)
}

func (p *program) activateServer(ctx context.Context, client *instance.Client, s resources.Server) error {
	if !s.Approved {
		return waits(s)
	}
	return p.change(ctx, client, s, "activate")
}

func waits(s resources.Server) error {
	return fault.New(fault.Denied, "server %q waits for approval; approve it with: agent-discover servers approve %s", s.Name, s.Name)
}

func (p *program) deactivateServer(ctx context.Context, client *instance.Client, s resources.Server) error {
	return p.change(ctx, client, s, "deactivate")
}

func (p *program) refreshServer(ctx context.Context, client *instance.Client, s resources.Server) error {
	return p.change(ctx, client, s, "refresh")
}

func (p *program) change(ctx context.Context, client *instance.Client, s resources.Server, action string) error {
	var done struct {
		Status    string `json:"status"`
		ToolCount *int   `json:"tool_count,omitempty"`
	}
	if err := client.Do(ctx, http.MethodPost, serverPath(s, action), nil, &done); err != nil {
		return err
	}
	text := strings.ReplaceAll(done.Status, "_", " ")
	if done.ToolCount != nil {
		text += fmt.Sprintf(", %d tools", *done.ToolCount)
	}
	return p.say(done, "%s: %s\n", s.Name, text)
}

func (p *program) showServer(ctx context.Context, client *instance.Client, s resources.Server) error {
	var detail struct {
		resources.Server
		Tools  []resources.Tool `json:"tools"`
		Stderr string           `json:"stderr,omitempty"`
	}
	if err := client.Do(ctx, http.MethodGet, serverPath(s, ""), nil, &detail); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(detail)
	}
	p.printServers([]resources.Server{detail.Server})
	for _, given := range append(assignments(detail.Env, "="), assignments(detail.Headers, ": ")...) {
		p.printf("  %s\n", given)
	}
	for _, t := range detail.Tools {
		p.printf("  %s  %s\n", cell(t.Name), safetext.Clip(firstLine(t.Description), 90))
	}
	if detail.LastError != "" {
		p.printf("\nLast failure: %s\n", detail.LastError)
	}
	if detail.Stderr != "" {
		p.printf("\nIt last wrote to standard error:\n%s\n", strings.TrimRight(detail.Stderr, "\n"))
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
