//go:build linux

package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// copiedHome returns a home whose hub has ended, with a copy of its database. The copy has two servers, of which the
// first has started, and a toolset.
func copiedHome(t *testing.T) *programtest.Home {
	t.Helper()
	h := programtest.NewHome(t)
	h.Set("AGENT_DISCOVER_PASSPHRASE", "correct-horse")
	s := h.Serve()
	h.Add("seen", mcptest.Command(t))
	h.Must("servers", "add", "unseen", "--no-start", "--", "true")
	h.SetSecret("seen", "TOKEN", "staple")
	h.Must("toolset", "create", "mine", "seen.echo")
	person, end, err := instance.NewClient(h.RunningHub()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := person.Do(t.Context(), http.MethodPost, "/api/tokens", map[string]string{"name": "client"}, nil); err != nil {
		t.Fatal(err)
	}
	stopHub(t, s)
	if err := store.Copy(t.Context(), h.Folder.Database()); err != nil {
		t.Fatal(err)
	}
	return h
}

func stopHub(t *testing.T, s *programtest.Hub) {
	t.Helper()
	programtest.Signal(t, s.PID, syscall.SIGTERM)
	s.Exit()
}

func TestRepairTakesLostRowsFromTheNewestCopyOnlyWithConsent(t *testing.T) {
	t.Parallel()
	h := copiedHome(t)
	damageTable(t, h.Folder.Database(), "servers")
	damageTable(t, h.Folder.Database(), "toolsets")
	before, err := os.ReadFile(h.Folder.Database())
	if err != nil {
		t.Fatal(err)
	}

	out := h.Run("doctor", "--repair")
	if out.Code != 1 {
		t.Errorf("without a terminal: exit code %d, %s", out.Code, out.Stdout)
	}
	programtest.Contains(t, out.Stderr,
		"copied ", "2 servers (seen, unseen), 1 toolset", "not taken from a copy", "1 server waits for your approval then",
		"nothing was changed", "--yes", "--no-copy")
	if after, err := os.ReadFile(h.Folder.Database()); err != nil || !slices.Equal(after, before) {
		t.Errorf("the database was changed: %v", err)
	}
	if left, _ := filepath.Glob(h.Folder.Database() + ".*"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}

	said := h.Must("doctor", "--repair", "--yes")
	programtest.Contains(t, said,
		"Saved from it: 0 servers, 1 secret, ", "Some servers, toolsets could not be read",
		"Taken from "+store.Copies(h.Folder.Database())[0]+": 2 servers (seen, unseen), 1 toolset",
		"1 server waits for your approval", "agent-discover servers approve")
	h.Serve()
	programtest.Contains(t, h.Must("call", "seen__echo", "text=hello"), "hello")
	programtest.Contains(t, h.Must("toolset", "show", "mine"), "seen.echo")
	programtest.Contains(t, h.Must("servers", "show", "unseen", "--json"), `"approved": false`, `"source": "copy"`)
	out = h.Run("servers", "approve", "unseen")
	programtest.Contains(t, out.Stderr, "was not approved: only a person may do that")
}

func TestRepairRestoresALostDatabaseFromItsCopyAlone(t *testing.T) {
	t.Parallel()
	h := copiedHome(t)
	if err := os.WriteFile(h.Folder.Database(), []byte(strings.Repeat("garbage ", 2048)), 0o600); err != nil {
		t.Fatal(err)
	}
	var done struct {
		Saved []struct{ Rows int }
		Copy  store.Supplement
	}
	h.MustJSON(&done, "doctor", "--repair", "--yes", "--json")
	if !done.Copy.Taken || !slices.Equal(done.Copy.Servers, []string{"seen", "unseen"}) ||
		!slices.Equal(done.Copy.Waiting, done.Copy.Servers) {
		t.Errorf("got %+v", done)
	}
	h.Serve()
	for _, server := range []string{"seen", "unseen"} { // approvals are not restored
		programtest.Contains(t, h.Must("servers", "show", server, "--json"), `"approved": false`, `"sandbox"`)
	}
	if out := h.Run("call", "seen__echo", "text=hello"); out.Code != 4 {
		t.Errorf("a server that waits for approval was called: %+v", out)
	}
	if said := h.Must("token", "list"); !strings.Contains(said, "There are no tokens") {
		t.Errorf("a token came back: %s", said)
	}
	programtest.Contains(t, h.Must("secrets", "list", "seen"), "TOKEN")
	h.Approve("seen")
	programtest.Contains(t, h.Must("call", "seen__echo", "text=hello"), "hello")
}

func TestRepairWithoutACopyTakesNothingFromIt(t *testing.T) {
	t.Parallel()
	h := copiedHome(t)
	damageTable(t, h.Folder.Database(), "servers")
	if said := h.Must("doctor", "--repair", "--no-copy"); strings.Contains(said, "Taken") {
		t.Errorf("it says %s", said)
	}
	h.Serve()
	programtest.Contains(t, h.Must("servers", "list"), "No server is configured")
}
