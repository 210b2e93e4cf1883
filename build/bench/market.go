package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Targets for the copy of a registry with marketServers servers.
const (
	marketServers      = 30_000
	targetMirror       = 60  // s until the copy is complete
	targetMirrorMemory = 100 // MB that the process has at most
	targetMarketSearch = 20  // ms per search, 95th percentile
	targetFirstSearch  = 1500
)

// mirrored is what a process in the role play-mirror reports after each step.
type mirrored struct {
	Seconds float64
	Took    []float64 // ms of each search
	First   float64   // ms of the first search, which builds the index
	Bytes   int64     // size of the database
}

// market measures the copy of a registry: how long it takes to read all servers, and to search them.
func (b *bench) market(ctx context.Context) error {
	count := b.pick(5_000, marketServers)
	server, address, err := playing(b.self, "play-registry", fmt.Sprint(count))
	if err != nil {
		return err
	}
	defer server.end()
	file := b.scratch + "/market.db"
	first, err := b.mirror(ctx, file, address, "none", "refresh", "search", "refresh")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("copy of a registry with %d servers: ", count)
	b.report.add(name+"read it for the first time", first.steps[0].Seconds, "s", targetMirror, "database of %.0f MB",
		megabytes(first.steps[0].Bytes))
	b.report.add(name+"memory at most while it is read", megabytes(first.peaks[0]), "MB", targetMirrorMemory, "")
	b.report.add(name+"look for changes", first.steps[2].Seconds, "s", 0, "")
	b.report.addMirrorSearches(name, "words", first, 1)
	if _, err := b.mirror(ctx, file, address, "none", "vectors"); err != nil {
		return err
	}
	second, err := b.mirror(ctx, file, address, "builtin", "search")
	if err != nil {
		return err
	}
	b.report.addMirrorSearches(name, "words and meaning", second, 0)
	return nil
}

// addMirrorSearches reports how long the searches of a step took, and the memory of the process after them.
func (r *report) addMirrorSearches(name, kind string, run *mirrorRun, step int) {
	took := run.steps[step].Took
	slices.Sort(took)
	r.add(name+"search by "+kind+", p95", at(took, 0.95), "ms", targetMarketSearch, "of %d, median %.2f", len(took), at(took, 0.5))
	r.add(name+"first search by "+kind, run.steps[step].First, "ms", targetFirstSearch, "it builds the index")
	r.add(name+"memory at rest after searches by "+kind, megabytes(run.after[step]), "MB", targetMirrorMemory, "%.0f MB at most",
		megabytes(run.peaks[step]))
}

// mirrorRun is the outcome of a process in the role play-mirror.
type mirrorRun struct {
	steps        []mirrored
	peaks, after []int64 // largest and present memory after each step, in bytes
}

// mirror runs steps in a separate process and returns what it reports. The steps are "refresh", "search" and "vectors".
func (b *bench) mirror(ctx context.Context, file, address, provider string, steps ...string) (_ *mirrorRun, err error) {
	command := exec.CommandContext(ctx, b.self, "play-mirror", file, address, provider, fmt.Sprint(b.pick(100, 400)))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close(), command.Wait()) }()
	answers := json.NewDecoder(out)
	run := &mirrorRun{}
	for _, step := range steps {
		if _, err := fmt.Fprintln(in, step); err != nil {
			return nil, err
		}
		var done mirrored
		if err := answers.Decode(&done); err != nil {
			return nil, fmt.Errorf("%s: %w", step, err)
		}
		now, peak := memory(command.Process.Pid)
		run.steps, run.peaks, run.after = append(run.steps, done), append(run.peaks, peak), append(run.after, now)
	}
	return run, nil
}

// player is a process of this program in another role.
type player struct {
	command *exec.Cmd
	in      io.Closer
}

// playing starts this program in a role that prints its address and ends when its standard input ends.
func playing(self, role string, args ...string) (*player, string, error) {
	command := exec.Command(self, append([]string{role}, args...)...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := command.Start(); err != nil {
		return nil, "", err
	}
	p := &player{command, in}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.end()
		return nil, "", fmt.Errorf("%s: %w", role, err)
	}
	return p, strings.TrimSpace(address), nil
}

func (p *player) end() {
	_ = p.in.Close()
	_ = p.command.Wait() // its exit code does not matter
}
