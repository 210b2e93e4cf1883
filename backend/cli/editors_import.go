package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// importFlags is the flags of editors import.
type importFlags struct {
	all, yes, dry, takeOut, plain bool
	text, bundle                  string
	servers, values, valueFiles   []string
}

func (c editorCommands) importServers() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "import EDITOR... | --all", Short: "Import the servers that editors have", ValidArgsFunction: completeEditors,
		Long: `Import servers from editors, from text (--text) or from a bundle (--bundle). Servers
that several editors have are imported once, and their credentials are stored as
secrets. No server is started. With --take-out, the servers are removed from the
editors afterwards, which can be undone. What the servers would run is shown, and they are
imported after you have answered on the terminal. With --yes nobody sees it, so they wait
for approval, and their entries stay in the editors until then.`,
		Example: "  agent-discover editors import --all --dry-run\n  agent-discover editors import cursor --server github --take-out\n" +
			"  pbpaste | agent-discover editors import --text - --yes\n  agent-discover editors import --bundle files.mcpb --set directory=/home/me",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			q, err := c.importRequest(cmd.Context(), client, f, "", args)
			if err != nil {
				return err
			}
			return c.runImport(cmd.Context(), client, q, f)
		},
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "all editors on this machine")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "import without asking; the servers wait for your approval")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "only show what would be imported")
	cmd.Flags().BoolVar(&f.takeOut, "take-out", false, "remove the imported servers from the editors")
	cmd.Flags().BoolVar(&f.plain, "plain-text", false, "keep credentials readable in the configuration if they cannot be stored as secrets")
	cmd.Flags().StringArrayVar(&f.servers, "server", nil, "import only the server `NAME`, or under another name with NAME=NEW; may be repeated")
	cmd.Flags().StringVar(&f.text, "text", "", "import from the text in `FILE`: a configuration, a part of one, or a command line; - for standard input")
	cmd.Flags().StringVar(&f.bundle, "bundle", "", "import from the bundle `FILE` (.mcpb or .dxt)")
	cmd.Flags().StringArrayVar(&f.values, "set", nil, "set an option that the bundle asks for, as `KEY=VALUE`; may be repeated")
	cmd.Flags().StringArrayVar(&f.valueFiles, "set-file", nil, "set an option to the content of a file, as `KEY=FILE`; - for standard input")
	return cmd
}

func (f *importFlags) check(args []string) error {
	sources := 0
	for _, given := range []bool{f.all, len(args) > 0, f.text != "", f.bundle != ""} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return usagef("name one source: ids from agent-discover editors list, --all, --text FILE or --bundle FILE")
	}
	return nil
}

// importRequest reads the sources, or the text if it is not empty, and selects the servers to import.
func (c editorCommands) importRequest(ctx context.Context, client *instance.Client, f importFlags, text string, ids []string) (importer.Request, error) {
	q := importer.Request{Text: text, RemoveEntries: f.takeOut, PlainText: f.plain}
	var err error
	if q.Values, err = c.given(f); err != nil {
		return q, err
	}
	if f.bundle != "" {
		if q.Bundle, err = existing(f.bundle); err != nil {
			return q, err
		}
	}
	if f.text != "" {
		if q.Text, err = c.readText(f.text); err != nil {
			return q, err
		}
	}
	found, err := candidates(ctx, client, q, ids)
	if err != nil {
		return q, err
	}
	for _, problem := range found.Problems {
		c.notef("left out: %s: %s\n", tilde(problem.Path), problem.Error)
	}
	q.Choices, err = f.choose(found.Candidates)
	if err == nil && len(q.Choices) > 0 && c.interactive {
		err = c.askFor(ctx, found.Questions, q.Values)
	}
	for _, left := range f.left(found.Candidates, q.Choices) {
		c.notef("left out: %s\n", left)
	}
	for _, candidate := range found.Candidates {
		if names := entries(candidate); len(names) > 1 && slices.ContainsFunc(q.Choices, func(c importer.Choice) bool { return c.ID == candidate.ID }) {
			c.notef("imported once, because they are the same: %s\n", cell(strings.Join(names, ", ")))
		}
	}
	return q, err
}

// entries returns the names that the editors have for a server.
func entries(candidate importer.Candidate) []string {
	var names []string
	for _, s := range candidate.Sources {
		if s.Entry != "" && !slices.Contains(names, s.Entry) {
			names = append(names, s.Entry)
		}
	}
	return names
}

// left describes the candidates that are not imported, and why.
func (f importFlags) left(all []importer.Candidate, chosen []importer.Choice) []string {
	var out []string
	for _, candidate := range all {
		if slices.ContainsFunc(chosen, func(c importer.Choice) bool { return c.ID == candidate.ID }) {
			continue
		}
		why := candidate.Problem
		switch {
		case why != "":
		case candidate.Existing != "":
			why = "it is already configured as " + candidate.Existing
		default:
			why = "--server does not name it"
		}
		name, places := candidate.Name, []string{}
		for _, s := range candidate.Sources {
			if candidate.Existing != "" {
				name = s.Entry
			}
			if s.Name != "" && !slices.Contains(places, s.Name) {
				places = append(places, s.Name)
			}
		}
		if len(places) > 0 {
			name += " (" + strings.Join(places, ", ") + ")"
		}
		out = append(out, cell(name)+": "+cell(why))
	}
	return out
}

// readText returns the content of a file, or of standard input for "-".
func (c editorCommands) readText(file string) (string, error) {
	if file == "-" {
		data, err := io.ReadAll(io.LimitReader(c.in, 1<<20))
		return string(data), err
	}
	path, err := existing(file)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not read %s", path)
	}
	return string(data), nil
}

// candidates asks the hub which servers the text or bundle of a request
// contains, or otherwise the editors with these ids, or all editors without ids.
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
		for _, candidate := range some.Candidates {
			if !seen[candidate.ID] {
				found.Candidates = append(found.Candidates, candidate)
			}
			seen[candidate.ID] = true
		}
	}
	return found, nil
}

// choose returns the candidates that --server selects, or all that can be
// imported. With --take-out, it includes servers that are configured already,
// because their entries are to be removed.
func (f importFlags) choose(all []importer.Candidate) ([]importer.Choice, error) {
	newNames := make(map[string]string)
	for _, name := range f.servers {
		name, newName, _ := strings.Cut(name, "=")
		newNames[name] = newName
	}
	choices := []importer.Choice{}
	matched := make(map[string]bool)
	for _, candidate := range all {
		names := []string{candidate.Name}
		for _, s := range candidate.Sources {
			names = append(names, s.Entry)
		}
		i := slices.IndexFunc(names, func(name string) bool { _, ok := newNames[name]; return ok })
		switch {
		case len(newNames) == 0 && candidate.Problem == "" && (candidate.Existing == "" || f.takeOut):
			choices = append(choices, importer.Choice{ID: candidate.ID})
		case i >= 0:
			choices = append(choices, importer.Choice{ID: candidate.ID, Name: newNames[names[i]]})
			matched[names[i]] = true
		}
	}
	for name := range newNames {
		if !matched[name] {
			return nil, fault.New(fault.NotFound, "no server %q was found; to list the servers that can be imported, use --dry-run without --server", name)
		}
	}
	return choices, nil
}

// runImport shows what would be imported, asks for confirmation, and imports.
func (c editorCommands) runImport(ctx context.Context, client *instance.Client, q importer.Request, f importFlags) error {
	if len(q.Choices) == 0 {
		return c.respond(importer.Report{Servers: []importer.Result{}, Removed: []importer.Removal{}}, "No servers to import.\n")
	}
	run := func(client *instance.Client, dry bool) (r importer.Report, err error) {
		body := struct {
			importer.Request
			DryRun bool `json:"dry_run"`
		}{q, dry}
		err = client.Do(ctx, http.MethodPost, "/api/editors/import", body, &r)
		return r, err
	}
	var report importer.Report
	err := error(nil)
	if f.yes || f.dry {
		report, err = run(client, f.dry)
	} else {
		report, err = c.importSeen(ctx, client, run)
	}
	if err != nil {
		return err
	}
	switch {
	case c.json && f.dry:
		err = c.printJSON(wouldBe(report))
	case c.json:
		err = c.printJSON(report)
	case f.yes || f.dry:
		c.printLaunches(report)
		fallthrough
	default: // the launches were shown before the question
		c.printImport(report)
	}
	if err == nil && slices.ContainsFunc(report.Servers, func(s importer.Result) bool { return s.Status == "failed" }) {
		return exitCode(exitFailed)
	}
	return err
}

// importSeen shows what would be imported to a person at the terminal, and imports it
// for that person.
func (c editorCommands) importSeen(ctx context.Context, client *instance.Client, run func(client *instance.Client, dry bool) (importer.Report, error)) (report importer.Report, err error) {
	preview, err := run(client, true)
	if err != nil {
		return report, err
	}
	var text strings.Builder
	shown := *c.program
	shown.out, shown.outTerminal, shown.colour = &text, false, false
	editorCommands{&shown}.printLaunches(preview)
	editorCommands{&shown}.printImport(preview)
	switch yes, err := c.askPerson(ctx, text.String(), "Import these servers?"); {
	case errors.Is(err, errNoPerson):
		return report, usagef("there is no terminal, so the import cannot be confirmed; check it with --dry-run, then add --yes, and approve the servers in the dashboard")
	case err != nil:
		return report, err
	case !yes:
		return report, fault.New(fault.Denied, "nothing was imported")
	}
	err = decided(ctx, client, func(client *instance.Client) error {
		report, err = run(client, false)
		return err
	})
	return report, err
}

// wouldBe returns the report of a dry run with statuses that say so.
func wouldBe(r importer.Report) importer.Report {
	r.Servers = slices.Clone(r.Servers)
	for i, s := range r.Servers {
		if s.Status != importer.Existing {
			r.Servers[i].Status = wouldStatus(s.Status)
		}
	}
	return r
}

// wouldStatus is outcome for programs, after a dry run.
func wouldStatus(status string) string { return strings.ReplaceAll(outcome(status, true), " ", "_") }

// printLaunches prints for each server what it would run, what it could do, and
// what is suspicious or not imported.
func (c editorCommands) printLaunches(r importer.Report) {
	for _, s := range r.Servers {
		if s.Status == importer.Existing {
			continue
		}
		r := setup.Runs{Transport: "stdio", Command: s.Launch.Command, Args: s.Launch.Args, Env: s.Launch.Env, URL: s.Launch.URL, Headers: s.Launch.Headers}
		if s.Launch.URL != "" {
			r.Transport = "remote"
		}
		c.printf("%s", launched(cell(s.Name)+":\n", r, nil, &s.Risk))
		for _, warning := range s.Warnings {
			c.printf("Note: %s\n", cell(warning))
		}
		if s.Waiting && s.Status == importer.Imported {
			c.printf("Note: it waits for your approval; to approve it: agent-discover servers approve %s\n", cell(s.Name))
		}
		c.printf("\n")
	}
}

// outcome describes what happened to a server, or would happen to it.
func outcome(status string, dry bool) string {
	switch {
	case dry && status == importer.Imported:
		return "would be imported"
	case dry && status == importer.Failed:
		return "would fail"
	case status == importer.Existing:
		return "already configured"
	}
	return status
}

func (c editorCommands) printImport(r importer.Report) {
	table := c.table("SERVER", "STATUS", "STORED AS SECRETS", "NOTE")
	for _, s := range r.Servers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cell(s.Name), outcome(s.Status, r.DryRun), cell(strings.Join(s.Moved, ", ")), cell(s.Problem))
	}
	_ = table.Flush()
	var changes []string
	for _, removal := range r.Removed {
		verb := map[bool]string{true: "would be removed from", false: "removed from"}[r.DryRun]
		if removal.Problem != "" && removal.Change == "" {
			verb = "stays in"
		}
		c.printf("%s %s: %s", verb, tilde(removal.Path), cell(strings.Join(removal.Entries, ", ")))
		if removal.Problem != "" {
			c.printf("  %s", cell(removal.Problem))
		}
		if removal.Change != "" {
			c.printf("  (to undo: agent-discover editors undo %s)", removal.Change)
			changes = append(changes, removal.Change)
		}
		c.printf("\n")
	}
	if len(changes) > 0 {
		c.printf("The removed entries are kept for that, with their credentials encrypted. To delete them:\n  agent-discover editors history --forget %s\n", strings.Join(changes, " "))
	}
}
