package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/coder/websocket"
	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (p *program) checkEditors() *cobra.Command {
	return &cobra.Command{
		Use: "doctor [EDITOR...]", Short: "Show what editors' tools cost, and what is wrong with their set-ups", ValidArgsFunction: p.completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			var report doctor.Report
			if err := client.Do(cmd.Context(), http.MethodGet, "/api/editors/checkup", nil, &report); err != nil {
				return err
			}
			report = about(report, args)
			if p.json {
				return p.printJSON(report)
			}
			return p.printCheckup(report)
		},
	}
}

// about keeps what is said of some editors; all when none is named.
func about(r doctor.Report, ids []string) doctor.Report {
	if len(ids) == 0 {
		return r
	}
	named := func(id string) bool { return slices.Contains(ids, id) }
	r.Costs = slices.DeleteFunc(r.Costs, func(c doctor.Cost) bool { return !named(c.Editor) })
	r.Findings = slices.DeleteFunc(r.Findings, func(f doctor.Finding) bool { return !slices.ContainsFunc(f.Editors, named) })
	return r
}

func (p *program) printCheckup(r doctor.Report) error {
	if len(r.Costs) > 0 {
		table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "EDITOR\tOWN SERVERS\tTOOLS KNOWN\tTOKENS TODAY\tTHROUGH US")
		for _, c := range r.Costs {
			servers := fmt.Sprint(c.Servers)
			if c.Known < c.Servers {
				servers += fmt.Sprintf(" (%d unknown)", c.Servers-c.Known)
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\n", c.Editor, servers, c.Tools, c.Today, c.Through)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	for _, f := range r.Findings {
		p.printf("%s  %s: %s\n", f.Level, strings.Join(f.Editors, ", "), f.Text)
		if f.Advice != "" {
			p.printf("    %s\n", f.Advice)
		}
	}
	if len(r.Findings) == 0 {
		p.printf("Nothing is wrong with the editors.\n")
	}
	return nil
}

func (p *program) autoRegister() *cobra.Command {
	return &cobra.Command{
		Use: "auto on|off", Short: "Say whether editors that are found from now on get our entry", Args: cobra.ExactArgs(1), ValidArgs: []string{"on", "off"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "on" && args[0] != "off" {
				return usage{fmt.Errorf("say on or off")}
			}
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			body := map[string]bool{"auto_register": args[0] == "on"}
			if err := client.Do(cmd.Context(), http.MethodPut, "/api/editors/settings", body, nil); err != nil {
				return err
			}
			return p.say(body, "Editors that are found from now on: our entry is %s.\n", map[string]string{"on": "put in", "off": "left out until you say so"}[args[0]])
		},
	}
}

func (p *program) watchEditors() *cobra.Command {
	return &cobra.Command{
		Use: "watch", Short: "Tell what changes in editors' files, until it is interrupted", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := p.hub(cmd.Context())
			if err != nil {
				return err
			}
			return p.watch(cmd.Context(), info, instance.NewClient(info))
		},
	}
}

// watch prints the state of each editor, and then each that is another.
func (p *program) watch(ctx context.Context, info instance.Info, client *instance.Client) error {
	conn, _, err := websocket.Dial(ctx, "ws://"+info.Address()+"/ws?tools=none&deltas=changed", &websocket.DialOptions{
		HTTPClient: client.HTTP(), HTTPHeader: http.Header{"Authorization": {"Bearer " + info.Token}},
	})
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the hub gives no news")
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(64 << 20)
	known := make(map[string]string)
	for {
		list, err := statusOfEditors(ctx, client, false)
		if err != nil {
			return err
		}
		for _, e := range list.Editors {
			if line := p.watchLine(e); known[e.ID] != line {
				known[e.ID] = line
				p.write(line + "\n")
			}
		}
		if err := awaitEditors(ctx, conn); err != nil {
			if ctx.Err() != nil {
				return nil // interrupted: that is how it ends
			}
			return fault.Wrap(err, fault.Unavailable, "the hub has ended")
		}
	}
}

func (p *program) watchLine(e registration.Status) string {
	if p.json {
		line, _ := json.Marshal(e) // it came as JSON
		return string(line)
	}
	var files []string
	for _, f := range rowsOf(e) {
		files = append(files, strings.TrimSpace(stateOfEntry(e, f)+"  "+tilde(f.Path)))
	}
	return safetext.Prose(e.ID + ": " + strings.Join(files, ", "))
}

func awaitEditors(ctx context.Context, conn *websocket.Conn) error {
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		var message struct{ Type string }
		if json.Unmarshal(data, &message) == nil && message.Type == "editors" {
			return nil
		}
	}
}
