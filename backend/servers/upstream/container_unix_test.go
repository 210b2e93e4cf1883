//go:build unix

package upstream_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// addContainer adds a server that runs in a container of an engine, and calls it.
func (b *bench) addContainer(e *mcptest.Engine, name string, args ...string) registry.Server {
	b.t.Helper()
	s, err := b.servers.Add(b.t.Context(), registry.Server{
		Name: name, Approved: true, Command: e.Client, Args: args, Env: map[string]string{"DOCKER_SOCK": e.Socket},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// only returns the only running container.
func only(t *testing.T, e *mcptest.Engine) *mcptest.Container {
	t.Helper()
	running := slices.DeleteFunc(e.Containers(), func(c *mcptest.Container) bool { return !c.Running() })
	if len(running) != 1 {
		t.Fatalf("%d containers run", len(running))
	}
	return running[0]
}

func TestAContainerThatIgnoresTheEndOfItsInputIsStoppedByItsName(t *testing.T) {
	e := mcptest.NewEngine(t)
	b := start(t, settings.Limits{})
	b.addContainer(e, "my.box", "run", "-i", "--rm", "image", "-stubborn")
	c := only(t, e)
	if !c.Has("--name=agent-discover-my.box-") || !c.Has("--label=agent-discover.hub=") {
		t.Errorf("it was run with %q", c.Options)
	}
	b.Stop("my.box")
	<-c.Done
	if commands := e.Commands(); len(commands) != 1 || !strings.HasPrefix(commands[0], "stop -t 1 agent-discover-my.box-") {
		t.Errorf("the engine was told %q", commands)
	}
}

func TestAContainerWithANameOfItsOwnIsEndedByItsLabel(t *testing.T) {
	e := mcptest.NewEngine(t)
	b := start(t, settings.Limits{})
	b.addContainer(e, "s", "run", "-i", "--name", "mine", "image", "-stubborn")
	c := only(t, e)
	if c.Has("--name=") {
		t.Errorf("it was run with %q", c.Options)
	}
	b.Stop("s")
	<-c.Done
	if commands := e.Commands(); len(commands) != 2 || commands[1] != "stop -t 1 mine" {
		t.Errorf("the engine was told %q", commands)
	}
}

func TestAContainerThatEndsByItselfNeedsNoCommand(t *testing.T) {
	upstream.AllowExits(t, time.Minute)
	e := mcptest.NewEngine(t)
	b := start(t, settings.Limits{})
	b.addContainer(e, "s", "run", "-i", "image")
	c := only(t, e)
	b.Stop("s")
	<-c.Done
	if commands := e.Commands(); len(commands) > 0 {
		t.Errorf("the engine was told %q", commands)
	}
}

func TestTheContainerOfAKilledClientIsKilled(t *testing.T) {
	e := mcptest.NewEngine(t)
	b := start(t, settings.Limits{})
	b.addContainer(e, "s", "run", "-i", "image", "-stubborn")
	c := only(t, e)
	if err := syscall.Kill(b.State("s").PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.Done
}

func TestContainersOfAKilledHubAreEndedByTheNext(t *testing.T) {
	e := mcptest.NewEngine(t)
	file := filepath.Join(t.TempDir(), "children.json")
	in := func(o *upstream.Options) { o.Children = file }
	first := start(t, settings.Limits{}, in)
	first.addContainer(e, "s", "run", "-i", "image", "-stubborn")
	left := only(t, e)
	foreign := start(t, settings.Limits{}) // another data folder
	foreign.addContainer(e, "other", "run", "-i", "image", "-stubborn")
	list, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list = []byte(strings.ReplaceAll(string(list), `"pid":`, `"was":`)) // the client has ended with the killed hub
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, settings.Limits{}, in)
	<-left.Done
	if only(t, e) == left {
		t.Error("the container still runs")
	}
}
