package main

import (
	"context"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const (
	dialTimeout = 10 * time.Second
	pingEvery   = 30 * time.Second // a hub that hangs says nothing either
	pongTimeout = 10 * time.Second
	maxMessage  = 64 << 20 // bytes; hubs of old send all tools
)

// follow hands on what a hub pushes until the connection is gone, which is no
// error, or ctx ends. An error is that the hub was not reached.
func follow(ctx context.Context, info instance.Info, hear func(message []byte)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := dial(ctx, info)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the hub at %s does not answer", info.Address())
	}
	defer func() { _ = conn.CloseNow() }() // it may be gone
	conn.SetReadLimit(maxMessage)
	go func() {
		defer cancel()
		watch(ctx, conn)
	}()
	for {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return nil
		}
		hear(message)
	}
}

func dial(ctx context.Context, info instance.Info) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+info.Address()+"/ws?deltas=changed&tools=none&hub=1", &websocket.DialOptions{
		HTTPClient: instance.NewClient(info).HTTP(), // proves the hub before the token goes out
		HTTPHeader: http.Header{"Authorization": {"Bearer " + info.Token}},
	})
	return conn, err
}

// watch returns when the hub does not answer any more, or ctx ends.
func watch(ctx context.Context, conn *websocket.Conn) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		late, cancel := context.WithTimeout(ctx, pongTimeout)
		err := conn.Ping(late)
		cancel()
		if err != nil {
			return
		}
	}
}
