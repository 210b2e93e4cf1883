// Command eval compares the search of Agent Discover with those of agent-discover 1.4 (SQLite FTS5) and mcpproxy-go
// (bleve) on all labelled sets of tools and queries, and prints the quality of their answers as Markdown tables.
//
// The sets are in the folder bench of AGENT_DISCOVER_SHARED, by default ../shared. With -readme FILE, the tables
// also replace those between the markers in FILE.
//
// With -calibrate, the command instead fits the constants in backend/discovery/search/confidence.go to all sets,
// and prints the constants and how well they predict.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

func main() {
	readme := flag.String("readme", "", "replace the tables in this file")
	saved := flag.String("save", "", "write the places of the right tools to this file, to compare with later")
	fits := flag.Bool("calibrate", false, "fit the constants of confidence.go")
	var at levels
	flag.Float64Var(&at.found[0], "few", 0.07, "with -calibrate: the least probability of a right tool for a match among few tools")
	flag.Float64Var(&at.found[1], "many", 0.46, "with -calibrate: the same among many tools")
	flag.Float64Var(&at.medium, "medium", 0.45, "with -calibrate: the least probability that the first hit is right for medium confidence")
	flag.Float64Var(&at.high, "high", 0.76, "with -calibrate: the least probability that the first hit is right for high confidence")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := func() error { return run(ctx, *readme, *saved) }
	if *fits {
		do = func() error { return calibrate(ctx, os.Stdout, at) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// run measures all engines on all sets and prints the tables. It also writes the tables to the file readme, and the
// ranks of the right tools to the file saved, unless these names are empty.
func run(ctx context.Context, readme, saved string) error {
	all, err := sets()
	if err != nil {
		return err
	}
	var trials []trial
	for _, s := range all {
		fmt.Fprintln(os.Stderr, "eval:", s.name)
		t, err := try(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		trials = append(trials, t)
	}
	if saved != "" {
		if err := save(saved, trials); err != nil {
			return err
		}
	}
	former, err := readBefore(published)
	if err != nil {
		return fmt.Errorf("read testdata/published.tsv: %w", err)
	}
	text := tables(trials) + former.changes(trials) + "\n"
	fmt.Print(text)
	if readme == "" {
		return nil
	}
	return replace(readme, text)
}

// The engines, in the order of the columns of the first table.
const (
	original = iota
	nearest
	byWords
	byMeaning
	engines
)

// trial is a set and the answers of each engine; nil for engines that were not
// run.
type trial struct {
	set
	answers [engines][]eval.Answer
}

// try runs all engines on a set.
func try(ctx context.Context, s set) (trial, error) {
	t := trial{set: s}
	words, meaning := settings.Default().Search, settings.Default().Search
	words.Provider, meaning.Threads = settings.ProviderNone, runtime.GOMAXPROCS(0)
	open := [engines]func() (eval.Engine, error){
		original:  func() (eval.Engine, error) { return newFTS5(s.Tools) },
		nearest:   func() (eval.Engine, error) { return newRival(s.Tools) },
		byWords:   func() (eval.Engine, error) { return eval.Open(ctx, s.Tools, words, nil) },
		byMeaning: func() (eval.Engine, error) { return eval.Open(ctx, s.Tools, meaning, nil) },
	}
	for i, engine := range open {
		e, err := engine()
		if err != nil {
			return t, err
		}
		if t.answers[i], err = eval.Run(ctx, e, s.Queries, eval.Depth, nil, nil); err != nil {
			return t, err
		}
	}
	return t, nil
}

// The markers around the tables in a file. Each is a line of its own.
const (
	begins = "<!-- make eval writes what follows -->\n"
	ends   = "<!-- until here -->\n"
)

// replace replaces the text between the markers in a file.
func replace(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, opened := bytes.Cut(old, []byte(begins))
	_, after, closed := bytes.Cut(rest, []byte(ends))
	if !opened || !closed {
		return errors.New(path + ": no markers for the tables")
	}
	return os.WriteFile(path, bytes.Join([][]byte{before, []byte(begins), []byte(text), []byte(ends), after}, nil), 0o644)
}
