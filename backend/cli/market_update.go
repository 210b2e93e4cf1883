package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/updates"
)

// updateFlags holds the flags of market update.
type updateFlags struct {
	inputs               inputFlags
	replay, yes, verbose bool
}

func (c marketCommands) update() *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use: "update [ID]", Short: "Update an installed server, or list those that have a newer version", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		Long: `Update the server ID, an ID of the marketplace or the name of the server. The newest
version runs beside the current one first, and what differs is shown: tools that were added,
removed or changed, and new inputs. The server is updated after you have answered on the
terminal; market rollback undoes that. Without ID, check which installed servers have a
newer version, and list them.

With --replay, recorded calls of tools that only read are repeated with the newest version,
and their results are compared. --yes asks nothing, and works only if the setting
agents.install allows it.`,
		Example: "  agent-discover market update\n  agent-discover market update npm:weather-mcp --replay",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listUpdates(cmd.Context())
			}
			return c.runUpdate(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().StringArrayVar(&f.inputs.values, "input", nil,
		"answer a new question of the server, as `NAME=VALUE`; NAME=- reads the value from standard input; may be repeated")
	cmd.Flags().StringArrayVar(&f.inputs.files, "input-file", nil,
		"answer a new question with the content of a file, as `NAME=FILE`; may be repeated")
	cmd.Flags().BoolVar(&f.replay, "replay", false, "repeat recorded calls of tools that only read, and compare the results")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "update without asking")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "print what package managers print")
	return cmd
}

func (c marketCommands) rollback() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "rollback ID", Short: "Return an installed server to the version before its last update", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		Long: `Return the server ID, an ID of the marketplace or the name of the server, to the version
that it had before its last update, with the settings of that version. To get the newer
version again, update the server. --yes asks nothing, and works only if the setting
agents.install allows it.`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runRollback(cmd.Context(), args[0], yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "return to the former version without asking")
	return cmd
}

func (c marketCommands) listUpdates(ctx context.Context) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	servers, err := checked(ctx, client)
	if err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(operations.MarketUpdateList{Servers: servers})
	}
	if len(servers) == 0 {
		c.p.printf("No server was installed from the marketplace.\n")
		return nil
	}
	table := c.p.table("SERVER", "VERSION", "LATEST", "BEFORE", "ID", "NOTE")
	newer := 0
	for _, s := range servers {
		if s.Updatable {
			newer++
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, shownText(s.Version), cmp.Or(shownText(s.Latest), "-"),
			cmp.Or(shownText(s.Former), "-"),
			shownText(s.Listing), shownText(cmp.Or(s.Problem, s.Message)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if newer > 0 {
		c.p.printf("%s a newer version. To update one: agent-discover market update SERVER\n", counted(newer, "server has", "servers have"))
	}
	return nil
}

// checked makes the hub look for new versions of the installed servers, and returns the servers.
func checked(ctx context.Context, client *instance.Client) ([]updates.Server, error) {
	var list operations.MarketUpdateList
	err := client.Do(ctx, http.MethodPost, "/api/market/updates/check", nil, &list)
	return list.Servers, err
}

// installedAs returns the installed server whose name is id. If there is none, id is the ID of a listing, and
// installedAs returns the only server that was installed from it.
func installedAs(servers []updates.Server, id string) (updates.Server, error) {
	var found []updates.Server
	for _, s := range servers {
		if s.Name == id {
			return s, nil
		}
		if s.Listing == id {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return updates.Server{}, fault.New(fault.NotFound, "%s was not installed from the marketplace; see: agent-discover market update",
			shownText(id))
	case 1:
		return found[0], nil
	}
	return updates.Server{}, fault.New(fault.Invalid, "%s was installed as several servers; name the server", shownText(id))
}

func (c marketCommands) runUpdate(ctx context.Context, id string, f updateFlags) error {
	answers, public, err := c.answers(ctx, f.inputs)
	if err != nil {
		return err
	}
	w, err := c.watcher(ctx)
	if err != nil {
		return err
	}
	w.verbose = f.verbose
	servers, err := checked(ctx, w.client)
	if err != nil {
		return err
	}
	server, err := installedAs(servers, id)
	if err != nil {
		return err
	}
	if server.Latest != "" && !server.Updatable {
		return c.p.respond(server, "Server %s has the latest version, %s.\n", server.Name, shownText(server.Version))
	}
	compared, err := c.compare(ctx, w, server, f, answers, public)
	if err != nil {
		return err
	}
	job, err := c.asPerson(ctx, w, f.yes, difference(compared), fmt.Sprintf("Update %s?", server.Name),
		func(ctx context.Context, client *instance.Client) (job installer.Progress, err error) {
			body := map[string]any{"hash": compared.Hash, "answers": answers}
			err = client.Do(ctx, http.MethodPost, updatePath(server.Name, "apply"), body, &job)
			return job, err
		})
	if err != nil {
		return err
	}
	return c.p.respond(job, "Updated server %s from %s to %s. To undo it: agent-discover market rollback %s\n",
		server.Name, shownText(compared.From), shownText(compared.To), server.Name)
}

func updatePath(server, action string) string {
	return "/api/market/updates/" + url.PathEscape(server) + "/" + action
}

// compare runs the newest version of a server beside the current one. It asks for the answers that
// only the newest version needs.
func (c marketCommands) compare(ctx context.Context, w watcher, server updates.Server, f updateFlags, answers map[string][]string,
	public map[string]bool,
) (compared updates.Comparison, err error) {
	text, question, hash := fmt.Sprintf("%s has the version %s; the newest one is %s. To compare them, the newest one is downloaded and "+
		"started.\n",
		server.Name, shownText(server.Version), cmp.Or(shownText(server.Latest), "not known")), "Compare them?", ""
	for range maxRounds {
		job, failed := c.asPerson(ctx, w, f.yes, text, question,
			func(ctx context.Context, client *instance.Client) (job installer.Progress, err error) {
				err = client.Do(ctx, http.MethodPost, updatePath(server.Name, "compare"),
					map[string]any{"answers": answers, "replay": f.replay, "hash": hash}, &job)
				return job, err
			})
		if failed != nil && !job.Questions {
			return compared, failed
		}
		compared = updates.Comparison{}
		if err := w.client.Do(ctx, http.MethodGet, "/api/market/updates/"+url.PathEscape(server.Name), nil, &compared); err != nil {
			return compared, err
		}
		if compared.Plan == nil {
			return compared, failed
		}
		if err := checkPublic(compared.Plan, public); err != nil {
			return compared, err
		}
		if failed == nil && compared.Unstarted && hash != compared.Hash {
			text, question, hash = difference(compared), "Start it to compare the tools?", compared.Hash
			continue
		}
		if failed == nil {
			return compared, nil
		}
		if !c.p.interactive {
			return compared, errMissing(compared.Plan)
		}
		if err := c.askFor(ctx, compared.Plan, answers); err != nil {
			return compared, err
		}
		text = ""
	}
	return compared, fault.New(fault.Invalid, "the answers do not lead to an update; nothing was changed")
}

func (c marketCommands) runRollback(ctx context.Context, id string, yes bool) error {
	w, err := c.watcher(ctx)
	if err != nil {
		return err
	}
	var list operations.MarketUpdateList
	if err := w.client.Do(ctx, http.MethodGet, "/api/market/updates", nil, &list); err != nil {
		return err
	}
	server, err := installedAs(list.Servers, id)
	if err != nil {
		return err
	}
	if server.Former == "" {
		return fault.New(fault.Conflict, "server %s has no former version to return to", server.Name)
	}
	text := fmt.Sprintf("%s has the version %s; before, it had %s.\n", server.Name, shownText(server.Version), shownText(server.Former))
	job, err := c.asPerson(ctx, w, yes, text, "Return to "+shownText(server.Former)+"?",
		func(ctx context.Context, client *instance.Client) (job installer.Progress, err error) {
			err = client.Do(ctx, http.MethodPost, updatePath(server.Name, "rollback"), nil, &job)
			return job, err
		})
	if err != nil {
		return err
	}
	return c.p.respond(job, "Server %s has the version %s again.\n", server.Name, shownText(server.Former))
}
