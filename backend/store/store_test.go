package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func openStore(t *testing.T) (*Store, string) {
	t.Helper()
	name := "a name with ? and #.db"
	if runtime.GOOS == "windows" {
		name = "a name with %3f and #.db" // Windows does not allow a question mark in names
	}
	file := filepath.Join(t.TempDir(), name)
	s, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, file
}

func TestServersAreReadAsStored(t *testing.T) {
	s, file := openStore(t)
	at := time.UnixMilli(1790000000123).UTC()
	want := registry.Server{
		Name: "github", Description: "issues", Source: "manual", Transport: "stdio", Command: "npx",
		Args: []string{"-y", "x y"}, Env: map[string]string{"A": "b=c"}, Dir: "~/x", Tags: []string{"git"},
		Package: registry.Package{Name: "p", Version: "1", Latest: "2"}, Repository: "r", URL: "h",
		Installed: true, AlwaysListed: true, KeepRunning: true, Approved: true,
		Health:    registry.Health{Status: "healthy", CheckedAt: at, Errors: 3, LastError: "boom"},
		CreatedAt: at, UpdatedAt: at, Timeouts: registry.Timeouts{Start: 90 * time.Second, Call: 1500 * time.Millisecond},
	}
	id, err := s.Servers.InsertServer(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.Description = id, "issues and pulls"
	if err := s.Servers.UpdateServer(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	got, err := again.Servers.Servers(t.Context())
	if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("other users have access to the file: %v, %v", info.Mode(), err)
	}
}

func TestServersAreFoundByTheBeginningsOfWords(t *testing.T) {
	s, _ := openStore(t)
	add := func(name, description string, tags ...string) int64 {
		id, err := s.Servers.InsertServer(t.Context(), registry.Server{Name: name, Description: description, Tags: tags})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	git := add("git-hub", "issues of repositories")
	files := add("files", "read and write", "disk")
	for query, want := range map[string][]int64{
		"git": {git}, "hub issue": {git}, "DIS": {files}, `"disk"*`: {files}, "wri read": {files},
		"nothing": nil, "-": nil, `a"b`: nil, "git disk": nil,
	} {
		got, err := s.Servers.MatchServers(t.Context(), query)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, %v, want %v", query, got, err, want)
		}
	}
	if err := s.Servers.UpdateServer(t.Context(), registry.Server{ID: git, Name: "git-hub", Description: "pulls"}); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Servers.MatchServers(t.Context(), "issues"); got != nil {
		t.Errorf("a search finds the old description: %v", got)
	}
	if err := s.Servers.DeleteServer(t.Context(), git); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Servers.MatchServers(t.Context(), "pulls"); got != nil {
		t.Errorf("a search finds a deleted server: %v", got)
	}
}

func TestToolsAreReadByteForByteInTheirOrder(t *testing.T) {
	s, _ := openStore(t)
	defs := []string{`{"name":"z", "n" : 9007199254740993}`, `{"name":"a","description":"é"}`}
	var tools []*catalog.Tool
	for _, def := range defs {
		tool, ok := catalog.NewTool("srv", json.RawMessage(def))
		if !ok {
			t.Fatal(def)
		}
		tools = append(tools, tool)
	}
	if err := s.Tools.ReplaceTools(t.Context(), "srv", tools, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Tools.SetTokens(t.Context(), map[catalog.Key]int{{Server: "srv", Tool: "a"}: 12}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Tools.Tools(t.Context())
	if err != nil || len(got) != 2 {
		t.Fatalf("got %d tools, %v", len(got), err)
	}
	for i, def := range defs {
		if string(got[i].Definition) != def || got[i].Hash != tools[i].Hash {
			t.Errorf("tool %d: %s", i, got[i].Definition)
		}
	}
	if got[0].Tokens != 0 || got[1].Tokens != 12 {
		t.Errorf("tokens %d, %d", got[0].Tokens, got[1].Tokens)
	}
	if err := s.Tools.ReplaceTools(t.Context(), "srv", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Tools.Tools(t.Context()); len(got) != 0 {
		t.Errorf("%d tools are left, want none", len(got))
	}
}

func TestToolsOfManyServersAreRead(t *testing.T) {
	s, _ := openStore(t)
	var want []string
	for i := range 9 {
		server := fmt.Sprint("srv", i)
		if i%2 == 0 { // tools may be stored without their server
			if _, err := s.Servers.InsertServer(t.Context(), registry.Server{Name: server}); err != nil {
				t.Fatal(err)
			}
		}
		var tools []*catalog.Tool
		for k := range 3 {
			tool, _ := catalog.NewTool(server, fmt.Appendf(nil, `{"name":"t%d"}`, 3-k))
			tool.ID = int64(10*i + k)
			tools, want = append(tools, tool), append(want, fmt.Sprint(tool.ID, " ", tool.Proxied()))
		}
		if err := s.Tools.ReplaceTools(t.Context(), server, tools, nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Tools.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range all {
		got = append(got, fmt.Sprint(tool.ID, " ", tool.Proxied()))
	}
	if !slices.Equal(got, want) {
		t.Errorf("read %v\nwant %v", got, want)
	}
}

func TestSessionToolsAreKeptForTheirSession(t *testing.T) {
	s, _ := openStore(t)
	want := []catalog.Key{{Server: "a", Tool: "x"}, {Server: "b", Tool: "y"}}
	for _, lent := range [][]catalog.Key{want[:1], want} {
		if err := s.SessionTools.SaveSessionTools(t.Context(), "one", lent); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.SessionTools.SessionTools(t.Context(), "one"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := s.SessionTools.ForgetSessionTools(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.SessionTools.SessionTools(t.Context(), "one"); err != nil || !reflect.DeepEqual(got, want[1:]) {
		t.Errorf("after the tools of a were deleted: %v, %v", got, err)
	}
	if got, err := s.SessionTools.SessionTools(t.Context(), "two"); err != nil || got != nil {
		t.Errorf("another session got %v, %v", got, err)
	}
}

func TestOpenReportsDamageAndChangesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "discover.db")
	garbage := strings.Repeat("this is no database ", 500)
	if err := os.WriteFile(file, []byte(garbage), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), file)
	if fault.KindOf(err) != fault.Failed || !strings.Contains(fault.MessageOf(err), "doctor --repair") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadFile(file); string(left) != garbage {
		t.Error("the file was changed")
	}
}

func TestABusyDatabaseIsNotReportedAsDamaged(t *testing.T) {
	s, file := openStore(t)
	if err := Inspect(t.Context(), file); err != nil {
		t.Errorf("while the database is open: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := open(file, "rw", 1, "locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if _, err := other.ExecContext(t.Context(), "CREATE TABLE mine (a)"); err != nil {
		t.Fatal(err)
	}
	err = Inspect(t.Context(), file)
	if err == nil || Damaged(err) || !strings.Contains(fault.MessageOf(err), "in use by another program") {
		t.Errorf("got %v", err)
	}
}

func TestInspectReportsDamageAndChangesNothing(t *testing.T) {
	s, file := openStore(t)
	for i := range 100 {
		if _, err := s.Servers.InsertServer(t.Context(), registry.Server{
			Name: strings.Repeat("n", i+1), Description: strings.Repeat("long ", 500),
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(whole) / 2; i < len(whole); i++ {
		whole[i] = 0xff
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Inspect(t.Context(), file); !Damaged(err) || !strings.Contains(fault.MessageOf(err), "doctor --repair") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadFile(file); string(left) != string(whole) {
		t.Error("the file was changed")
	}
	if err := Inspect(t.Context(), file+"-absent"); err != nil {
		t.Errorf("missing file: %v", err)
	}
	if !Damaged(fmt.Errorf("outer: %w", errors.Join(errors.New("other"), damage("page 3")))) {
		t.Error("Damaged does not recognize wrapped damage")
	}
}

func TestInspectDoesNotMigrate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.db")
	db, err := open(file, "rwc", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE older (a)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := Inspect(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
}

// openRaw opens a database without the checks of Open.
func openRaw(file string) (*sql.DB, error) {
	return sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: toSlash(file)}).String())
}
