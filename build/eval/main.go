// Command eval compares our search with the queries of the original and of the
// nearest rival, on every labelled set at hand, all by the same measures, and
// prints tables in Markdown.
//
// AGENT_DISCOVER_SHARED, else ../shared, names the folder with the sets. The
// flag -readme FILE puts the tables between the markers in FILE, too.
//
// With -calibrate it fits what the verdicts of our search are made with to all
// sets instead, and prints how that does and the constants for
// backend/discovery/search/confidence.go.
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
	readme := flag.String("readme", "", "file whose tables are replaced")
	fits := flag.Bool("calibrate", false, "fit the constants of verdicts")
	var at levels
	flag.Float64Var(&at.found, "found", 0.16, "with -calibrate: the chance of a right tool below which no match is told")
	flag.Float64Var(&at.medium, "medium", 0.45, "with -calibrate: the chance that the first hit is right from which it is no guess")
	flag.Float64Var(&at.high, "high", 0.76, "with -calibrate: the same, from which it is trusted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := func() error { return run(ctx, *readme) }
	if *fits {
		do = func() error { return calibrate(ctx, os.Stdout, at) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, readme string) error {
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
	text := tables(trials)
	fmt.Print(text)
	if readme == "" {
		return nil
	}
	return replace(readme, text)
}

// The engines, in the order of the columns.
const (
	original = iota
	nearest
	byWords
	byMeaning
	engines
)

// trial is what the engines made of a set; nil where an engine is not there.
type trial struct {
	set
	answers [engines][]eval.Answer
}

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

// The markers stand on lines of their own.
const (
	begins = "<!-- make eval writes what follows -->\n"
	ends   = "<!-- until here -->\n"
)

func replace(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, opened := bytes.Cut(old, []byte(begins))
	_, after, closed := bytes.Cut(rest, []byte(ends))
	if !opened || !closed {
		return errors.New(path + " has no markers for the tables")
	}
	return os.WriteFile(path, bytes.Join([][]byte{before, []byte(begins), []byte(text), []byte(ends), after}, nil), 0o644)
}
