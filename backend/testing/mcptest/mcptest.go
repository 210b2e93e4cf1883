// Package mcptest is an MCP server that misbehaves on request. Tests run it as a
// real child process: the test binary starts itself again with a special first
// argument, for which Main runs the server.
//
//	func TestMain(m *testing.M) {
//		mcptest.Main()
//		os.Exit(m.Run())
//	}
//
// Flags choose how the server starts, and the called tool chooses what happens in a
// call. The environment chooses nothing, because children of the hub do not get the
// environment of the test. The server has its own small JSON-RPC implementation, so
// that it does not share mistakes with the code under test.
package mcptest

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// name is the argument that turns a test binary into a server.
const name = "mcptest"

// Main runs the server and exits if the first argument of the process is the name of this package, and the client of an
// Engine if the process was started by that name. Otherwise it returns immediately.
func Main() {
	if filepath.Base(os.Args[0]) == "docker" {
		client()
	}
	if len(os.Args) > 1 && os.Args[1] == name {
		exit(run(os.Args[2:]))
	}
}

// exit ends the process without the exit hooks of a test binary with coverage. The
// hooks write to stderr, whose content is tested.
func exit(code int) { syscall.Exit(code) }

// Command returns the program and arguments that start a server with flags.
func Command(t testing.TB, flags ...string) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatalf("find the test binary: %v", err)
	}
	return append([]string{program, name}, flags...)
}

// options choose the behaviour outside of calls.
type options struct {
	definitions []json.RawMessage // definitions of the tools that the flags -tool and -definition add
	result      string            // the result of these tools; if empty, their arguments
	only        bool              // do not list the tools of tools.go
	pages       string            // unless empty, tools/list never ends: it repeats a cursor ("same") or has new ones; "big": one page, 6000 tools
	junk        bool              // write lines to stdout that are not JSON-RPC
	mute        bool              // never answer initialize
	odd         bool              // send lists and results that clients refuse
	offers      bool              // support resources, prompts and logging
	lax         bool              // carry out requests with any name
	undeclared  bool              // declare no capabilities
	wordless    bool              // send no instructions
	prompts     []json.RawMessage // prompts, resources and templates: definitions to list with the flag -lax
	resources   []json.RawMessage
	templates   []json.RawMessage
	tasks       bool   // have the tool job, which is called as a task
	heavy       bool   // have the tool keep, which takes memory
	deaf        bool   // never answer unknown methods
	noPing      bool   // treat ping as an unknown method
	crash       string // exit immediately with this text on stderr
	flood       int    // bytes to write to stderr at the start
	modern      bool   // speak MCP 2026-07-28 only
	both        string // speak both eras; "locked" and "probe" are explained at the flag
	strict      bool   // exit unless the first request is initialize
	silent      bool   // do not announce changes of the list of tools
	stubborn    bool   // survive the end of stdin and SIGTERM
	linger      bool   // sleep instead of running a server
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Func("tool", "`NAME=DESCRIPTION` of a tool, which is unknown when it is called if the name is refused; may be repeated",
		func(v string) error {
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
	flags.StringVar(&o.pages, "pages", "", "tools/list never ends and has one tool per page, with the `same` cursor or new ones; or one page with 6000 tools (big)")
	flags.BoolVar(&o.junk, "junk", false, "write lines to stdout that are not messages")
	flags.BoolVar(&o.mute, "mute", false, "never answer initialize")
	flags.BoolVar(&o.odd, "odd", false, "list items and send results with members that clients refuse")
	flags.BoolVar(&o.offers, "offers", false, "support resources, prompts and logging")
	flags.BoolVar(&o.lax, "lax", false,
		"carry out requests with any name, also of prompts and resources; with the tools grow, shrink, ran and asked")
	flags.BoolVar(&o.undeclared, "undeclared", false, "declare no capabilities")
	flags.BoolVar(&o.wordless, "wordless", false, "send no instructions")
	for _, l := range []struct {
		flag, member string
		to           *[]json.RawMessage
	}{{"prompt", "name", &o.prompts}, {"resource", "uri", &o.resources}, {"template", "uriTemplate", &o.templates}} {
		flags.Func(l.flag, "`NAME=DESCRIPTION` of a "+l.flag+" of -lax; may be repeated", func(v string) error {
			named, description, _ := strings.Cut(v, "=")
			definition := fmt.Sprintf(`{"name":%s,"description":%s}`, quote(named), quote(description))
			if l.member != "name" {
				definition = fmt.Sprintf(`{%q:%s,`, l.member, quote(named)) + definition[1:]
			}
			*l.to = append(*l.to, json.RawMessage(definition))
			return nil
		})
	}
	flags.BoolVar(&o.tasks, "tasks", false, "have the tool job, which is called as a task")
	flags.BoolVar(&o.heavy, "heavy", false, "have the tool keep, which takes memory")
	flags.BoolVar(&o.deaf, "deaf", false, "never answer an unknown method")
	flags.BoolVar(&o.noPing, "no-ping", false, "treat ping as an unknown method")
	flags.StringVar(&o.crash, "crash", "", "write `TEXT` to stderr and exit with 3")
	flags.IntVar(&o.flood, "flood", 0, "write a number of `bytes` to stderr at the start")
	flags.BoolVar(&o.modern, "modern", false, "speak MCP 2026-07-28 only; with the tools require and meta")
	flags.StringVar(&o.both, "both", "",
		"speak MCP 2026-07-28 and older versions, and stay in the era of the first request, which is `locked`; after probe, initialize "+
			"may follow server/discover")
	flags.Func("listed", "`FILE` with tools to list, a definition in JSON on each line", func(path string) error {
		data, err := os.ReadFile(path)
		for line := range strings.Lines(string(data)) {
			o.definitions = append(o.definitions, json.RawMessage(strings.TrimSpace(line)))
		}
		return err
	})
	flags.BoolVar(&o.strict, "strict", false, "exit with 1 unless the first request is initialize")
	flags.BoolVar(&o.silent, "silent", false, "do not announce changes of the list of tools")
	flags.BoolVar(&o.stubborn, "stubborn", false, "survive the end of stdin and SIGTERM")
	flags.BoolVar(&o.linger, "linger", false, "only sleep until killed, without a server")
	return o, flags.Parse(args)
}

// run runs the server until its input ends, and returns the exit code.
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
		forever()
	}
	flood(os.Stderr, o.flood)
	newServer(o, os.Stdout).serve(os.Stdin)
	if o.stubborn {
		forever()
	}
	return 0
}

// forever waits until the process is killed. An empty select would not do: the
// runtime ends a program whose goroutines all wait for each other.
func forever() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals)
	for {
		<-signals
	}
}

// flood writes n bytes as lines.
func flood(w io.Writer, n int) {
	line := []byte(strings.Repeat("noise ", 170) + "\n")
	for ; n > 0; n -= len(line) {
		_, _ = w.Write(line[:min(n, len(line))])
	}
}

func define(tool, description, schema string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s}`, quote(tool), quote(description), schema))
}

func quote(s string) string {
	data, _ := json.Marshal(s) // a string can always be encoded
	return string(data)
}
