package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/spelling"
	"github.com/agent-discover/agent-discover/backend/base/version"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// hub returns the running hub. It starts one unless the user stopped the hub. If the hub is of another version than this
// program, hub prints what to do about that.
func (p *program) hub(ctx context.Context) (instance.Info, error) {
	info, err := instance.Next(ctx, p.folder)
	if err == nil {
		if difference := version.Difference(info.Version, p.version); difference != "" && !p.differs {
			p.differs = true
			p.notef("Note: %s\n", difference)
		}
		return info, nil
	}
	if !errors.Is(err, instance.ErrNone) {
		return instance.Info{}, err
	}
	if instance.Elsewhere(err) {
		p.notef("agent-discover: %s\n", fault.MessageOf(err))
	}
	if instance.Stopped(p.folder) {
		return instance.Info{}, fault.New(fault.Unavailable, "the hub was stopped; start it with: agent-discover start")
	}
	return instance.Ensure(ctx, p.folder, "cli")
}

// client returns a client of the hub. Like the method hub, it starts the hub if necessary.
func (p *program) client(ctx context.Context) (*instance.Client, error) {
	info, err := p.hub(ctx)
	if err != nil {
		return nil, err
	}
	return instance.NewFollowingClient(info, p.hub), nil
}

// serverFunc acts on a configured server. args are the arguments after the name of the server.
type serverFunc func(ctx context.Context, client *instance.Client, s operations.Server, args []string) error

// serverCommand returns a command with n arguments, of which the first is the
// name of a server.
func (p *program) serverCommand(use, short string, n int, do serverFunc) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(n), ValidArgsFunction: p.completeWith(inOrder(serverNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			server, err := serverNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			return approvable(do(cmd.Context(), client, server, args[1:]), server.Name)
		},
	}
}

// allServers returns the configured servers, never nil.
func allServers(ctx context.Context, client *instance.Client) ([]operations.Server, error) {
	servers := []operations.Server{}
	err := client.Do(ctx, http.MethodGet, "/api/servers", nil, &servers)
	return servers, err
}

func serverNamed(ctx context.Context, client *instance.Client, name string) (operations.Server, error) {
	servers, err := allServers(ctx, client)
	if err != nil {
		return operations.Server{}, err
	}
	names := make([]string, len(servers))
	for i, s := range servers {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	meant := ""
	if near := spelling.Near(name, names); len(near) > 0 {
		meant = "did you mean " + strings.Join(near, " or ") + "? "
	}
	return operations.Server{}, fault.New(fault.NotFound, "there is no server %q; %ssee: agent-discover servers list", name, meant)
}

// serverPath returns the REST path of a server, or of an action on it.
func serverPath(s operations.Server, action string) string {
	path := fmt.Sprintf("/api/servers/%d", s.ID)
	if action != "" {
		path += "/" + url.PathEscape(action)
	}
	return path
}

// approvable adds to err the command with which a person approves the server in a terminal, if err says that the server
// waits for approval. It returns other errors unchanged.
func approvable(err error, server string) error {
	if fault.CodeOf(err) != fault.CodeUnapproved {
		return err
	}
	return fault.Wrap(err, fault.KindOf(err), "%s; in a terminal: agent-discover servers approve %s", fault.MessageOf(err), server)
}
