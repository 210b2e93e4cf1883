package upstream

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	// labelOfHub marks the containers of one data folder. Its value is the same for each hub of that folder.
	labelOfHub = "agent-discover.hub"
	// labelOfStart marks the container of one start.
	labelOfStart = "agent-discover.start"
	// engineTimeout limits a command that ends containers. Engines may hang.
	engineTimeout = 10 * time.Second
)

// container is a container that the client of a container engine runs. It is not a child of the client, and survives it.
type container struct {
	Engine string `json:"engine"` // the client's program
	// Before are the arguments before the command, which choose the engine. It is nil if they have secrets.
	Before []string `json:"before,omitempty"`
	// Steering are the variables of the server's configuration that choose the engine, without secrets.
	Steering map[string]string `json:"steering,omitempty"`

	args  []string    // the arguments before the command
	name  string      // given by this package; empty if the server's arguments name the container
	start string      // value of labelOfStart
	env   process.Env // environment of the client
}

// labelled gives the container that a launch runs a name, unless its arguments do, and labels. It returns nil if the
// launch runs no container. hub is the value of labelOfHub.
func labelled(l *Launch, configured, filled registry.Server, hub string) *container {
	run := program.ContainerRun(l.Command, l.Args)
	if run < 0 {
		return nil
	}
	c := &container{
		Engine: l.Command, args: slices.Clone(l.Args[:run]), Steering: make(map[string]string), start: strings.ToLower(rand.Text()),
		env: l.Environment(),
	}
	if len(configured.Args) >= run && slices.Equal(configured.Args[:run], c.args) {
		c.Before = c.args
	}
	for name, value := range configured.Env {
		if engineVariable(name) && filled.Env[name] == value {
			c.Steering[name] = value
		}
	}
	added := []string{"--label=" + labelOfHub + "=" + hub, "--label=" + labelOfStart + "=" + c.start}
	if !slices.ContainsFunc(program.RunOptions(l.Args[run+1:]), func(o program.Option) bool { return o.Name == "--name" }) {
		c.name = "agent-discover-" + containerName(configured.Name) + "-" + c.start[:8]
		added = append(added, "--name="+c.name)
	}
	l.Args = slices.Concat(l.Args[:run+1], added, l.Args[run+1:])
	return c
}

// engineVariable reports whether a variable chooses the container engine.
func engineVariable(name string) bool {
	return slices.ContainsFunc([]string{"DOCKER_", "CONTAINER_", "CONTAINERS_", "CONTAINERD_", "PODMAN_", "NERDCTL_"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// containerName returns the characters of a server's name that names of containers may have.
func containerName(server string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return -1
	}, server)
}

// stop asks the engine to stop the container, and to kill it soon if it does not end.
func (c *container) stop() { c.end("stop", "-t", "1") }

// kill asks the engine to kill the container.
func (c *container) kill() { c.end("kill") }

// end runs a command of the engine for the container. It ignores errors: usually the container has ended already.
func (c *container) end(command ...string) {
	names := []string{c.name}
	if c.name == "" { // a container that has the name, but not the label, is not the server's
		names, _ = c.running(labelOfStart + "=" + c.start)
	}
	if len(names) > 0 {
		_, _ = c.run(append(command, names...)...)
	}
}

// survives reports whether the container may run although its client has ended: if the client was killed, or has lost
// the engine. status is that of the client.
func (c *container) survives(status error) bool {
	var exit *exec.ExitError
	if errors.As(status, &exit) {
		return exit.ExitCode() < 0 || exit.ExitCode() == 125 // clients exit with 125 if the engine fails
	}
	return status != nil
}

// running returns the ids of the running containers that have a label.
func (c *container) running(label string) ([]string, error) {
	out, err := c.run("ps", "-q", "--filter", "label="+label)
	return strings.Fields(out), err
}

// run runs the client of the engine and returns its output.
func (c *container) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	cmd, err := program.Command(ctx, c.env, c.Engine, slices.Concat(c.args, args)...)
	if err != nil {
		return "", err
	}
	process.Isolate(cmd)
	cmd.Cancel = func() error { process.Kill(cmd.Process.Pid); return nil }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	return string(out), err
}

// hubLabel returns the value of labelOfHub for a file in the data folder.
func hubLabel(file string) string {
	sum := sha256.Sum256([]byte(file))
	return hex.EncodeToString(sum[:8])
}
