package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// intakeWish is what an import is told on the command line.
type intakeWish struct {
	all, yes, dry, takeOut bool
	text, bundle           string
	servers, values        []string
}

func (p *program) importServers() *cobra.Command {
	var w intakeWish
	cmd := &cobra.Command{
		Use: "import EDITOR... | --all", Short: "Bring in the servers that editors have", ValidArgsFunction: p.completeEditors,
		Long: `Brings servers of editors into the hub, each once; credentials go into the keychain.
Nothing is started. With --take-out the entries leave the editors, which can be undone.`,
		Example: "  agent-discover editors import --all --dry-run\n  agent-discover editors import cursor --server github --take-out\n" +
			"  pbpaste | agent-discover editors import --text -\n  agent-discover editors import --bundle files.mcpb --set directory=/home/me",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := w.check(args); err != nil {
				return err
			}
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			q, err := p.request(cmd.Context(), client, w, args)
			if err != nil {
				return err
			}
			return p.bringIn(cmd.Context(), client, q, w)
		},
	}
	cmd.Flags().BoolVar(&w.all, "all", false, "all editors that are here")
	cmd.Flags().BoolVar(&w.yes, "yes", false, "bring them in without a question")
	cmd.Flags().BoolVar(&w.dry, "dry-run", false, "only show what would come in")
	cmd.Flags().BoolVar(&w.takeOut, "take-out", false, "take the entries out of the editors afterwards")
	cmd.Flags().StringArrayVar(&w.servers, "server", nil, "only the server `NAME`, or NAME=AS to call it otherwise here; may be repeated")
	cmd.Flags().StringVar(&w.text, "text", "", "what stands in `FILE` instead: a configuration, a part of one or a command line; - for standard input")
	cmd.Flags().StringVar(&w.bundle, "bundle", "", "the .mcpb or .dxt bundle `FILE` instead")
	cmd.Flags().StringArrayVar(&w.values, "set", nil, "answer a question of the bundle, as `KEY=VALUE`; may be repeated")
	return cmd
}

func (w *intakeWish) check(args []string) error {
	ways := 0
	for _, way := range []bool{w.all, len(args) > 0, w.text != "", w.bundle != ""} {
		if way {
			ways++
		}
	}
	if ways != 1 {
		return usage{fmt.Errorf("say what to bring in: ids of agent-discover editors list, --all, --text FILE or --bundle FILE")}
	}
	return nil
}

// request finds out which candidates are meant.
func (p *program) request(ctx context.Context, client *instance.Client, w intakeWish, ids []string) (importer.Request, error) {
	q := importer.Request{RemoveEntries: w.takeOut, Values: map[string]string{}}
	for _, pair := range w.values {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return q, usage{fmt.Errorf("--set %s: write KEY=VALUE", key)}
		}
		q.Values[key] = value
	}
	var err error
	if w.bundle != "" {
		if q.Bundle, err = existing(w.bundle); err != nil {
			return q, err
		}
	}
	if w.text != "" {
		if q.Text, err = p.textOf(w.text); err != nil {
			return q, err
		}
	}
	found, err := candidates(ctx, client, q, ids)
	if err != nil {
		return q, err
	}
	for _, problem := range found.Problems {
		_, _ = fmt.Fprintf(p.err, "%s: %s\n", safetext.Prose(tilde(problem.Path)), safetext.Prose(problem.Error))
	}
	q.Choices, err = chosen(found.Candidates, w)
	return q, err
}

func (p *program) textOf(file string) (string, error) {
	if file == "-" {
		data, err := io.ReadAll(io.LimitReader(p.in, 1<<20))
		return string(data), err
	}
	path, err := existing(file)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "%s cannot be read", path)
	}
	return string(data), nil
}

// candidates asks the hub what there is: in a text or bundle, else in editors.
func candidates(ctx context.Context, client *instance.Client, q importer.Request, ids []string) (found resources.Scanned, err error) {
	if q.Text != "" || q.Bundle != "" {
		err = client.Do(ctx, http.MethodPost, "/api/editors/scan", map[string]string{"text": q.Text, "bundle": q.Bundle}, &found)
		return found, err
	}
	if len(ids) == 0 {
		ids = []string{""}
	}
	seen := make(map[string]bool)
	for _, id := range ids {
		var some importer.Scan
		if err := client.Do(ctx, http.MethodGet, "/api/editors/servers?editor="+url.QueryEscape(id), nil, &some); err != nil {
			return found, err
		}
		found.Problems = append(found.Problems, some.Problems...)
		for _, c := range some.Candidates {
			if !seen[c.ID] {
				found.Candidates = append(found.Candidates, c)
			}
			seen[c.ID] = true
		}
	}
	return found, nil
}

// chosen keeps the candidates that are named, all when none is. Those that are
// here already count where their entries are to be taken out.
func chosen(all []importer.Candidate, w intakeWish) ([]importer.Choice, error) {
	as := make(map[string]string)
	for _, name := range w.servers {
		name, here, _ := strings.Cut(name, "=")
		as[name] = here
	}
	choices := []importer.Choice{}
	named := make(map[string]bool)
	for _, c := range all {
		names := []string{c.Name}
		for _, s := range c.Sources {
			names = append(names, s.Entry)
		}
		i := slices.IndexFunc(names, func(name string) bool { _, ok := as[name]; return ok })
		switch {
		case len(as) == 0 && c.Problem == "" && (c.Existing == "" || w.takeOut):
			choices = append(choices, importer.Choice{ID: c.ID})
		case i >= 0:
			choices = append(choices, importer.Choice{ID: c.ID, Name: as[names[i]]})
			named[names[i]] = true
		}
	}
	for name := range as {
		if !named[name] {
			return nil, fault.New(fault.NotFound, "no server %q was found there", name)
		}
	}
	return choices, nil
}

func (p *program) bringIn(ctx context.Context, client *instance.Client, q importer.Request, w intakeWish) error {
	if len(q.Choices) == 0 {
		return p.say(importer.Report{Servers: []importer.Result{}, Removed: []importer.Removal{}}, "There is no server to bring in.\n")
	}
	ask := func(dry bool) (r importer.Report, err error) {
		body := struct {
			importer.Request
			DryRun bool `json:"dry_run"`
		}{q, dry}
		err = client.Do(ctx, http.MethodPost, "/api/editors/import", body, &r)
		return r, err
	}
	if !w.yes && !w.dry {
		if !p.asks || w.text == "-" {
			return usage{fmt.Errorf("nobody can be asked here; look with --dry-run, then add --yes")}
		}
		would, err := ask(true)
		if err != nil {
			return err
		}
		p.printArrivals(would)
		if !p.confirm("Bring them in?") {
			return fault.New(fault.Denied, "nothing was brought in")
		}
	}
	report, err := ask(w.dry)
	if err != nil {
		return err
	}
	if p.json {
		err = p.printJSON(report)
	} else {
		p.printArrivals(report)
	}
	if err == nil && slices.ContainsFunc(report.Servers, func(a importer.Result) bool { return a.Status == "failed" }) {
		return exitCode(exitFailed)
	}
	return err
}

func (p *program) printArrivals(r importer.Report) {
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "SERVER\tSTATUS\tTO THE KEYCHAIN\tNOTE")
	for _, a := range r.Servers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cell(a.Name), a.Status, cell(strings.Join(a.Moved, ", ")), cell(a.Problem))
	}
	_ = table.Flush()
	for _, t := range r.Removed {
		p.printf("out of %s: %s", tilde(t.Path), strings.Join(t.Entries, ", "))
		if t.Problem != "" {
			p.printf("  %s", t.Problem)
		}
		if t.Change != "" {
			p.printf("  (take it back with: agent-discover editors undo %s)", t.Change)
		}
		p.printf("\n")
	}
}

func (p *program) exportServers() *cobra.Command {
	return &cobra.Command{
		Use: "export EDITOR [SERVER...]", Short: "Print servers of the hub as an editor's configuration holds them", Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: p.completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := p.client(cmd.Context())
			if err != nil {
				return err
			}
			query := url.Values{"editor": {args[0]}, "servers": {strings.Join(args[1:], ",")}}
			var exported importer.Exported
			if err := client.Do(cmd.Context(), http.MethodGet, "/api/editors/export?"+query.Encode(), nil, &exported); err != nil {
				return err
			}
			if p.json {
				return p.printJSON(exported)
			}
			for _, left := range exported.Left {
				_, _ = fmt.Fprintln(p.err, safetext.Prose(left))
			}
			p.output(strings.TrimSuffix(exported.Text, "\n"))
			return nil
		},
	}
}
