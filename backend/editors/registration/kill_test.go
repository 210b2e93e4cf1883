//go:build unix

package registration

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// childFolder is the environment variable that makes the test program a child, which registers and
// undoes until it is killed. Its value is the folder in which the child works.
const childFolder = "REGISTRATION_TEST_CHILD"

func TestMain(m *testing.M) {
	if root := os.Getenv(childFolder); root != "" {
		registerAndUndo(root)
	}
	os.Exit(m.Run())
}

// registrarIn returns a Registrar on a simulated machine below a folder.
func registrarIn(root string) *Registrar {
	machine := table.Machine{
		OS: "linux", Home: "/home/me", Root: filepath.Join(root, "disk"), Variable: func(string) string { return "" },
		Stat: os.Stat, Glob: filepath.Glob, Read: os.ReadFile, Command: func(string) (string, bool) { return "", false },
	}
	return New(Options{
		Machine: machine, Folder: filepath.Join(root, "data"),
		Entry:   table.Server{Transport: "stdio", Command: filepath.Join(root, "agent-discover"), Args: []string{"mcp"}},
		Running: func(context.Context, []string) bool { return false },
	})
}

// registerAndUndo registers and undoes until the process is killed.
func registerAndUndo(root string) {
	r := registrarIn(root)
	r.files.disk.Rest = time.Millisecond
	// Syncing is not needed: writes survive the death of the process, though not a crash of the
	// machine.
	r.files.disk.Sync = func(*os.File) error { return nil }
	for n := 0; ; n++ {
		out, err := r.Apply(context.Background(), Request{Action: Register, Editors: []string{"cursor"}})
		if err != nil || out[0].Status == refused || out[0].Status == failed {
			fmt.Println("failed:", out, err)
			os.Exit(1)
		}
		fmt.Println(n)
		if _, err := r.Undo(context.Background(), []string{out[0].Change}, nil); err != nil && out[0].Change != "" {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
}

func TestKilledProcessesLeaveTheOldOrTheNewFile(t *testing.T) {
	rounds := 30
	if os.Getenv("AGENT_DISCOVER_TEST_KILLS") != "" {
		rounds = 200
	}
	root := t.TempDir()
	rg := &rig{T: t, root: root, Registrar: registrarIn(root)}
	rg.program(".")
	path := rg.file("cursor", `{"mcpServers": {"a": {"command": "`+strings.Repeat("x", 50_000)+`"}}}`)
	old := rg.read(path)
	rg.undo(done, rg.register("cursor", done))
	rg.register("cursor", done)
	fresh := rg.read(path)
	rg.unregister("cursor", done)
	counts, halfWritten := map[bool]int{}, 0
	for range rounds {
		killed(t, root)
		text := rg.read(path)
		if text != old && text != fresh {
			t.Fatalf("the file of %d bytes is neither the old nor the new one", len(text))
		}
		counts[text == fresh]++
		if strings.Contains(rg.names(filepath.Dir(path)), ".discover-") {
			halfWritten++
		}
		rg.Registrar = registrarIn(root)
		if _, err := rg.History(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if rg.read(path) == old {
			rg.register("cursor", done)
		} else {
			rg.unregister("cursor", done)
		}
		if names := rg.names(filepath.Dir(path)); names != "mcp.json" {
			t.Fatalf("temporary files are left: %s", names)
		}
		rg.write(path, old)
	}
	t.Logf("found the old file %d times, the new one %d times, and a temporary file %d times", counts[false], counts[true], halfWritten)
}

// killed starts the test program as a child and kills it at a random moment
// after its first round.
func killed(t *testing.T, root string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childFolder+"="+root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || strings.HasPrefix(lines.Text(), "failed") {
		t.Error(lines.Text())
	}
	moment := time.NewTimer(rand.N(20 * time.Millisecond))
	<-moment.C
	_ = cmd.Process.Kill()
	rest, _ := io.ReadAll(out)
	if strings.Contains(string(rest), "failed") {
		t.Errorf("%s", rest)
	}
}
