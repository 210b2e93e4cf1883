package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// importFlags holds the flags of editors import.
type importFlags struct {
	all, sources, yes, dry, takeOut, plain bool
	text, bundle                           string
	servers, values, valueFiles            []string
}

func (c editorCommands) importServers() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "import EDITOR... | --all | --sources", Short: "Import the servers that editors have", ValidArgsFunction: completeEditors,
		Long: `Import servers from editors, from text (--text), from a bundle (--bundle), or from the
editors and files that discovery.sources of config.yaml names (--sources). Servers that
several editors have are imported once, and their credentials are stored as secrets. With
--take-out, the servers are removed from the editors afterwards, which would otherwise
start each of them a second time; this can be undone. What the servers would run is shown,
and they are imported after you have answered on the terminal. Then each is started once in
the background, so that agents find its tools. With --yes nobody sees what they run, so
they wait for approval, and their entries stay in the editors until then.`,
		Example: "  agent-discover editors import --all --dry-run\n  agent-discover editors import cursor --server github --take-out\n" +
			"  pbpaste | agent-discover editors import --text - --yes\n  agent-discover editors import --bundle files.mcpb --set " +
			"directory=/home/me",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if f.sources {
				return c.importSources(cmd.Context(), client, f)
			}
			return c.importFrom(cmd.Context(), client, f, "", args)
		},
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "all editors on this machine")
	cmd.Flags().BoolVar(&f.sources, "sources", false, "the editors and files in discovery.sources of config.yaml")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "import without asking; the servers wait for your approval")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "only show what would be imported")
	cmd.Flags().BoolVar(&f.takeOut, "take-out", false, "remove the imported servers from the editors")
	cmd.Flags().BoolVar(&f.plain, "plain-text", false, "keep credentials readable in the configuration if they cannot be stored as secrets")
	cmd.Flags().StringArrayVar(&f.servers, "server", nil,
		"import only the server `NAME`, or under another name with NAME=NEW; may be repeated")
	cmd.Flags().StringVar(&f.text, "text", "",
		"import from the text in `FILE`: a configuration, a part of one, or a command line; - for standard input")
	cmd.Flags().StringVar(&f.bundle, "bundle", "", "import from the bundle `FILE` (.mcpb or .dxt)")
	cmd.Flags().StringArrayVar(&f.values, "set", nil, "set an option that the bundle asks for, as `KEY=VALUE`; may be repeated")
	cmd.Flags().StringArrayVar(&f.valueFiles, "set-file", nil,
		"set an option to the content of a file, as `KEY=FILE`; - for standard input")
	return cmd
}

// importFrom imports the selected servers of one source: the file of --text or --bundle, the parameter text if it is not
// empty, or else the editors with the given ids.
func (c editorCommands) importFrom(ctx context.Context, client *instance.Client, f importFlags, text string, ids []string) error {
	q, found, err := c.importRequest(ctx, client, f, text, ids)
	if err != nil {
		return err
	}
	if len(q.Choices) > 0 {
		return c.runImport(ctx, client, q, f)
	}
	err = c.p.respond(importer.Report{Servers: []importer.Result{}, Removed: []importer.Removal{}}, "No servers to import.\n")
	unusable := func(candidate importer.Candidate) bool { return candidate.Problem != "" }
	if err == nil && !f.all && (len(found.Problems) > 0 || slices.ContainsFunc(found.Candidates, unusable)) {
		return exitCode(exitFailed) // importRequest has printed what was left out
	}
	return err
}

// importSources imports from the editors and files that the settings name.
func (c editorCommands) importSources(ctx context.Context, client *instance.Client, f importFlags) error {
	s, err := settings.Load(c.p.folder.Config())
	if err != nil {
		return err
	}
	if len(s.Discovery.Sources) == 0 {
		return fault.New(fault.NotFound, "no sources are configured; name editors and files in discovery.sources of %s",
			c.p.folder.Config())
	}
	var editors []string
	var failed exitCode // of a source; the others are imported nevertheless
	for _, source := range s.Discovery.Sources {
		if source.Editor != "" {
			editors = append(editors, source.Editor)
			continue
		}
		file := f
		file.text = source.File
		if err := c.importFrom(ctx, client, file, "", nil); err != nil && !errors.As(err, &failed) {
			return err
		}
	}
	if len(editors) > 0 {
		if err := c.importFrom(ctx, client, f, "", editors); err != nil {
			return err
		}
	}
	if failed != 0 {
		return failed
	}
	return nil
}

func (f *importFlags) check(args []string) error {
	sources := 0
	for _, given := range []bool{f.all, f.sources, len(args) > 0, f.text != "", f.bundle != ""} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return usagef("name one source: ids from agent-discover editors list, --all, --sources, --text FILE or --bundle FILE")
	}
	return nil
}

// importRequest returns a request to import the selected servers of one source, with everything that was found there. The
// source is as in importFrom. It prints what is left out, and why.
func (c editorCommands) importRequest(ctx context.Context, client *instance.Client, f importFlags, text string,
	ids []string,
) (q importer.Request, found operations.Scanned, err error) {
	q = importer.Request{Text: text, RemoveEntries: f.takeOut, PlainText: f.plain}
	if q.Values, err = c.given(f); err != nil {
		return q, found, err
	}
	if f.bundle != "" {
		if q.Bundle, err = existing(f.bundle); err != nil {
			return q, found, err
		}
	}
	if f.text != "" {
		if q.Text, err = c.readText(f.text); err != nil {
			return q, found, err
		}
	}
	found, err = candidates(ctx, client, q, ids)
	if err != nil {
		return q, found, err
	}
	for _, problem := range found.Problems {
		c.p.notef("left out: %s: %s\n", tilde(problem.Path), problem.Error)
	}
	q.Choices, err = f.choose(found.Candidates)
	if err == nil && len(q.Choices) > 0 && c.p.interactive {
		err = c.askFor(ctx, found.Questions, q.Values)
	}
	for _, left := range f.left(found.Candidates, q.Choices) {
		c.p.notef("left out: %s\n", left)
	}
	for _, candidate := range found.Candidates {
		if names := entries(candidate); len(names) > 1 &&
			slices.ContainsFunc(q.Choices, func(c importer.Choice) bool { return c.ID == candidate.ID }) {
			c.p.notef("imported once, because they are the same: %s\n", cell(strings.Join(names, ", ")))
		}
	}
	return q, found, err
}

// readText returns the content of a file, or of standard input for "-".
func (c editorCommands) readText(file string) (string, error) {
	if file == "-" {
		data, err := io.ReadAll(io.LimitReader(c.p.in, 1<<20))
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

// runImport shows what would be imported, asks for confirmation, and imports.
func (c editorCommands) runImport(ctx context.Context, client *instance.Client, q importer.Request, f importFlags) error {
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
		if q.RemoveEntries, err = c.askTakeOut(ctx, q, f); err != nil {
			return err
		}
		report, err = c.importSeen(ctx, client, run)
	}
	if err != nil {
		return err
	}
	switch {
	case c.p.json && f.dry:
		err = c.p.printJSON(wouldBe(report))
	case c.p.json:
		err = c.p.printJSON(report)
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

// askTakeOut returns whether to remove the imported servers from the editors. It asks the person at the terminal
// unless --take-out is set or the servers do not come from editors.
func (c editorCommands) askTakeOut(ctx context.Context, q importer.Request, f importFlags) (bool, error) {
	if f.takeOut || q.Text != "" || q.Bundle != "" {
		return f.takeOut, nil
	}
	yes, err := c.p.askPerson(ctx, "",
		"Remove the imported servers from the editors, which would start each of them a second time? You can undo that.")
	if errors.Is(err, errNoPerson) { // importSeen reports that there is no terminal
		return false, nil
	}
	return yes, err
}

// importSeen shows the person at the terminal what would be imported and, if the person
// agrees, imports it on behalf of that person.
func (c editorCommands) importSeen(ctx context.Context, client *instance.Client,
	run func(client *instance.Client, dry bool) (importer.Report, error),
) (report importer.Report, err error) {
	preview, err := run(client, true)
	if err != nil || !preview.Changes() {
		return preview, err
	}
	var text strings.Builder
	shown := *c.p
	shown.out, shown.outTerminal, shown.colour = &text, false, false
	editorCommands{&shown}.printLaunches(preview)
	editorCommands{&shown}.printImport(preview)
	switch yes, err := c.p.askPerson(ctx, text.String(), "Import these servers?"); {
	case errors.Is(err, errNoPerson):
		return report, usagef("there is no terminal, so the import cannot be confirmed; check it with --dry-run, then add --yes, and " +
			"approve the servers in the dashboard")
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
