// Command demo plays an agent: it starts the companion as an editor does, finds a tool for a need in plain words,
// and calls the tool. make run prints its output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const need = "echo back a message"

func main() {
	binary := flag.String("binary", "bin/agent-discover", "the companion to start")
	wait := flag.String("wait", "", "comma-separated servers whose tools must be known first")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if err := run(ctx, *binary, *wait); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, wait string) error {
	if wait != "" {
		if err := waitForTools(ctx, binary, strings.Split(wait, ",")); err != nil {
			return err
		}
	}

	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	companion := exec.Command(binary, "mcp")
	companion.Stderr = os.Stderr
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: companion}, nil)
	if err != nil {
		return fmt.Errorf("start %s mcp: %w", binary, err)
	}
	defer session.Close()

	say("agent asks", "find_tool %q", need)
	hit, err := find(ctx, session)
	if err != nil {
		return err
	}
	say("result", "%s (%s confidence)", hit.CallAs, hit.Confidence)
	say("", "%s", strings.SplitN(hit.Description, "\n", 2)[0])

	arguments := map[string]any{} // the found tool echoes its arguments
	for _, arg := range hit.RequiredArgs {
		arguments[arg.Name] = "Hello from Agent Discover"
	}
	shown, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	say("agent calls", "%s %s", hit.CallAs, shown)
	started := time.Now()
	answer, err := registry(ctx, session, map[string]any{"action": "proxy_call", "call_as": hit.CallAs, "arguments": arguments})
	if err != nil {
		return err
	}
	say("result", "%s (%s)", answer, time.Since(started).Round(100*time.Microsecond))
	return nil
}

// hit is the part of find_tool's answer that a call needs.
type hit struct {
	Found        bool   `json:"found"`
	Hint         string `json:"hint"`
	CallAs       string `json:"call_as"`
	Confidence   string `json:"confidence"`
	Description  string `json:"description"`
	RequiredArgs []struct {
		Name string `json:"name"`
	} `json:"required_args"`
}

func find(ctx context.Context, session *mcp.ClientSession) (hit, error) {
	answer, err := registry(ctx, session, map[string]any{"action": "find_tool", "query": need})
	if err != nil {
		return hit{}, err
	}
	var found hit
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		return hit{}, fmt.Errorf("find_tool answered %q: %w", answer, err)
	}
	if !found.Found {
		return hit{}, fmt.Errorf("no tool found: %s", found.Hint)
	}
	return found, nil
}

// registry calls the tool registry and returns the text of its result.
func registry(ctx context.Context, session *mcp.ClientSession, arguments map[string]any) (string, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "registry", Arguments: arguments})
	if err != nil {
		return "", fmt.Errorf("registry %s: %w", arguments["action"], err)
	}
	var text strings.Builder
	for _, content := range result.Content {
		if block, ok := content.(*mcp.TextContent); ok {
			text.WriteString(block.Text)
		}
	}
	if result.IsError {
		return "", fmt.Errorf("registry %s: %s", arguments["action"], text.String())
	}
	return text.String(), nil
}

// waitForTools waits until the hub knows the tools of every named server. It prints the name of each server as soon as
// its tools are known.
func waitForTools(ctx context.Context, binary string, names []string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	stop, err := refreshUnknown(ctx, binary, names)
	if err != nil {
		return err
	}
	defer stop()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		known, err := toolCounts(ctx, binary)
		if err != nil && ctx.Err() == nil {
			return err
		}
		missing := names[:0:0]
		for _, name := range names {
			if known[name] == 0 {
				missing = append(missing, name)
				continue
			}
			say("server ready", "%s, %d tools", name, known[name])
		}
		if names = missing; len(names) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("no tools from %s after 3 minutes; see: %s logs", strings.Join(names, ", "), binary)
			}
			return ctx.Err()
		}
	}
}

// refreshUnknown refreshes the servers whose tools are not known, because their first download may have been interrupted. It
// does not wait for the refreshes; stop ends those that are unfinished. Failures are ignored, because waitForTools
// reports servers without tools.
func refreshUnknown(ctx context.Context, binary string, names []string) (stop func(), err error) {
	known, err := toolCounts(ctx, binary)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var under sync.WaitGroup
	for _, name := range names {
		if known[name] == 0 {
			under.Go(func() { _ = exec.CommandContext(ctx, binary, "servers", "refresh", name).Run() })
		}
	}
	return func() { cancel(); under.Wait() }, nil
}

func toolCounts(ctx context.Context, binary string) (map[string]int, error) {
	command := exec.CommandContext(ctx, binary, "servers", "list", "--json")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("servers list: %w", err)
	}
	var servers []struct {
		Name      string `json:"name"`
		ToolCount int    `json:"tool_count"`
	}
	if err := json.Unmarshal(output, &servers); err != nil {
		return nil, fmt.Errorf("servers list: %w", err)
	}
	counts := map[string]int{}
	for _, server := range servers {
		counts[server.Name] = server.ToolCount
	}
	return counts, nil
}

func say(label, format string, values ...any) {
	fmt.Printf("  %-15s%s\n", label, fmt.Sprintf(format, values...))
}
