// Package mcptest is an MCP server that misbehaves on request. Tests run it as
// a real child process: the test binary starts itself again, and Main takes
// over when the first argument says so.
//
//	func TestMain(m *testing.M) {
//		mcptest.Main()
//		os.Exit(m.Run())
//	}
//
// What happens when the server starts is chosen by flags, what happens in a
// call by the tool that is called; neither by the environment, because a child
// of the hub gets none of the test's. It speaks JSON-RPC with its own few lines
// and nothing of the code under test, so that a mistake there has no twin here.
package mcptest

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// name is the argument that turns a test binary into a server.
const name = "mcptest"

// Main runs the server and ends the process, if its first argument asks for
// that; else it returns at once.
func Main() {
	if len(os.Args) > 1 && os.Args[1] == name {
		exit(run(os.Args[2:]))
	}
}

// exit ends the process without the exit hooks of a test binary that measures
// coverage: they write to stderr, and what a server writes there is tested.
func exit(code int) { syscall.Exit(code) }

// Command returns the program and the arguments that start a server with flags.
func Command(t testing.TB, flags ...string) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatalf("own program: %v", err)
	}
	return append([]string{program, name}, flags...)
}

// options are how a server behaves outside of calls.
type options struct {
	definitions []json.RawMessage // listed as they are
	result      string            // what these tools answer; empty: their arguments
	only        bool              // list none of the tools in tools.go
	pages       string            // tools/list has no end: same or new
	junk        bool              // lines on stdout that are no JSON-RPC
	mute        bool              // initialize is not answered
	offers      bool              // resources, prompts and logging
	deaf        bool              // unknown methods are not answered
	noPing      bool              // ping is an unknown method
	crash       string            // exit at once with this on stderr
	flood       int               // bytes written to stderr at the start
	stubborn    bool              // survive the end of stdin and SIGTERM
	linger      bool              // no server: a process that only lives
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Func("tool", "`NAME=DESCRIPTION` of a tool; may be repeated", func(v string) error {
		tool, description, _ := strings.Cut(v, "=")
		o.definitions = append(o.definitions, define(tool, description, `{"type":"object","properties":{"text":{"type":"string"}}}`))
		return nil
	})
	flags.Func("definition", "a tool as `JSON`, listed byte for byte; may be repeated", func(v string) error {
		o.definitions = append(o.definitions, json.RawMessage(v))
		return nil
	})
	flags.StringVar(&o.result, "result", "", "`JSON` that tools of -tool and -definition answer, byte for byte")
	flags.BoolVar(&o.only, "only", false, "list only tools of -tool and -definition")
	flags.StringVar(&o.pages, "pages", "", "tools/list never ends and has one tool a page: with the `same` cursor, or each time a new one")
	flags.BoolVar(&o.junk, "junk", false, "write lines to stdout that are no messages")
	flags.BoolVar(&o.mute, "mute", false, "never answer initialize")
	flags.BoolVar(&o.offers, "offers", false, "have resources, prompts and logging too")
	flags.BoolVar(&o.deaf, "deaf", false, "never answer an unknown method")
	flags.BoolVar(&o.noPing, "no-ping", false, "do not know ping")
	flags.StringVar(&o.crash, "crash", "", "write `TEXT` to stderr and exit with 3")
	flags.IntVar(&o.flood, "flood", 0, "write so many `bytes` to stderr at the start")
	flags.BoolVar(&o.stubborn, "stubborn", false, "live on after stdin has ended and after SIGTERM")
	flags.BoolVar(&o.linger, "linger", false, "be no server, only a process that lives until it is killed")
	return o, flags.Parse(args)
}

// run is the life of the process; it returns the exit code.
func run(args []string) int {
	o, err := parse(args)
	if err != nil {
		return 2
	}
	if o.crash != "" {
		fmt.Fprintln(os.Stderr, o.crash)
		return 3
	}
	if o.linger || o.stubborn {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	}
	if o.linger {
		select {}
	}
	flood(os.Stderr, o.flood)
	newServer(o, os.Stdout).serve(os.Stdin)
	if o.stubborn {
		select {}
	}
	return 0
}

// flood writes n bytes in lines.
func flood(w io.Writer, n int) {
	line := []byte(strings.Repeat("noise ", 170) + "\n")
	for ; n > 0; n -= len(line) {
		_, _ = w.Write(line[:min(n, len(line))])
	}
}

// define makes a tool's definition.
func define(tool, description, schema string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s}`, quote(tool), quote(description), schema))
}

func quote(s string) string {
	data, _ := json.Marshal(s) // a string always encodes
	return string(data)
}
