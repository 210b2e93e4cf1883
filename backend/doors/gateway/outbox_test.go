package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// sent puts notifications into an outbox and returns the lines that the client gets.
func sent(t *testing.T, put func(*outbox)) []string {
	t.Helper()
	near, far := net.Pipe()
	conn := jsonrpc.NewConn(near, near, &Session{}, jsonrpc.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = conn.Run(ctx) }()
	o := outbox{wake: make(chan struct{}, 1)}
	put(&o)
	o.put(notification{method: "notifications/message", params: json.RawMessage(`"last"`)})
	go func() { _ = o.send(pipe{conn}) }()
	var lines []string
	for reader := bufio.NewReader(far); ; {
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if lines = append(lines, line); strings.Contains(line, `"last"`) {
			_ = near.Close()
			return lines
		}
	}
}

func TestAnAnnouncedChangeIsSentOnce(t *testing.T) {
	lines := sent(t, func(o *outbox) {
		for range 3 {
			o.put(notification{method: "notifications/tools/list_changed", params: nil})
			o.put(notification{method: "notifications/resources/updated", params: json.RawMessage(`{"uri":"a"}`)})
			o.put(notification{method: "notifications/resources/updated", params: json.RawMessage(`{"uri":"b"}`)})
		}
	})
	if len(lines) != 4 || !strings.Contains(lines[0], "list_changed") || !strings.Contains(lines[1], `"a"`) ||
		!strings.Contains(lines[2], `"b"`) {
		t.Errorf("got %s", lines)
	}
}

func TestASlowClientIsToldHowManyMessagesWereDropped(t *testing.T) {
	lines := sent(t, func(o *outbox) {
		for i := range maxMessages + 9 {
			o.put(notification{method: "notifications/message", params: json.RawMessage(fmt.Sprintf(`{"level":"info","data":%d}`, i))})
		}
	})
	if len(lines) != maxMessages+1 || !strings.Contains(lines[0], `{"dropped_messages":10}`) || !strings.Contains(lines[1], `"data":10}`) {
		t.Errorf("got %d lines: %s…", len(lines), lines[0])
	}
}

func TestWhatWaitsForASlowClientIsLimited(t *testing.T) {
	lines := sent(t, func(o *outbox) {
		for i := range maxChanges + 5 {
			o.put(notification{method: "notifications/resources/updated", params: json.RawMessage(fmt.Sprintf(`{"uri":"%d"}`, i))})
		}
	})
	if len(lines) != maxChanges+1 {
		t.Errorf("%d lines", len(lines))
	}
}
