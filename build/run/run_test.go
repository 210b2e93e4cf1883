//go:build unix

// Package run tests build/run.sh, which make run calls.
package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestMain(m *testing.M) { os.Exit(programtest.Main(m)) }

// npx answers as an MCP server without tools, whichever package it is asked to run.
const npx = `#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
  case $line in
    *'"initialize"'*) result='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1"}}' ;;
    *'"tools/list"'*) result='"result":{"tools":[]}' ;;
    *) result='"error":{"code":-32601,"message":"unknown method"}' ;;
  esac
  [ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
done
`

func TestTheDemonstrationKeepsItsDataApartFromAnInstalledProgram(t *testing.T) {
	home, clone := t.TempDir(), t.TempDir()
	script, err := os.ReadFile("../run.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"build/run.sh": string(script), "tools/npx": npx,
		"tools/go": "#!/bin/sh\n", "tools/node": "#!/bin/sh\ncat >/dev/null\n", "tools/make": "#!/bin/sh\nexit 1\n",
	} {
		path := filepath.Join(clone, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(clone, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(clone, "bin", "agent-discover")
	if err := os.Link(programtest.Current(t), binary); err != nil {
		if err := os.Symlink(programtest.Current(t), binary); err != nil {
			t.Fatal(err)
		}
	}

	output := &programtest.Output{}
	cmd := exec.Command(filepath.Join(clone, "build", "run.sh"))
	cmd.Env = []string{
		"HOME=" + home, "PATH=" + filepath.Join(clone, "tools") + ":" + os.Getenv("PATH"),
		"AGENT_DISCOVER_PORT=0", "AGENT_DISCOVER_KEYCHAIN=off",
	}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var failure error
	go func() {
		failure = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() { // after a failure, the script ends its programs
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	programtest.Eventually(t, "the script has started the hub", func() bool {
		if strings.Contains(output.String(), "Press Ctrl-C") {
			return true
		}
		select {
		case <-ended:
			t.Fatalf("the script ended: %v\n%s", failure, output)
		default:
		}
		return false
	})
	for _, name := range []string{"discover.db", "run/hub.json"} {
		if _, err := os.Stat(filepath.Join(clone, "bin", "data", name)); err != nil {
			t.Error(err)
		}
	}
	programtest.Contains(t, output.String(), "AGENT_DISCOVER_HOME='"+filepath.Join(clone, "bin", "data")+"'")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if <-ended; failure != nil {
		t.Errorf("the script ended with %v\n%s", failure, output)
	}
	if _, err := os.Stat(filepath.Join(clone, "bin", "data", "run", "hub.json")); !os.IsNotExist(err) {
		t.Errorf("the hub still runs after Ctrl-C: %v\n%s", err, output)
	}
	if _, err := os.Stat(filepath.Join(home, ".agent-discover")); !os.IsNotExist(err) {
		t.Errorf("the data folder of an installed program was touched: %v", err)
	}
}
