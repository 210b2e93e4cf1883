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
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// trial is what eval measures, and with what.
type trial struct {
	tools, queries, out, provider string
	limit                         int
}

// verdict is what eval prints with --json.
type verdict struct {
	Tools         int    `json:"tools"`
	Servers       int    `json:"servers"`
	RepeatedIDs   int    `json:"repeated_ids"`
	UnknownLabels int    `json:"unknown_labels"`
	Provider      string `json:"provider"`
	eval.Report
}

func (p *program) eval() *cobra.Command {
	t := trial{limit: eval.Depth}
	cmd := &cobra.Command{
		Use: "eval", Short: "Measure how well the search finds the right tools of a labelled set", Args: cobra.NoArgs,
		Long: `Measure how well the search finds the right tools of a labelled set. Needs no hub and
touches nothing of it.

Both files have one JSON object on each line: tools with id, server, name, description
and input_schema; queries with id, query, relevant (ids of tools, empty when none is
right) and, if you like, kind. Queries are ranked one at a time.`,
		Example: "  agent-discover eval --tools tools.jsonl --queries queries.jsonl --out ranked.jsonl",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.try(cmd.Context(), t) },
	}
	flags := cmd.Flags()
	flags.StringVar(&t.tools, "tools", "", "`FILE` of tools")
	flags.StringVar(&t.queries, "queries", "", "`FILE` of queries with their right tools")
	flags.StringVar(&t.out, "out", "", "write to this `FILE` what was found for each query")
	flags.IntVar(&t.limit, "limit", t.limit, "tools to write for each query")
	flags.StringVar(&t.provider, "provider", "", "who knows what words mean: builtin, none, local or openai; not given: as the hub does")
	_ = cmd.MarkFlagRequired("tools") // they were just defined
	_ = cmd.MarkFlagRequired("queries")
	return cmd
}

func (p *program) try(ctx context.Context, t trial) error {
	if t.limit < 1 {
		return usage{errors.New("--limit must be at least 1")}
	}
	set, err := eval.Read(t.tools, t.queries)
	if err != nil {
		return err
	}
	p.warnOf(set)
	defer p.endProgress()
	how, err := p.searching(t.provider)
	if err != nil {
		return err
	}
	t.provider = how.Provider
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	engine, err := eval.Open(ctx, set.Tools, how, p.progress)
	if err != nil {
		return err
	}
	keep, closeFile, err := t.keep()
	if err != nil {
		return err
	}
	answers, err := eval.Run(ctx, engine, set.Queries, t.limit, keep, p.progress)
	if err = errors.Join(err, closeFile()); err != nil {
		return t.failed(err)
	}
	p.endProgress()
	return p.printVerdict(verdict{
		len(set.Tools), serversOf(set.Tools), set.Repeated, set.Unknown, t.provider, eval.Measure(set.Queries, answers),
	})
}

// searching returns how this user's hub searches, but with another provider of
// meaning where one is given. Nothing else has to be done meanwhile: it may use
// all cores.
func (p *program) searching(provider string) (settings.Search, error) {
	if provider != "" && !slices.Contains(settings.Providers, provider) {
		return settings.Search{}, fault.New(fault.Invalid, "there is no provider %q: builtin, none, local or openai", provider)
	}
	config, err := settings.Load(p.folder.Config())
	if err != nil {
		return settings.Search{}, err
	}
	how := config.Search
	how.Provider, how.Threads = cmp.Or(provider, how.Provider), runtime.GOMAXPROCS(0)
	return how, how.Check()
}

func (p *program) warnOf(set *eval.Set) {
	for _, w := range []struct {
		n    int
		text string
	}{
		{set.Repeated, "tools have the id of an earlier one and are left out"},
		{set.Unknown, "labels name no tool of the set; they count as not found"},
	} {
		if w.n > 0 {
			_, _ = fmt.Fprintf(p.err, "agent-discover: %d %s\n", w.n, w.text)
		}
	}
}

// ranked is a line of --out.
type ranked struct {
	ID         string     `json:"id"`
	Ranked     []eval.Hit `json:"ranked"`
	Found      bool       `json:"found"`
	Confidence string     `json:"confidence"`
	MS         float64    `json:"ms"`
}

// keep returns what writes answers to the file of --out, if there is one.
func (t trial) keep() (each func(eval.Query, eval.Answer) error, end func() error, err error) {
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

func (t trial) failed(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return fault.Wrap(err, fault.Failed, "cannot write %s: %s", t.out, path.Err)
	}
	if errors.Is(err, context.Canceled) {
		return fault.Wrap(err, fault.Failed, "interrupted; not all queries were ranked")
	}
	return err
}

func serversOf(tools []eval.Tool) int {
	seen := make(map[string]bool)
	for _, t := range tools {
		seen[t.Server] = true
	}
	return len(seen)
}

// progress shows how far a long run is, where somebody may be watching.
func (p *program) progress(doing string, done, total int) {
	if step := max(total/100, 1); p.watched && (done%step == 0 || done == total) {
		_, _ = fmt.Fprintf(p.err, "\r\x1b[K%s %d of %d", doing, done, total)
	}
}

func (p *program) endProgress() {
	if p.watched {
		_, _ = fmt.Fprint(p.err, "\r\x1b[K")
	}
}

func (p *program) printVerdict(v verdict) error {
	if p.json {
		return p.printJSON(v)
	}
	p.printf("%s of %s, %s, %d of them without a right tool\n\n",
		counted(v.Tools, "tool", "tools"), counted(v.Servers, "server", "servers"), counted(v.Queries, "query", "queries"), v.NoMatch.Unlabeled)
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "KIND\tQUERIES\tR@1\tR@5\tR@10\tNDCG@10\tMRR")
	for _, m := range append([]eval.Measures{v.All}, v.Kinds...) {
		if m.Kind == "" {
			m.Kind = "(all)"
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", cell(m.Kind), m.Queries, m.R1, m.R5, m.R10, m.NDCG, m.MRR)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	n := v.NoMatch
	p.printf("\nno match    told %s; precision %.3f, recall %.3f; %s lost (%.1f %%)\n",
		counted(n.Told, "time", "times"), n.Precision, n.Recall, counted(n.Lost, "right first hit", "right first hits"), 100*n.LostShare)
	for _, c := range v.Calibration {
		p.printf("%-10s  %s, first hit right: %.3f\n", c.Label, counted(c.Queries, "query", "queries"), c.Right)
	}
	p.printf("latency     median %.2f ms, p95 %.2f ms, max %.2f ms\n", v.Latency.Median, v.Latency.P95, v.Latency.Max)
	return nil
}

// counted writes a number with its noun.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
