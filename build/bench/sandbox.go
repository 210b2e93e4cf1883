package main

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// targetConfined is the time in ms by which a sandbox may delay the start of a server.
const targetConfined = 30

// confine measures by how much a sandbox delays the start of a program, in the home folder of the person who runs this.
func (b *bench) confine(ctx context.Context) error {
	helper := []string{b.binary, confinement.HelperCommand}
	text, _ := sandbox.Describe(helper)
	fmt.Printf("\nsandbox: %s\n", text)
	of := sandbox.New(sandbox.Options{
		Helper: helper, Data: filepath.Join(b.scratch, "confined"), Folder: filepath.Join(b.scratch, "confined", "sandbox"),
		Bus: new(events.Bus), Log: slog.New(slog.DiscardHandler),
	})
	took := make(map[string][]float64)
	for range b.pick(10, 60) { // in turn, because the load of the machine changes
		for _, level := range registry.Levels {
			began := time.Now()
			server := registry.Server{Name: "measured", Transport: "stdio", Command: "true", Sandbox: level}
			l, err := of.Confine(ctx, server.Name, server, upstream.Launch{Command: "true", Env: process.Clean()})
			if err != nil {
				return err
			}
			cmd := exec.CommandContext(ctx, process.Clean().LookPath(l.Command), l.Args...)
			cmd.Env, cmd.ExtraFiles = l.Env, l.Files
			err = cmd.Run()
			for _, file := range l.Files {
				_ = file.Close()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", level, err)
			}
			took[level] = append(took[level], ms(time.Since(began)))
		}
	}
	for _, times := range took {
		slices.Sort(times)
	}
	for _, level := range registry.Levels[1:] {
		middle := len(took[level]) / 2
		b.report.add("start of a program with the sandbox "+level+": added", took[level][middle]-took[registry.Unconfined][middle], "ms",
			targetConfined, "difference of medians")
	}
	return nil
}
