package hub

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
)

// listen listens on the configured port, or on a free one if that is in use.
func (h *Hub) listen(config settings.Settings) error {
	port, taken := config.Port, 0
	exclusive := net.ListenConfig{Control: listenExclusively}
	listener, err := exclusive.Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil && port != 0 {
		h.log.Warn("port is in use, using a free one", "port", port, "error", err)
		taken = port
		listener, err = exclusive.Listen(context.Background(), "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not listen on 127.0.0.1: %s", paths.Reason(err))
	}
	h.listener = listener
	h.info = instance.Info{
		ID: process.Self(), Folder: h.options.Folder, Version: h.options.Version, Protocol: instance.Protocol,
		Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port,
		Token: instance.NewSecret(), Started: time.Now().UTC(), AuthOff: config.AuthOff, TakenPort: taken,
	}
	if config.AuthOff {
		h.log.Warn("AGENT_DISCOVER_AUTH is off: every program on this machine can use the hub and its servers without a token")
	}
	return nil
}
