package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (p *program) approve() *cobra.Command {
	var yes bool
	cmd := p.serverAction("approve", "Show a server that an agent proposed, and let it be started",
		func(ctx context.Context, client *instance.Client, s resources.Server) error {
			return p.approveServer(ctx, client, s, yes)
		})
	cmd.Flags().BoolVar(&yes, "yes", false, "approve without a question")
	return cmd
}

// approveServer approves what it has shown and nothing else: the hub refuses
// when the server has changed meanwhile.
func (p *program) approveServer(ctx context.Context, client *instance.Client, s resources.Server, yes bool) error {
	if !s.Approved {
		if err := p.agreed(s, yes); err != nil {
			return err
		}
	}
	shown := map[string]string{"launch_hash": s.LaunchHash}
	if err := client.Do(ctx, http.MethodPost, serverPath(s, "approve"), shown, &s); err != nil {
		return err
	}
	if err := client.Do(ctx, http.MethodPost, serverPath(s, "refresh"), nil, nil); err != nil {
		return fault.Wrap(err, fault.KindOf(err), "%s is approved, but it does not start: %s", s.Name, fault.MessageOf(err))
	}
	s, err := serverNamed(ctx, client, s.Name)
	if err != nil {
		return err
	}
	return p.say(s, "%s is approved; %d tools\n", s.Name, s.ToolCount)
}

// agreed shows what would be started and, on a terminal, asks.
func (p *program) agreed(s resources.Server, yes bool) error {
	screen := p.out
	if p.json {
		screen = p.err
	}
	if !p.json || !yes {
		_, _ = io.WriteString(screen, safetext.Prose(proposal(s)))
	}
	if yes || !p.asks { // a script has made up its mind
		return nil
	}
	if p.confirm("Let " + s.Name + " be started?") {
		return nil
	}
	return fault.New(fault.Denied, "%s is not approved; to forget it: agent-discover servers remove %s", s.Name, s.Name)
}

// proposal describes what a start would run. Its arguments are all shown: what
// is covered could not be judged.
func proposal(s resources.Server) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-12s %s\n", name, cell(value))
		}
	}
	fmt.Fprintf(&b, "%s, proposed by an agent:\n", s.Name)
	line("description", s.Description)
	if s.Command != nil {
		line("command", shown(*s.Command))
	}
	for i, arg := range s.Args {
		line(fmt.Sprintf("argument %d", i+1), shown(arg))
	}
	for _, variable := range assignments(s.Env, "=") {
		line("variable", variable)
	}
	line("transport", s.Transport)
	line("homepage", text(s.Homepage))
	for _, header := range assignments(s.Headers, ": ") {
		line("header", header)
	}
	line("package", strings.TrimSpace(text(s.PackageName)+" "+text(s.PackageVersion)))
	line("source", s.Source)
	return b.String()
}
