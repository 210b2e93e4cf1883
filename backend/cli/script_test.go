//go:build linux

package cli_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/porttest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// TestCommandLine runs the scripts in testdata, each with its own home folder.
// In addition to testscript's own commands, the scripts can use
//
//	ad CODE ARGS…   run agent-discover, which must exit with CODE
//	hub             start a hub and wait until it is ready
//	market          serve a marketplace, and put its node, npm and npx into the PATH
//	take            make another program listen on a port, which becomes that of hubs: $PORT and AGENT_DISCOVER_PORT;
//	                $HOLDER is the id of its process
//	release         end this program
//	publish PACKAGE VERSION
//	                make a version of a package of this marketplace the latest one
//	sqlite DB FILE  create a database with the statements in FILE
//
// and $FAKE, the program of a fake MCP server. Its first argument is mcptest.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	fake := mcptest.Command(t)
	program := programtest.Current(t)
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			h := &programtest.Home{
				T: t, Dir: filepath.Join(env.WorkDir, "home"), Folder: paths.Folder(filepath.Join(env.WorkDir, "home", "data")),
				Program: program,
			}
			if err := os.Mkdir(h.Dir, 0o700); err != nil {
				return err
			}
			for name, value := range map[string]string{
				"HOME": h.Dir, "SHELL": "/bin/sh", "LANG": "C.UTF-8", "FAKE": fake[0],
				"AGENT_DISCOVER_HOME": string(h.Folder), "AGENT_DISCOVER_PORT": "0", "AGENT_DISCOVER_REGISTRY_URL": "off",
				"GOCOVERDIR": programtest.Coverage,
			} {
				env.Setenv(name, value)
			}
			env.Setenv("PATH", filepath.Dir(h.Program)+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Defer(h.Close)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ad": runProgram, "hub": serveHub(program), "market": serveMarket(t, fake), "publish": publish, "sqlite": createDatabase,
			"take": takePort, "release": releasePort,
		},
	})
}

// runProgram implements the script command ad.
func runProgram(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: ad CODE ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("agent-discover", args[1:]...)
	var exit *exec.ExitError
	got := 0
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// serveHub implements the script command hub.
func serveHub(program string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, _ []string) { startHub(ts, program) }
}

func startHub(ts *testscript.TestScript, program string) {
	cmd := exec.Command(program, "serve")
	cmd.Dir = ts.Getenv("HOME")
	for _, name := range []string{
		"HOME", "SHELL", "PATH", "LANG", "AGENT_DISCOVER_HOME", "AGENT_DISCOVER_PORT", "AGENT_DISCOVER_SETUP_FILE",
		"AGENT_DISCOVER_REGISTRY_URL", "AGENT_DISCOVER_PASSPHRASE", "GOCOVERDIR",
	} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ready := func() (bool, error) {
		select {
		case err := <-ended:
			return false, fmt.Errorf("the hub exited instead of starting: %w", err)
		default:
		}
		info, err := instance.Read(paths.Folder(ts.Getenv("AGENT_DISCOVER_HOME")))
		return err == nil && info.PID == cmd.Process.Pid, nil
	}
	ts.Check(programtest.Await(ready))
}

// holders are the programs that take started, by the folders of their scripts.
var holders sync.Map

// takePort implements the script command take.
func takePort(ts *testscript.TestScript, _ bool, _ []string) {
	holder, err := porttest.Start("127.0.0.1:0", "")
	ts.Check(err)
	ts.Defer(holder.End)
	holders.Store(ts.Getenv("WORK"), holder)
	ts.Setenv("PORT", strconv.Itoa(holder.Port))
	ts.Setenv("AGENT_DISCOVER_PORT", strconv.Itoa(holder.Port))
	ts.Setenv("HOLDER", strconv.Itoa(holder.PID))
}

// releasePort implements the script command release.
func releasePort(ts *testscript.TestScript, _ bool, _ []string) {
	holder, ok := holders.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("use release after take")
	}
	holder.(*porttest.Program).End()
}

// markets are the marketplaces of scripts, by their folders.
var markets sync.Map

// serveMarket implements the script command market. The address for PyPI is a port on which nothing
// listens.
func serveMarket(t *testing.T, server []string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, _ []string) {
		m, programs := markettest.Serve(t), ts.MkAbs("programs")
		markets.Store(ts.Getenv("WORK"), m)
		m.Prepare(t, ts.Getenv("HOME"), programs, server)
		ts.Setenv("PATH", programs+string(os.PathListSeparator)+ts.Getenv("PATH"))
		ts.Setenv("AGENT_DISCOVER_REGISTRY_URL", m.Address)
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("HOME"), ".profile"),
			[]byte("export PATH='"+ts.Getenv("PATH")+"' PIP_INDEX_URL=http://127.0.0.1:9/simple\n"), 0o600))
	}
}

// publish implements the script command publish.
func publish(ts *testscript.TestScript, neg bool, args []string) {
	m, ok := markets.Load(ts.Getenv("WORK"))
	if neg || len(args) != 2 || !ok {
		ts.Fatalf("usage: publish PACKAGE VERSION, after market")
	}
	m.(*markettest.Market).Publish(args[0], args[1])
}

// createDatabase implements the script command sqlite.
func createDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite DB FILE")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0])+"?_pragma=busy_timeout(60000)") // a hub may be writing
	ts.Check(err)
	_, err = db.Exec(ts.ReadFile(args[1]))
	ts.Check(errors.Join(err, db.Close()))
}
