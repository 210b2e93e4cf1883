package mcptest

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Engine is a container engine whose containers run the server of this package. Like those of a real engine, they are
// no children of the client that runs them, and end only when the engine ends them or when they end by themselves.
type Engine struct {
	Client string // path of the client, which is named docker
	Socket string // value of DOCKER_SOCK in the environment of the client

	t          testing.TB
	mu         sync.Mutex
	containers []*Container
	commands   []string
}

// Container is a container of an Engine.
type Container struct {
	Options []string // the options of the command run
	Done    chan struct{}
	process *os.Process
}

// Has reports whether the container was run with an option that begins with a text.
func (c *Container) Has(option string) bool {
	return slices.ContainsFunc(c.Options, func(o string) bool { return strings.HasPrefix(o, option) })
}

// Running reports whether the container has not ended.
func (c *Container) Running() bool {
	select {
	case <-c.Done:
		return false
	default:
		return true
	}
}

// NewEngine starts an engine, which ends all of its containers at the end of the test. The arguments of the command run
// after the image are flags of the server.
func NewEngine(t testing.TB) *Engine {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "engine") // paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{Client: filepath.Join(dir, "docker"), Socket: filepath.Join(dir, "sock"), t: t}
	if err := os.Symlink(program, e.Client); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", e.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = listener.Close()
		for _, c := range e.Containers() {
			_ = c.process.Kill()
			<-c.Done
		}
		_ = os.RemoveAll(dir)
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go e.serve(program, conn)
		}
	}()
	return e
}

// Containers returns all containers that were run.
func (e *Engine) Containers() []*Container {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.containers)
}

// Commands returns all commands but run that the engine was given.
func (e *Engine) Commands() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.commands)
}

func (e *Engine) serve(program string, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	input := bufio.NewReader(conn)
	line, _ := input.ReadBytes('\n')
	var args []string
	if json.Unmarshal(line, &args) != nil || len(args) == 0 {
		return
	}
	if args[0] == "run" {
		e.run(program, args[1:], conn, input)
		return
	}
	e.mu.Lock()
	e.commands = append(e.commands, strings.Join(args, " "))
	e.mu.Unlock()
	for _, c := range e.Containers() {
		name := ""
		for i, option := range c.Options {
			if value, found := strings.CutPrefix(option, "--name="); found {
				name = value
			} else if option == "--name" && i+1 < len(c.Options) {
				name = c.Options[i+1]
			}
		}
		switch {
		case !c.Running():
		case args[0] == "ps" && c.Has("--"+args[len(args)-1]):
			_, _ = io.WriteString(conn, name+"\n")
		case (args[0] == "kill" || args[0] == "stop") && slices.Contains(args, name):
			_ = c.process.Kill()
			<-c.Done
		}
	}
}

func (e *Engine) run(program string, args []string, conn net.Conn, input io.Reader) {
	image := slices.Index(args, "image")
	if image < 0 {
		e.t.Errorf("docker run without image: %q", args)
		return
	}
	cmd := exec.Command(program, append([]string{name}, args[image+1:]...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		e.t.Error(err)
		return
	}
	cmd.Stdout = conn
	if err := cmd.Start(); err != nil {
		e.t.Error(err)
		return
	}
	c := &Container{Options: args[:image], Done: make(chan struct{}), process: cmd.Process}
	e.mu.Lock()
	e.containers = append(e.containers, c)
	e.mu.Unlock()
	go func() {
		_, _ = io.Copy(in, input)
		_ = in.Close()
	}()
	_ = cmd.Wait()
	close(c.Done)
}

// client is the client of an Engine. It sends the engine its arguments and input, and ends with the container.
func client() {
	conn, err := net.Dial("unix", os.Getenv("DOCKER_SOCK"))
	if err != nil {
		_, _ = io.WriteString(os.Stderr, "docker: Cannot connect to the Docker daemon at unix:///nowhere.sock. "+
			"Is the docker daemon running?\n\nRun 'docker run --help' for more information\n")
		exit(125)
	}
	args, _ := json.Marshal(os.Args[1:])
	_, _ = conn.Write(append(args, '\n'))
	if os.Args[1] == "run" {
		go func() {
			_, _ = io.Copy(conn, os.Stdin)
			_ = conn.(*net.UnixConn).CloseWrite()
		}()
	}
	_, _ = io.Copy(os.Stdout, conn)
	exit(0)
}
