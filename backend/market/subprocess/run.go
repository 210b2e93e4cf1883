// Package subprocess runs the programs that the marketplace needs, such as package managers and container engines. It
// reports their output with secrets redacted, and ends all processes that they leave behind.
package subprocess

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxOutput is the maximum number of bytes that Run returns from the end of a program's output.
const maxOutput = 1000

// tail is a writer that keeps the last maxOutput bytes.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if over := len(*t) - maxOutput; over > 0 {
		*t = (*t)[over:]
	}
	return len(p), nil
}

// lines is a writer that calls report for each complete line.
type lines struct {
	report func(line string)
	open   []byte // the current line, which has not ended yet
}

// maxLine is the length in bytes at which a line is reported although it has not ended.
const maxLine = 2000

func (l *lines) Write(p []byte) (int, error) {
	l.open = append(l.open, p...)
	for {
		// Programs that draw a progress bar end their lines with \r.
		end := bytes.IndexAny(l.open, "\r\n")
		if end < 0 && len(l.open) < maxLine {
			return len(p), nil
		}
		rest := end + 1
		if end < 0 {
			end, rest = len(l.open), len(l.open)
		}
		if text := strings.TrimSpace(strings.ToValidUTF8(string(l.open[:end]), "")); text != "" {
			l.report(text)
		}
		l.open = append(l.open[:0], l.open[rest:]...)
	}
}

// Run runs a program and returns the last part of its output with secrets redacted. It calls report for each line as
// the program writes it, also with secrets redacted. When ctx ends, Run kills the program with all its child
// processes.
func Run(ctx context.Context, env process.Env, report func(line string), name string, args ...string) (string, error) {
	return RunLaunch(ctx, upstream.Launch{Command: name, Args: args, Env: env, Dir: env.Home()}, report)
}

// RunLaunch is Run for a launch, whose files it closes.
func RunLaunch(ctx context.Context, l upstream.Launch, report func(line string)) (string, error) {
	defer func() {
		for _, file := range l.Files {
			_ = file.Close()
		}
	}()
	var output tail
	sink := &lines{report: func(line string) {
		report(secretscan.Redact(line))
		if !strings.HasPrefix(line, "npm http ") { // npm's lines about loaded files do not explain a failure
			_, _ = output.Write([]byte(line + "\n")) // writing to a tail cannot fail
		}
	}}
	cmd, err := program.Command(ctx, l.Environment(), l.Command, l.Args...)
	if err != nil {
		return "", err
	}
	cmd.Dir, cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = l.Dir, l.Files, sink, sink
	cmd.WaitDelay = time.Second // a grandchild may keep the output open
	process.Isolate(cmd)
	mark := process.Mark(cmd)
	cmd.Cancel = func() error { l.Kill(cmd.Process.Pid); return nil }
	if err := cmd.Start(); err != nil {
		return "", err
	}
	id := process.ID{PID: cmd.Process.Pid, Start: process.StartOf(cmd.Process.Pid)}
	_ = process.Adopt(cmd) // if it fails, Kill and Reap still end the program
	if err = cmd.Wait(); errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the program itself succeeded; Reap ends the processes that it left
	}
	process.Reap(process.Tree{ID: id, Mark: mark})
	_, _ = sink.Write([]byte("\n")) // ends the last line
	return secretscan.Redact(strings.TrimSpace(strings.ToValidUTF8(string(output), ""))), err
}
