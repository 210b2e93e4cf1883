//go:build unix

package upstream_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func paused(t *testing.T, what string, err error) {
	t.Helper()
	if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.MessageOf(err), "paused by the user; resume") {
		t.Errorf("%s: %v", what, err)
	}
}

func TestAPausedManagerStartsNothing(t *testing.T) {
	b := start(t, settings.Limits{IdleStop: 1}) // the manager looks for idle servers all the time
	s, never := b.add("s"), b.add("never")
	if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	transient := registry.Server{Name: "__transient__x", Transport: "stdio", Approved: true, Command: s.Command, Args: s.Args}
	if err := b.Start(t.Context(), transient); err != nil {
		t.Fatal(err)
	}
	if _, err := b.servers.Update(t.Context(), "s", func(v *registry.Server) { v.KeepRunning = true }); err != nil {
		t.Fatal(err)
	}
	if err := b.Pause(); err != nil {
		t.Fatal(err)
	}
	if !b.Paused() || b.State("s").Running || b.State(transient.Name).Running {
		t.Error("the manager is not paused, or a server still runs")
	}
	for name, v := range map[string]registry.Server{
		"one that ran": s, "one that never ran": never, "a transient one": transient, "a new transient one": {
			Name: "__transient__y", Transport: "stdio", Approved: true, Command: s.Command, Args: s.Args,
		},
	} {
		_, err := b.call(v, "echo", `{"text":"x"}`)
		if v.ID != 0 || v.Name == transient.Name {
			paused(t, "a call of "+name, err)
		}
		paused(t, "a start of "+name, b.Start(t.Context(), v))
		_, err = b.Check(t.Context(), v)
		paused(t, "a check of "+name, err)
	}
	health := func(name string) registry.Health {
		v, err := b.servers.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		return v.Health
	}
	if h := health("never"); h.Errors != 0 || h.LastError != "" || !h.CheckedAt.IsZero() {
		t.Errorf("the pause changed the health of the server: %+v", h)
	}
	for len(b.states) > 0 {
		<-b.states
	}
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	// Servers with KeepRunning start again after Resume.
	for state := range b.states {
		if state.Name == "s" && state.Running {
			break
		}
	}
	if _, err := b.call(never, "echo", `{"text":"x"}`); err != nil {
		t.Error(err)
	}
	if h := health("s"); h.Errors != 0 {
		t.Errorf("the pause changed the health of the server: %+v", h)
	}
}

func TestPauseCancelsAStart(t *testing.T) {
	begun := make(chan struct{})
	b := start(t, settings.Limits{StartTimeout: time.Hour}, func(o *upstream.Options) {
		o.Environment = func(context.Context) process.Env { close(begun); return process.Clean() }
	})
	said := b.starting(b.add("mute", "-mute"))
	<-begun
	if err := b.Pause(); err != nil {
		t.Fatal(err)
	}
	paused(t, "the start", <-said)
}

func TestPauseLetsACallEnd(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	news, stop := events.Subscribe[upstream.PauseChanged](b.bus, 1)
	defer stop()
	type said struct {
		result string
		err    error
	}
	answered := make(chan said, 1)
	go func() {
		result, err := b.call(s, "read", `{"path":"`+pipe+`"}`)
		answered <- said{string(result), err}
	}()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // blocks until the call reads
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- b.Pause() }()
	<-news // PauseChanged is published before any server has ended
	_, err = b.call(s, "echo", `{"text":"x"}`)
	paused(t, "another call", err)
	_, _ = writer.WriteString("in peace")
	_ = writer.Close()
	if a := <-answered; a.err != nil || !strings.Contains(a.result, "in peace") {
		t.Errorf("the call got %s, %v", a.result, a.err)
	}
	if err := <-ended; err != nil || b.State("s").Running {
		t.Errorf("%v; the server still runs: %+v", err, b.State("s"))
	}
}

func TestASavedPauseAppliesFromTheStart(t *testing.T) {
	var kept []bool
	full := false
	b := start(t, settings.Limits{}, func(o *upstream.Options) {
		o.Pause = upstream.PauseSetting{Paused: true, Save: func(paused bool) error {
			if full {
				return errors.New("disk full")
			}
			kept = append(kept, paused)
			return nil
		}}
	})
	s := b.add("s")
	paused(t, "a start", b.Start(t.Context(), s))
	full = true
	if err := b.Resume(); fault.KindOf(err) != fault.Unavailable || !b.Paused() {
		t.Errorf("pause setting that cannot be saved: %v", err)
	}
	full = false
	if err := errors.Join(b.Resume(), b.Start(t.Context(), s), b.Pause(), b.Pause()); err != nil {
		t.Error(err)
	}
	if len(kept) != 3 || kept[0] || !kept[1] {
		t.Errorf("kept: %v", kept)
	}
	fresh := b.add("fresh")
	b.stop()
	if err := b.Resume(); err != nil {
		t.Error(err)
	}
	for _, v := range []registry.Server{s, fresh} {
		if err := b.Start(t.Context(), v); err == nil || !strings.Contains(fault.MessageOf(err), "stopping") {
			t.Errorf("after the manager has stopped, Resume let %s start: %v", v.Name, err)
		}
	}
}
