// Command conformance serves an MCP server that speaks stdio, such as a companion, over streamable HTTP, to clients of
// legacy and of modern versions of MCP. It makes tools for servers over HTTP usable with such a server:
//
//	go run ./build/conformance -listen 127.0.0.1:8000 -- bin/agent-discover mcp
//
// With -client, it is the client under test in the conformance tests of the Model Context Protocol. It starts a hub, adds
// the server of a scenario to this hub, and makes the calls of the scenario through the hub:
//
//	npx @modelcontextprotocol/conformance client --scenario tools_call --command "conformance -client bin/agent-discover"
//
// The tests of this package run the conformance tests for servers against one server: directly, through the hub's /mcp,
// and through a companion. They also run the conformance tests for clients. They compare the scores, which
// make conformance prints.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "serve on this `address`")
	program := flag.String("client", "", "be a client, with the hub of this `program`; the scenario is in the environment")
	version := flag.String("version", os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"), "with -client: speak this version of MCP to the hub")
	flag.Parse()
	if flag.NArg() == 0 || *program != "" && flag.NArg() > 1 {
		fmt.Fprintln(os.Stderr,
			"usage: conformance [-listen ADDRESS] -- COMMAND [ARGS…]\n       conformance -client PROGRAM [-version VERSION] URL")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if *program != "" {
		err = behave(ctx, *program, flag.Arg(0), *version, os.Getenv("MCP_CONFORMANCE_SCENARIO"))
	} else {
		err = serve(ctx, *listen, flag.Args())
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// serve serves until ctx ends.
func serve(ctx context.Context, address string, command []string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	a := &adapter{command: command, env: os.Environ(), sessions: make(map[string]*server)}
	web := &http.Server{Handler: a}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	<-ctx.Done()
	err = web.Close()
	a.close()
	if serving := <-ended; !errors.Is(serving, http.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	return err
}
