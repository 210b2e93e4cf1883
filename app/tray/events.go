package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const (
	dialTimeout  = 10 * time.Second
	pingInterval = 30 * time.Second // detects a hub that hangs, whose connection stays open
	pongTimeout  = 10 * time.Second
	maxMessage   = 64 << 20 // bytes; old versions of the hub send all tools in one message
)

// follow passes each WebSocket message of a hub to receive. It returns nil when the connection or ctx ends, and an
// error if the hub does not answer at all.
func follow(ctx context.Context, info instance.Info, receive func(message []byte)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := dial(ctx, info)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the hub at %s does not answer", info.Address())
	}
	defer func() { _ = conn.CloseNow() }() // an error means that the hub has closed the connection
	conn.SetReadLimit(maxMessage)
	go func() {
		defer cancel()
		keepAlive(ctx, conn)
	}()
	for first := true; ; first = false {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return nil
		}
		receive(message)
		if first {
			for _, question := range waitingQuestions(ctx, info) {
				receive(question)
			}
			if about := aboutHub(ctx, info); about != nil {
				receive(about)
			}
		}
	}
}

// waitingQuestions returns the messages about unanswered questions that the hub sent before the tray connected.
func waitingQuestions(ctx context.Context, info instance.Info) (messages [][]byte) {
	client := instance.NewClient(info)
	defer client.HTTP().CloseIdleConnections()
	var list struct{ Entries []map[string]any }
	if client.Do(ctx, http.MethodGet, "/api/elicitations", nil, &list) != nil {
		return nil // ignore the error: the window shows the questions too
	}
	for _, entry := range list.Entries {
		entry["type"] = "elicitation_request"
		if message, err := json.Marshal(entry); err == nil {
			messages = append(messages, message)
		}
	}
	return messages
}

// aboutHub returns a message about the port of the hub, which the hub does not send itself because it is constant. It
// returns nil if the hub does not answer.
func aboutHub(ctx context.Context, info instance.Info) []byte {
	client := instance.NewClient(info)
	defer client.HTTP().CloseIdleConnections()
	about := make(map[string]any)
	if client.Do(ctx, http.MethodGet, "/api/about", nil, &about) != nil {
		return nil // ignore the error: the window shows the port too
	}
	message, err := json.Marshal(map[string]any{"type": "about", "taken_port": about["taken_port"]})
	if err != nil {
		return nil
	}
	return message
}

func dial(ctx context.Context, info instance.Info) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+info.Address()+"/ws?deltas=changed&tools=none&hub=1", &websocket.DialOptions{
		HTTPClient: instance.NewClient(info).HTTP(), // makes the hub prove its identity before the token is sent
		HTTPHeader: http.Header{"Authorization": {"Bearer " + info.Token}},
	})
	return conn, err
}

// keepAlive sends pings and returns when the hub does not answer one in time, or when ctx ends.
func keepAlive(ctx context.Context, conn *websocket.Conn) {
	tick := time.NewTicker(pingInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		pingCtx, cancel := context.WithTimeout(ctx, pongTimeout)
		err := conn.Ping(pingCtx)
		cancel()
		if err != nil {
			return
		}
	}
}
