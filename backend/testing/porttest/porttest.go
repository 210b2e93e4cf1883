// Package porttest makes another program take a TCP port. The program is the test binary itself, which the init function
// of this package turns into a program that only listens.
package porttest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// These environment variables hold the address on which the program listens, and the user that it becomes first.
const (
	addressVariable = "PORTTEST_ADDRESS"
	userVariable    = "PORTTEST_USER"
)

func init() {
	if address := os.Getenv(addressVariable); address != "" {
		listen(address, os.Getenv(userVariable))
	}
}

// listen listens on an address until the input ends, and exits.
func listen(address, user string) {
	if err := become(user); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// Program is another program that listens on a port.
type Program struct {
	PID  int
	Port int
	end  func()
}

// End ends the program, and returns when its port is free.
func (p *Program) End() { p.end() }

// Take starts a program that listens on an address until the test or Program.End ends it. user is the numeric id of the
// user of the program, or "" for that of the test; for another user, the test is skipped unless it runs as root.
func Take(t testing.TB, address, user string) *Program {
	t.Helper()
	if user != "" && os.Geteuid() != 0 {
		t.Skip("only root can start a program of another user")
	}
	p, err := Start(address, user)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.End)
	return p
}

// Start is like Take for callers that have no test. They have to call End.
func Start(address, user string) (*Program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), addressVariable+"="+address, userVariable+"="+user)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Program{PID: cmd.Process.Pid, end: func() { _, _ = in.Close(), cmd.Wait() }}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if at, err := net.ResolveTCPAddr("tcp", strings.TrimSpace(line)); err == nil && at.Port > 0 {
		p.Port = at.Port
		return p, nil
	}
	p.End()
	return nil, fmt.Errorf("another program could not listen on %s: %s", address, line)
}
