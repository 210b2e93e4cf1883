package companion

import (
	"bufio"
	"net"
	"testing"
	"testing/synctest"
)

const (
	listenLine = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["one+note://1"]}}}`
	ackLine    = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
)

// sendTo writes a line to the hub's end of a link, so that the companion receives
// it.
func sendTo(t *testing.T, hub net.Conn, line string) {
	t.Helper()
	if _, err := hub.Write([]byte(line + "\n")); err != nil {
		t.Error(err)
	}
}

// The client keeps one subscription although the companion connects to another
// hub.
func TestListenRequestsAreSentToTheNextHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Companion{}
		if err := c.fromClient([]byte(listenLine)); err != nil {
			t.Fatal(err)
		}
		first, client := linked(t, c)
		lines := bufio.NewReader(first)
		expect(t, lines, listenLine)
		go sendTo(t, first, ackLine)
		expect(t, client, ackLine)
		_ = first.Close()
		synctest.Wait()

		second, client := linked(t, c)
		lines = bufio.NewReader(second)
		expect(t, lines, listenLine)
		expect(t, client,
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`)
		go func() {
			const reordered = `{"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}},"method":"notifications/subscriptions/acknowledged","jsonrpc":"2.0"}`
			sendTo(t, second, reordered) // the client has already got an acknowledgement
			sendTo(t, second, `{"jsonrpc":"2.0","method":"after"}`)
		}()
		expect(t, client, `{"jsonrpc":"2.0","method":"after"}`)
		cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`
		go func() { _ = c.fromClient([]byte(cancelled)) }()
		expect(t, lines, cancelled)
		_ = second.Close()
		synctest.Wait()

		third, _ := linked(t, c)
		go func() { _ = c.fromClient([]byte(ping)) }()
		expect(t, bufio.NewReader(third), ping)
	})
}

// If a listen request arrives while no hub is running, the next hub acknowledges it.
func TestAListenRequestWithoutAHubWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Companion{offline: errStopped}
		if err := c.fromClient([]byte(listenLine)); err != nil {
			t.Fatal(err)
		}
		hub, client := linked(t, c)
		expect(t, bufio.NewReader(hub), listenLine)
		go sendTo(t, hub, ackLine)
		expect(t, client, ackLine)
	})
}
