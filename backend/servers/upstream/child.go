package upstream

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// child is the link to a server that runs as a child process.
type child struct {
	cmd      *exec.Cmd
	input    io.Closer
	box      *container // nil unless the process is the client of a container engine that runs one
	tree     process.Tree
	seen     atomic.Pointer[[]process.ID] // helpers (descendants of the process) that ran when stop was called
	exited   chan struct{}                // closed when the process and its helpers have ended, or were given up
	status   error                        // exit status of the process; valid once exited is closed
	kill     func(pid int)                // Launch.Kill, except in tests
	grace    time.Duration                // how long the process may take to exit after its input or output was closed
	lost     chan struct{}                // closed when the process did not end although it was killed
	once     sync.Once                    // closes lost
	stopping sync.Once                    // asks the engine to stop the container
}

// errNotEnded is the status of a process that the system did not end.
var errNotEnded = errors.New("the system did not end the process")

// spawn starts the child process of a session.
func (s *session) spawn(ctx *starting, at *slot, env process.Env) error {
	launch, err := s.confined(ctx, at, env)
	if err != nil {
		return notStarted(err, fault.KindOf(err), "Failed to activate %q: %s", s.server.Name, s.redactor.Text(fault.MessageOf(err)))
	}
	defer closeAll(launch.Files...)
	s.advice = launch.Advice
	user := launch.Env
	box := labelled(&launch, s.server, s.filled, hubLabel(s.manager.children.file))
	cmd, err := program.Command(context.Background(), launch.Environment(), launch.Command, launch.Args...)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return s.manager.notFound(s.server)
	case err != nil:
		return notStarted(err, fault.KindOf(err), "Failed to activate %q: %s", s.server.Name, fault.MessageOf(err))
	}
	cmd.Dir, cmd.ExtraFiles = launch.Dir, launch.Files
	process.Isolate(cmd)
	mark := process.Mark(cmd)
	s.manager.children.endOrphans()
	if box != nil {
		s.manager.children.endContainers(func() process.Env { return user })
	}
	if err := s.manager.capacity.occupy(s.server); err != nil {
		return err
	}
	in, stdout, stderr, err := startPiped(cmd, launch.Wrapped)
	if err != nil {
		s.manager.capacity.vacate()
		return notStarted(err, fault.Failed, "Failed to activate %q: could not start %q: %s",
			s.server.Name, cmd.Path, cmp.Or(errors.Unwrap(err), err))
	}
	if err := process.Adopt(cmd); err != nil {
		s.manager.log.Warn("a child process would outlive a killed hub", "server", s.server.Name, "error", err)
	}
	if launch.Started != nil {
		launch.Started(cmd.Process.Pid)
	}
	tree := process.Tree{
		ID:   process.ID{PID: cmd.Process.Pid, Start: process.StartOf(cmd.Process.Pid)},
		Mark: mark, Pipes: []*os.File{stdout, stderr},
	}
	s.manager.children.add(tree, box)
	wait := exitGrace
	if program.RunsContainers(s.filled.Command) {
		wait = engineGrace
	}
	s.attach(&child{
		cmd: cmd, input: in, box: box, tree: tree,
		exited: make(chan struct{}), kill: launch.Kill, grace: wait, lost: make(chan struct{}),
	}, in, stdout, stderr, writes{ctx})
	return nil
}

// attach connects a session with the pipes of its child process, until the process has exited and its output has been
// read. What it writes to standard error is also written to written.
func (s *session) attach(c *child, in io.Writer, stdout, stderr *os.File, written io.Writer) {
	s.assemble(c, jsonrpc.NewConn(stdout, in, s.inbox, jsonrpc.Options{
		LineLimit: maxFirstLine, RememberOwners: rememberedOwners, Budget: s.manager.budget, Join: true, Tap: s.tap,
	}))
	s.manager.work.Go(func() {
		_ = s.conn.Run(context.Background()) // returns when the child's output ends
	})
	quiet := make(chan struct{})
	s.manager.work.Go(func() {
		defer close(quiet)
		_, _ = io.Copy(io.MultiWriter(s.stderr.tail, s.stderr.lines, written), stderr)
	})
	s.manager.work.Go(func() {
		c.awaitExit(s.conn.Done())
		// Read the rest of the output. Then the pipes end, unless a descendant that was not found still has them
		// open.
		for pipe, ended := range map[*os.File]<-chan struct{}{stdout: s.conn.Done(), stderr: quiet} {
			within(drainGrace, ended)
			_ = pipe.Close()
		}
		<-s.conn.Done()
		s.stderr.lines.close()
		s.manager.children.remove(c.tree.ID)
		s.manager.capacity.vacate()
		close(c.exited)
	})
}

// startPiped starts a command with pipes for its standard streams. The pipes that
// package exec makes for output stay open until every process has closed them, and a
// process that the command has started may outlive the command.
func startPiped(cmd *exec.Cmd, wrapped bool) (in io.WriteCloser, stdout, stderr *os.File, err error) {
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	stderr, errs, err := os.Pipe()
	if err != nil {
		closeAll(stdout, out)
		return nil, nil, nil, err
	}
	defer closeAll(out, errs)
	cmd.Stdout, cmd.Stderr = out, errs
	if in, err = cmd.StdinPipe(); err == nil && wrapped {
		err = process.StartShielded(cmd)
	} else if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		closeAll(stdout, stderr)
		return nil, nil, nil, err
	}
	return in, stdout, stderr, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// awaitExit waits for the process to exit and then ends its helpers, which are its descendants. A process that has
// closed its output can no longer answer, so it has to exit soon.
func (c *child) awaitExit(closed <-chan struct{}) {
	ended := make(chan struct{})
	var status error
	go func() {
		status = c.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-c.lost:
	case <-closed:
		c.stopContainer(ended)
		if !within(c.grace, ended) {
			process.Terminate(c.pid())
			if !within(exitGrace, ended) {
				c.kill(c.pid())
				within(killGrace, ended)
			}
		}
	}
	select {
	case <-ended:
		c.status = status
	default:
		c.status = errNotEnded
	}
	if c.box != nil && c.box.survives(c.status) {
		c.box.kill()
	}
	tree := c.tree
	if seen := c.seen.Load(); seen != nil {
		tree.Seen = *seen
	}
	process.Reap(tree)
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) gone() <-chan struct{} { return c.exited }

// stopContainer has the engine stop the child's container, if the child does not end soon. Then the child ends, too.
func (c *child) stopContainer(ended <-chan struct{}) {
	if c.box != nil && !within(exitGrace, ended) {
		c.stopping.Do(c.box.stop)
	}
}

// stop closes the child's input. If the child does not exit, stop has its container stopped, and sends SIGTERM and
// then SIGKILL to the child's process group. It returns when the child has ended, or
// when the system has not ended it within killGrace.
func (c *child) stop() {
	seen := c.tree.Members() // while the helpers can still be found by their parents
	c.seen.Store(&seen)
	_ = c.input.Close()
	c.stopContainer(c.exited)
	if !within(c.grace, c.exited) {
		process.Terminate(c.pid())
		if !within(exitGrace, c.exited) {
			c.kill(c.pid())
			if !within(killGrace, c.exited) {
				c.once.Do(func() { close(c.lost) })
			}
		}
	}
	<-c.exited
}

func (c *child) ending() ending {
	select {
	case <-c.exited:
	default:
		return ending{how: "its output closed"}
	}
	var exit *exec.ExitError
	switch {
	case c.status == nil:
		return ending{how: "exit status 0"}
	case errors.As(c.status, &exit):
		return ending{how: exit.Error(), cause: c.status}
	}
	return ending{how: "its exit status is unknown", cause: c.status}
}

// notFound returns the error for a command that is not in PATH.
func (m *Manager) notFound(v registry.Server) error {
	advice, name := "", program.Name(v.Command)
	if product, ok := program.ProductOf(name); ok {
		advice = " — install " + product.Name
		if product.Instead != "" {
			advice += " or " + product.Instead
		} else {
			advice += " (its " + name + " must be on your login shell's PATH)"
		}
	}
	if m.login != nil && m.login() != nil {
		advice = " — " + m.login().Error() + ". Correct the shell's start-up files, then: agent-discover restart"
	}
	return notStarted(exec.ErrNotFound, fault.Failed, "Failed to activate %q: command %q not found on PATH%s. Original: spawn %s ENOENT",
		v.Name, v.Command, advice, v.Command)
}
