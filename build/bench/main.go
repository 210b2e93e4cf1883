// Command bench measures what Agent Discover costs: time and CPU of a call through companion and hub, compared with a
// direct call and with a relay that only copies bytes; start, memory, large results, progress, concurrent calls, search
// of tools and of registries, the copy of a registry, and changes to the files of editors. All variants are measured in
// turn in one run, because the load of a machine varies; compare ratios between runs, not milliseconds.
//
//	go run ./build/bench [-short] [-json FILE] [-against OLDER-BINARY] [-only PARTS]
//
// PARTS are separated by commas: calls, gateway, start, load, rest, editors, discovery, catalog, policy, trust, federation,
// mirror, sandbox, window.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// bench holds the state of one run.
type bench struct {
	self    string // path of this program, which also acts as child and relay
	binary  string // path of the program under test
	against string // path of another build to compare with; may be empty
	short   bool
	scratch string
	report  report
}

func main() {
	if len(os.Args) > 1 {
		if play, ok := roles[os.Args[1]]; ok {
			if err := play(os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, os.Args[1]+":", err)
				os.Exit(1)
			}
			return
		}
	}
	var b bench
	flag.StringVar(&b.binary, "binary", "bin/agent-discover", "the program to measure")
	flag.StringVar(&b.against, "against", "", "another build of it, measured beside the first")
	flag.BoolVar(&b.short, "short", false, "fewer calls: under 20 seconds, rougher figures")
	file := flag.String("json", "", "write the figures to this file as well")
	parts := "calls,gateway,start,load,rest,editors,discovery,catalog,policy,trust,federation,mirror,sandbox"
	if runtime.GOOS == "linux" {
		parts += ",window"
	}
	only := flag.String("only", parts, "the parts to run")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx, *only, *file)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, only, file string) (err error) {
	if err := b.prepare(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	parts := map[string]func(context.Context) error{
		"calls": b.calls, "gateway": b.gateway, "load": b.load, "start": b.start, "rest": b.rest, "editors": b.editors,
		"discovery": b.discovery, "catalog": b.catalog, "policy": b.policy, "trust": b.trust, "federation": b.federation,
		"mirror": b.market, "sandbox": b.confine, "window": b.window,
	}
	for name := range strings.SplitSeq(only, ",") {
		part, ok := parts[name]
		if !ok {
			return fmt.Errorf(
				"unknown part %q; use calls, gateway, start, load, rest, editors, discovery, catalog, policy, trust, federation, "+
					"mirror, sandbox or window", name,
			)
		}
		if err := part(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	b.report.printFigures(os.Stdout)
	if file == "" {
		return nil
	}
	data, err := json.MarshalIndent(b.report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

func (b *bench) prepare() (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	for _, binary := range []*string{&b.binary, &b.against} {
		if *binary == "" {
			continue
		}
		if *binary, err = filepath.Abs(*binary); err != nil {
			return err
		}
		if _, err := os.Stat(*binary); err != nil {
			return fmt.Errorf("%w (build it with: make build)", err)
		}
	}
	version, err := exec.Command(b.binary, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", b.binary, err)
	}
	b.report = report{
		Version: strings.TrimSpace(string(version)), Started: time.Now().UTC(), Short: b.short,
		System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(),
	}
	b.scratch, err = os.MkdirTemp("", "agent-discover-bench-")
	return err
}

// pick returns short in a short run and whole otherwise.
func (b *bench) pick(short, whole int) int {
	if b.short {
		return short
	}
	return whole
}
