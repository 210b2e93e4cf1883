package companion

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// hanging is the environment variable that makes the test binary act as a hub that hangs. Its value is the data folder.
const hanging = "AGENT_DISCOVER_TEST_HANGS"

func TestMain(m *testing.M) {
	if folder := paths.Folder(os.Getenv(hanging)); folder != "" {
		if err := hang(folder); err != nil {
			_, _ = io.WriteString(os.Stdout, err.Error())
		}
		_, _ = io.WriteString(os.Stdout, "ready\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hang announces a hub that accepts connections and answers nothing.
func hang(folder paths.Folder) error {
	lock, err := instance.Acquire(folder)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	return errors.Join(lock.Sign(), lock.Announce(instance.Info{
		ID: process.Self(), Folder: folder, Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, Token: "token",
	}))
}

// late is the error of a ping that was not answered.
type late struct{}

func (late) Error() string   { return "late" }
func (late) Timeout() bool   { return true }
func (late) Temporary() bool { return true }

func TestRequestsOfAHubThatHangsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pings := 0
		c := &Companion{hub: instance.Info{ID: process.ID{PID: 42}}}
		c.ping = func(context.Context, instance.Info) error { pings++; return late{} }
		hub, client := linked(t, c)
		<-time.After(time.Hour)
		if pings != 0 {
			t.Errorf("%d pings while no request is in flight", pings)
		}
		began := time.Now()
		go func() { _ = c.fromClient([]byte(call)) }()
		expect(t, bufio.NewReader(hub), call)
		line, err := client.ReadString('\n')
		if err != nil || responseIDOf(line) != "1" || !strings.Contains(line, "process 42) stopped answering") {
			t.Errorf("the client got %q, %v", line, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the answer took %s", took)
		}
	})
}

func TestARequestThatTakesLongIsNotAnsweredWhileTheHubAnswersPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pings := 0
		c := &Companion{ping: func(context.Context, instance.Info) error {
			if pings++; pings%6 == 0 { // busy for a while, but not for long enough
				return nil
			}
			return late{}
		}}
		hub, client := linked(t, c)
		go func() { _ = c.fromClient([]byte(call)) }()
		expect(t, bufio.NewReader(hub), call)
		go func() {
			<-time.After(time.Hour)
			_, _ = hub.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"))
		}()
		expect(t, client, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

func TestAHubThatRefusesConnectionsIsNotSilent(t *testing.T) {
	var s silence
	began := time.Now().Add(-time.Hour)
	if s.note(process.ID{PID: 1}, began, late{}) < time.Hour {
		t.Error("a late hub is not silent")
	}
	if s.note(process.ID{PID: 2}, time.Now(), late{}) > time.Minute {
		t.Error("the silence of one hub counts for another")
	}
	if s.note(process.ID{PID: 1}, began, errors.New("connection refused")) != 0 {
		t.Error("a hub that refuses connections is silent")
	}
}

func TestAHubThatHangsIsEndedSoThatAnotherCanStart(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	hub := exec.Command(os.Args[0])
	hub.Env = append(os.Environ(), hanging+"="+string(folder))
	in, err := hub.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := hub.StdoutPipe()
	if err == nil {
		err = hub.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	c := &Companion{Folder: folder, Version: "1.0.0", Log: slog.New(slog.DiscardHandler), session: strings.Repeat("s", 20)}
	c.endLimit = time.Second
	if _, err := c.connect(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("got %v", err)
	}
	if err := hub.Wait(); err == nil {
		t.Error("the hub was not ended")
	}
	if _, err := instance.Read(folder); !errors.Is(err, instance.ErrNone) {
		t.Errorf("a hub is still announced: %v", err)
	}
}
