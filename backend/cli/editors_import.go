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

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// importFlags is the flags of editors import.
type importFlags struct {
	all, yes, dry, takeOut bool
	text, bundle           string
	servers, values        []string
}

func (c editorCommands) importServers() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "import EDITOR... | --all", Short: "Import the servers that editors have", ValidArgsFunction: completeEditors,
		Long: `Import servers from editors, from text (--text) or from a bundle (--bundle). Servers
that several editors have are imported once, and their credentials are stored as
secrets. No server is started. With --take-out, the servers are removed from the
editors afterwards, which can be undone.`,
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
			q, err := c.importRequest(cmd.Context(), client, f, args)
			if err != nil {
				return err
			}
			return c.runImport(cmd.Context(), client, q, f)
		},
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "all editors on this machine")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "import without asking")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "only show what would be imported")
	cmd.Flags().BoolVar(&f.takeOut, "take-out", false, "remove the imported servers from the editors")
	cmd.Flags().StringArrayVar(&f.servers, "server", nil, "import only the server `NAME`, or under another name with NAME=NEW; may be repeated")
	cmd.Flags().StringVar(&f.text, "text", "", "import from the text in `FILE`: a configuration, a part of one, or a command line; - for standard input")
	cmd.Flags().StringVar(&f.bundle, "bundle", "", "import from the bundle `FILE` (.mcpb or .dxt)")
	cmd.Flags().StringArrayVar(&f.values, "set", nil, "set an option that the bundle asks for, as `KEY=VALUE`; may be repeated")
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

// importRequest reads the sources and selects the servers to import.
func (c editorCommands) importRequest(ctx context.Context, client *instance.Client, f importFlags, ids []string) (importer.Request, error) {
	q := importer.Request{RemoveEntries: f.takeOut, Values: map[string]string{}}
	for _, pair := range f.values {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return q, usagef("--set %q must have the form KEY=VALUE", key)
		}
		q.Values[key] = value
	}
	var err error
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
		c.notef("%s: %s\n", tilde(problem.Path), problem.Error)
	}
	q.Choices, err = f.choose(found.Candidates)
	return q, err
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
	run := func(dry bool) (r importer.Report, err error) {
		body := struct {
			importer.Request
			DryRun bool `json:"dry_run"`
		}{q, dry}
		err = client.Do(ctx, http.MethodPost, "/api/editors/import", body, &r)
		return r, err
	}
	if !f.yes && !f.dry {
		if !c.interactive || f.text == "-" {
			return usagef("standard input is not a terminal, so the import cannot be confirmed; check it with --dry-run, then add --yes")
		}
		preview, err := run(true)
		if err != nil {
			return err
		}
		editorCommands{c.prompting()}.printImport(preview)
		if !c.confirm("Import these servers?") {
			return fault.New(fault.Denied, "nothing was imported")
		}
	}
	report, err := run(f.dry)
	if err != nil {
		return err
	}
	if c.json {
		err = c.printJSON(report)
	} else {
		c.printImport(report)
	}
	if err == nil && slices.ContainsFunc(report.Servers, func(s importer.Result) bool { return s.Status == "failed" }) {
		return exitCode(exitFailed)
	}
	return err
}

func (c editorCommands) printImport(r importer.Report) {
	table := c.table("SERVER", "STATUS", "STORED AS SECRETS", "NOTE")
	for _, s := range r.Servers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cell(s.Name), s.Status, cell(strings.Join(s.Moved, ", ")), cell(s.Problem))
	}
	_ = table.Flush()
	for _, removal := range r.Removed {
		c.printf("removed from %s: %s", tilde(removal.Path), strings.Join(removal.Entries, ", "))
		if removal.Problem != "" {
			c.printf("  %s", removal.Problem)
		}
		if removal.Change != "" {
			c.printf("  (to undo: agent-discover editors undo %s)", removal.Change)
		}
		c.printf("\n")
	}
}
