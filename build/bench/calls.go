package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Targets for a call with 1 kB of arguments.
const (
	targetAdded = 0.15 // ms by which the fastest call may exceed the fastest direct call
	targetRatio = 1.7  // median divided by the relay's median
	targetCPU   = 0.45 // ms of hub and companion together
)

// settle is longer than the delay of the journal, so that the CPU time of a call includes storing its record.
const settle = 160 * time.Millisecond

// way is one way to call the measured MCP server, a child process: directly, through the relay, or through companion and
// hub.
type way struct {
	name    string
	client  *client
	hub     int // process id of the hub; 0 if this way uses no hub
	params  func(message json.RawMessage) json.RawMessage
	targets bool // whether the targets apply
}

func (b *bench) calls(ctx context.Context) error {
	children := []struct {
		name    string
		command []string
	}{{"Go child", []string{b.self, "play-echo"}}, {"server-everything", everything()}}
	for _, child := range children {
		if child.command == nil {
			fmt.Printf("%s is skipped: not installed (build/setup.sh test)\n", child.name)
			continue
		}
		if err := b.child(ctx, child.name, child.command); err != nil {
			return fmt.Errorf("%s: %w", child.name, err)
		}
	}
	return nil
}

// everything returns the command of the npm reference server; nil if it is not installed.
func everything() []string {
	script, err := filepath.Abs("build/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		return nil
	}
	if _, err := os.Stat(script); err != nil {
		return nil
	}
	node, err := exec.Command("build/setup.sh", "node-path").Output()
	if err != nil {
		return nil
	}
	return []string{strings.TrimSpace(string(node)), script, "stdio"}
}

func (b *bench) child(ctx context.Context, name string, command []string) error {
	ways, closeAll, err := b.ways(ctx, command)
	defer closeAll()
	if err != nil {
		return err
	}
	quick := name == "Go child"
	for _, size := range []int{1 << 10, 1 << 20} {
		rounds, block := b.pick(12, 60), 40
		switch {
		case size == 1<<20 && quick:
			rounds, block = b.pick(4, 20), 8
		case size == 1<<20:
			rounds, block = b.pick(2, 8), 3
		case !quick:
			rounds = b.pick(8, 40)
		}
		rows, err := b.measure(ways, name, size, rounds, block)
		if err != nil {
			return err
		}
		b.report.addCalls(rows, ways)
	}
	return nil
}

// ways opens a connection in every way to a server that is started with command.
func (b *bench) ways(ctx context.Context, command []string) ([]*way, func(), error) {
	var ends []func()
	closeAll := func() {
		for i := range ends {
			ends[len(ends)-1-i]()
		}
	}
	var ways []*way
	direct, err := open(ctx, nil, command...)
	if err != nil {
		return nil, closeAll, err
	}
	ends = append(ends, direct.close)
	ways = append(ways, &way{name: "direct", client: direct, params: call("echo")})

	relay, relayHub, err := startRelay(ctx, b.self, command)
	if err != nil {
		return nil, closeAll, err
	}
	ends = append(ends, relay.close)
	ways = append(ways, &way{name: "byte relay", client: relay, hub: relayHub, params: call("echo")})

	for i, binary := range []string{b.binary, b.against} {
		if binary == "" {
			continue
		}
		h, err := b.startHub(ctx, binary, fmt.Sprintf("calls-%d-%s", i, filepath.Base(command[0])))
		if err != nil {
			return nil, closeAll, err
		}
		ends = append(ends, func() { _ = h.stop(ctx) })
		if err := h.add(ctx, "child", command...); err != nil {
			return nil, closeAll, err
		}
		companion, err := h.companion(ctx)
		if err != nil {
			return nil, closeAll, err
		}
		ends = append(ends, companion.close)
		suffix := ""
		if i > 0 {
			suffix = " (against)"
		}
		ways = append(ways,
			&way{name: "child__echo" + suffix, client: companion, hub: h.pid(), params: call("child__echo"), targets: i == 0},
			&way{name: "proxy_call" + suffix, client: companion, hub: h.pid(), params: proxyCall, targets: i == 0})
	}
	return ways, closeAll, nil
}

// startRelay starts a hub and a companion that pass bytes on without reading them. It returns a client of the companion
// and the process ID of the hub.
func startRelay(ctx context.Context, self string, command []string) (*client, int, error) {
	cmd := exec.CommandContext(ctx, self, append([]string{"play-relay-hub"}, command...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	address, err := jsonrpc.NewLineReader(out, 100).Next()
	if err != nil {
		return nil, 0, err
	}
	c, err := open(ctx, nil, self, "play-relay", string(address))
	return c, cmd.Process.Pid, err
}

func call(tool string) func(json.RawMessage) json.RawMessage {
	return func(message json.RawMessage) json.RawMessage {
		return object("name", jsonrpc.Quote(tool), "arguments", object("message", message))
	}
}

func proxyCall(message json.RawMessage) json.RawMessage {
	return object("name", jsonrpc.Quote("registry"), "arguments",
		object("action", jsonrpc.Quote("proxy_call"), "call_as", jsonrpc.Quote("mcp__child__echo"), "arguments",
			object("message", message)))
}

func object(keysAndValues ...any) json.RawMessage {
	var o json.RawMessage
	for i := 0; i < len(keysAndValues); i += 2 {
		o = jsonrpc.Set(o, keysAndValues[i].(string), keysAndValues[i+1].(json.RawMessage))
	}
	return o
}

// message returns size bytes of ordinary text as a JSON string.
func message(size int) json.RawMessage {
	const words = "the quick brown fox jumps over the lazy dog, and then it rests; "
	return jsonrpc.Quote(string(bytes.Repeat([]byte(words), size/len(words)+1)[:size]))
}
