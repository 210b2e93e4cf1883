package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

type evalFlags struct {
	tools, queries, out, provider string
	limit                         int
}

// evalResult is the output of eval --json.
type evalResult struct {
	Tools         int    `json:"tools"`
	Servers       int    `json:"servers"`
	RepeatedIDs   int    `json:"repeated_ids"`
	UnknownLabels int    `json:"unknown_labels"`
	Provider      string `json:"provider"`
	eval.Report
}

// evalCommand is the command eval. It needs no hub and does not start one.
type evalCommand struct{ p *program }

func (c evalCommand) command() *cobra.Command {
	t := evalFlags{limit: eval.Depth}
	cmd := &cobra.Command{
		Use: "eval", Short: "Measure the quality of the search on a labelled set", Args: cobra.NoArgs,
		Long: `Measure how well the search finds the right tools of a labelled set. The configured
servers and the hub are neither used nor changed.

Both files contain one JSON object per line. A tool has the fields id, server, name,
description and input_schema. A query has id, query, relevant (the ids of the right
tools; empty if there is none) and optionally kind.

Printed are recall (R@1, R@5, R@10), NDCG@10 and MRR for each kind of query, how
reliable "no match" and the confidence labels are, and the latency.`,
		Example: "  agent-discover eval --tools tools.jsonl --queries queries.jsonl --out ranked.jsonl",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context(), t) },
	}
	flags := cmd.Flags()
	flags.StringVar(&t.tools, "tools", "", "`FILE` with the tools")
	flags.StringVar(&t.queries, "queries", "", "`FILE` with the queries and their right tools")
	flags.StringVar(&t.out, "out", "", "write the ranked tools of each query to `FILE`")
	flags.IntVar(&t.limit, "limit", t.limit, "write at most `N` tools for each query to the file of --out")
	flags.StringVar(&t.provider, "provider", "",
		"embedding `PROVIDER`: builtin, none, local or openai (default: search.provider in config.yaml)")
	_ = cmd.MarkFlagRequired("tools") // cannot fail: the flags are defined above
	_ = cmd.MarkFlagRequired("queries")
	return cmd
}

func (c evalCommand) run(ctx context.Context, t evalFlags) error {
	if t.limit < 1 {
		return usagef("--limit must be at least 1")
	}
	set, err := eval.Read(t.tools, t.queries)
	if err != nil {
		return err
	}
	c.warn(set)
	defer c.endProgress()
	how, err := c.searchSettings(t.provider)
	if err != nil {
		return err
	}
	t.provider = how.Provider
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	engine, err := eval.Open(ctx, set.Tools, how, c.progress)
	if err != nil {
		return err
	}
	write, closeFile, err := t.writer()
	if err != nil {
		return err
	}
	answers, err := eval.Run(ctx, engine, set.Queries, t.limit, write, c.progress)
	if err = errors.Join(err, closeFile()); err != nil {
		return t.failed(err)
	}
	c.endProgress()
	servers := make(map[string]bool)
	for _, tool := range set.Tools {
		servers[tool.Server] = true
	}
	return c.printResult(evalResult{
		len(set.Tools), len(servers), set.Repeated, set.Unknown, t.provider, eval.Measure(set.Queries, answers),
	})
}

// searchSettings returns the search settings of config.yaml, with another
// provider if one is given. The search may use all cores.
func (c evalCommand) searchSettings(provider string) (settings.Search, error) {
	if provider != "" && !slices.Contains(settings.Providers, provider) {
		return settings.Search{}, fault.New(fault.Invalid, "unknown provider %q: use builtin, none, local or openai", provider)
	}
	config, err := settings.Load(c.p.folder.Config())
	if err != nil {
		return settings.Search{}, err
	}
	how := config.Search
	how.Provider, how.Threads = cmp.Or(provider, how.Provider), runtime.GOMAXPROCS(0)
	return how, how.Check()
}

func (c evalCommand) warn(set *eval.Set) {
	for _, w := range []struct {
		n    int
		text string
	}{
		{set.Repeated, "tools were skipped because an earlier tool has the same id"},
		{set.Unknown, "labels name a tool that is not in the set; they count as not found"},
	} {
		if w.n > 0 {
			c.p.notef("agent-discover: %d %s\n", w.n, w.text)
		}
	}
}

// ranked is a line of the file that --out names.
type ranked struct {
	ID         string     `json:"id"`
	Ranked     []eval.Hit `json:"ranked"`
	Found      bool       `json:"found"`
	Confidence string     `json:"confidence"`
	MS         float64    `json:"ms"`
}

// writer creates the file that --out names. It returns the function each, which
// appends an answer to the file, and the function end, which closes the file.
// Without --out, each is nil and end does nothing.
func (t evalFlags) writer() (each func(eval.Query, eval.Answer) error, end func() error, err error) {
	if t.out == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.Create(t.out)
	if err != nil {
		return nil, nil, t.failed(err)
	}
	buffer := bufio.NewWriter(f)
	lines := json.NewEncoder(buffer)
	lines.SetEscapeHTML(false)
	each = func(q eval.Query, a eval.Answer) error {
		hits := append([]eval.Hit{}, a.Hits[:min(len(a.Hits), t.limit)]...)
		return lines.Encode(ranked{q.ID, hits, a.Found, a.Confidence, eval.Milliseconds(a.Took)})
	}
	return each, func() error { return errors.Join(buffer.Flush(), f.Close()) }, nil
}

// failed returns the error of a failed run with a message that users understand.
func (t evalFlags) failed(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return fault.Wrap(err, fault.Failed, "could not write %s: %s", t.out, path.Err)
	}
	if errors.Is(err, context.Canceled) {
		return fault.Wrap(err, fault.Failed, "interrupted before all queries were ranked")
	}
	return err
}

// progress prints the progress of a long run on one line, if standard error is a
// terminal.
func (c evalCommand) progress(doing string, done, total int) {
	if step := max(total/100, 1); c.p.errTerminal && (done%step == 0 || done == total) {
		_, _ = fmt.Fprintf(c.p.err, "\r\x1b[K%s %d of %d", doing, done, total)
	}
}

func (c evalCommand) endProgress() {
	if c.p.errTerminal {
		_, _ = fmt.Fprint(c.p.err, "\r\x1b[K")
	}
}

func (c evalCommand) printResult(v evalResult) error {
	if c.p.json {
		return c.p.printJSON(v)
	}
	c.p.printf("%s of %s, %s (%d without a right tool)\n\n",
		counted(v.Tools, "tool", "tools"), counted(v.Servers, "server", "servers"), counted(v.Queries, "query", "queries"),
		v.NoMatch.Unlabeled)
	table := c.p.table("KIND", "QUERIES", "R@1", "R@5", "R@10", "NDCG@10", "MRR")
	for _, m := range append([]eval.Measures{v.All}, v.Kinds...) {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", cell(cmp.Or(m.Kind, "(all)")), m.Queries,
			m.R1, m.R5, m.R10, m.NDCG, m.MRR)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	n := v.NoMatch
	c.p.printf("\nno match    reported %s; precision %.3f, recall %.3f; %s lost (%.1f %%)\n",
		counted(n.Told, "time", "times"), n.Precision, n.Recall, counted(n.Lost, "right first hit", "right first hits"), 100*n.LostShare)
	for _, label := range v.Calibration {
		c.p.printf("%-10s  %s, first hit right: %.3f\n", label.Label, counted(label.Queries, "query", "queries"), label.Right)
	}
	c.p.printf("latency     median %.2f ms, p95 %.2f ms, max %.2f ms\n", v.Latency.Median, v.Latency.P95, v.Latency.Max)
	return nil
}
