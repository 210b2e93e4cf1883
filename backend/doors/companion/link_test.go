package companion

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// linked runs a link of the companion in a synctest bubble. It returns the hub's end of the link and a reader of the
// lines that the client receives.
func linked(t *testing.T, c *Companion) (hub net.Conn, client *bufio.Reader) {
	t.Helper()
	near, hub := net.Pipe()
	read, write := io.Pipe()
	c.Out, c.Log = write, slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); c.runLink(ctx, near) }()
	t.Cleanup(func() { cancel(); _ = read.Close(); <-done })
	synctest.Wait()
	return hub, bufio.NewReader(read)
}

// expect reads one line and compares it with want.
func expect(t *testing.T, from *bufio.Reader, want string) {
	t.Helper()
	if line, err := from.ReadString('\n'); err != nil || line != want+"\n" {
		t.Errorf("got %q, %v, want %q", line, err, want)
	}
}

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
)

func TestAnswersReachTheClientWhileTheHubReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Companion{}
		hub, client := linked(t, c)
		sent := make(chan struct{})
		go func() { defer close(sent); _ = c.fromClient([]byte(ping)) }()
		synctest.Wait() // the send blocks, because the hub does not read
		if _, err := hub.Write([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}` + "\n")); err != nil {
			t.Fatal(err)
		}
		expect(t, client, `{"jsonrpc":"2.0","id":7,"result":{}}`)
		expect(t, bufio.NewReader(hub), ping)
		<-sent
	})
}

func TestLinesThatWaitedForTheHubAreSentBeforeLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Companion{}
		for _, line := range []string{ping, `{"jsonrpc":"2.0","method":"first"}`} {
			if err := c.fromClient([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		hub, _ := linked(t, c)
		sent := make(chan struct{})
		go func() { defer close(sent); _ = c.fromClient([]byte(`{"jsonrpc":"2.0","method":"second"}`)) }()
		lines := bufio.NewReader(hub)
		expect(t, lines, ping)
		expect(t, lines, `{"jsonrpc":"2.0","method":"first"}`)
		expect(t, lines, `{"jsonrpc":"2.0","method":"second"}`)
		<-sent
	})
}

func TestAClientThatDoesNotReadIsToldWhyTheLinkWasLost(t *testing.T) {
	for why, wait := range map[string]time.Duration{"the hub ended while": 0, "did not read its messages": time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			c := &Companion{}
			hub, client := linked(t, c)
			go func() { _ = c.fromClient([]byte(call)) }()
			expect(t, bufio.NewReader(hub), call)
			go func() {
				_, _ = hub.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/x"}` + "\n"))
				_ = hub.Close()
			}()
			<-time.After(wait) // the client does not read
			expect(t, client, `{"jsonrpc":"2.0","method":"notifications/x"}`)
			if line, err := client.ReadString('\n'); err != nil || responseIDOf(line) != "1" || !strings.Contains(line, why) {
				t.Errorf("the client got %q, %v", line, err)
			}
		})
	}
}

func TestARequestThatCouldNotBeSentIsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Companion{}
		_, client := linked(t, c)
		began := time.Now()
		go func() { _ = c.fromClient([]byte(call)) }()
		line, err := client.ReadString('\n')
		if err != nil || responseIDOf(line) != "1" || time.Since(began) != sendTimeout {
			t.Errorf("after %s the client got %q, %v", time.Since(began), line, err)
		}
		synctest.Wait()
		if len(c.memory.inFlight) != 0 || c.link != nil || len(c.queue) != 0 {
			t.Errorf("in flight %v, queue %q", c.memory.inFlight, c.queue)
		}
	})
}

func TestRequestsThatChangeNothingAreSentToTheNextHubOnce(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	synctest.Test(t, func(t *testing.T) {
		c := &Companion{}
		hub, client := linked(t, c)
		go func() {
			for _, line := range []string{call, list} {
				_ = c.fromClient([]byte(line))
			}
		}()
		lines := bufio.NewReader(hub)
		expect(t, lines, call)
		expect(t, lines, list)
		_ = hub.Close()
		if line, err := client.ReadString('\n'); err != nil || responseIDOf(line) != "1" || !strings.Contains(line, "outcome is unknown") {
			t.Errorf("the client got %q, %v", line, err)
		}
		synctest.Wait()

		hub, client = linked(t, c)
		expect(t, bufio.NewReader(hub), list)
		_ = hub.Close()
		if line, err := client.ReadString('\n'); err != nil || responseIDOf(line) != "2" || !strings.Contains(line, "outcome is unknown") {
			t.Errorf("after the second hub the client got %q, %v", line, err)
		}
		synctest.Wait()
		if len(c.memory.inFlight) != 0 || len(c.queue) != 0 {
			t.Errorf("in flight %s, queue %q", c.memory.inFlight, c.queue)
		}
	})
}

func responseIDOf(line string) string { return string(responseID([]byte(line))) }

func TestRequestsThatAStoppingHubDidNotCarryOutAreSentToTheNext(t *testing.T) {
	const other = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"y"}}`
	synctest.Test(t, func(t *testing.T) {
		c := &Companion{}
		hub, client := linked(t, c)
		lines := bufio.NewReader(hub)
		for _, line := range []string{call, other} {
			go func() { _ = c.fromClient([]byte(line)) }()
			expect(t, lines, line)
		}
		if _, err := hub.Write([]byte(`{"agent_discover_read":2,"undone":[1]}` + "\n")); err != nil {
			t.Fatal(err)
		}
		_ = hub.Close()
		line, err := client.ReadString('\n')
		if err != nil || responseIDOf(line) != "2" || !strings.Contains(line, "its outcome is unknown") {
			t.Errorf("the client got %q, %v", line, err)
		}
		synctest.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.queue) != 1 || string(c.queue[0]) != call+"\n" {
			t.Errorf("the next hub gets %q", c.queue)
		}
	})
}

func TestOnlyAStoppingHubLeavesRequestsToTheNext(t *testing.T) {
	for name, row := range map[string]struct{ shut, repeats, want bool }{
		"a running hub": {false, true, false}, "an old companion": {true, false, false}, "a stopping hub": {true, true, true},
	} {
		g := &gate{shut: row.shut, repeats: row.repeats}
		if got := g.Repeat([]byte("1")); got != row.want || len(g.undone) > 0 != row.want {
			t.Errorf("%s: %t, %q", name, got, g.undone)
		}
	}
}
