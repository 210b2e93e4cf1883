package hub_test

import (
	"bufio"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"

	_ "modernc.org/sqlite" // makes a database as the original product does

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// node returns the Node that runs the npm servers, and their folder.
func node(t *testing.T) (program, servers string) {
	t.Helper()
	return mcptest.Node(t), mcptest.Package(t, "@modelcontextprotocol")
}

// recorded returns an exchange with the original product.
func recorded(t *testing.T, name string, vars ...string) (response json.RawMessage) {
	t.Helper()
	data, err := os.ReadFile(reference.Path(t, "golden", "original", name))
	if err != nil {
		t.Fatal(err)
	}
	var exchange struct{ Response json.RawMessage }
	if err := json.Unmarshal([]byte(strings.NewReplacer(vars...).Replace(string(data))), &exchange); err != nil {
		t.Fatal(err)
	}
	return exchange.Response
}

// atHome gives the test a home of its own, whose login shell is asked quickly.
func atHome(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("SHELL", "/bin/sh")
}

// data makes a data folder with settings.
func data(t *testing.T, settings string) paths.Folder {
	t.Helper()
	folder := paths.Folder(filepath.Join(t.TempDir(), "data"))
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.Config(), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// do sends a request as a person's program does.
func do(t *testing.T, h *hub.Hub, method, path string, body, out any) {
	t.Helper()
	if err := instance.NewClient(h.Info()).Do(t.Context(), method, path, body, out); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

// tryDo is do for what may fail.
func tryDo(t *testing.T, h *hub.Hub, method, path string, body any) error {
	t.Helper()
	return instance.NewClient(h.Info()).Do(t.Context(), method, path, body, nil)
}

// registryCall calls the tool that agents have, in a session of its own.
func registryCall(t *testing.T, h *hub.Hub, arguments string) string {
	t.Helper()
	session, err := companion.Dial(t.Context(), h.Info(), "1.2.3", rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	_, err = io.WriteString(session, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"registry","arguments":`+arguments+"}}\n")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewReader(session); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			ID     any
			Result struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal([]byte(line), &answer) == nil && fmt.Sprint(answer.ID) == "2" {
			return answer.Result.Content[0].Text
		}
	}
}

// listed waits until the hub has so many servers.
func listed(t *testing.T, h *hub.Hub, n int) []map[string]any {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 6000 {
		var servers []map[string]any
		do(t, h, http.MethodGet, "/api/servers", nil, &servers)
		if len(servers) == n {
			return servers
		}
		<-tick.C
	}
	t.Fatalf("there are never %d servers", n)
	return nil
}

func TestSetupFileComesInAsItDidInTheOriginal(t *testing.T) {
	atHome(t)
	run, _ := filepath.Abs(t.TempDir())
	setupFile := write(t, filepath.Join(run, "setup.json"), `{"servers":[
		{"name":"from-setup","description":"declared","command":"node","args":["/servers/server-memory/dist/index.js"],
		 "env":{"MEMORY_FILE_PATH":"$RUN_DIR/mem.json"},"tags":["setup"],"secrets":{"EMPTY":"$UNSET_VAR"}},
		{"command":"node"}]}`)
	write(t, filepath.Join(run, "setup.local.json"), `{"servers":[{"name":"local-extra","transport":"streamable-http","url":"http://127.0.0.1:9/mcp"}]}`)
	t.Setenv("AGENT_DISCOVER_SETUP_FILE", setupFile)
	t.Setenv("AGENT_DISCOVER_ROOTS", "file:///a, file:///b")
	t.Setenv("RUN_DIR", run)
	h, _ := runHub(t, hub.Options{})

	ours := listed(t, h, 2)

	vars := []string{"{{SERVERS}}", "/servers", "{{RUN}}", run}
	var theirs struct{ Body []map[string]any }
	if err := json.Unmarshal(recorded(t, "010-rest-servers-after-setup-sync.json", vars...), &theirs); err != nil {
		t.Fatal(err)
	}
	for i, want := range theirs.Body {
		for key, value := range want {
			if got, has := ours[i][key]; !has || !strings.HasSuffix(key, "_at") && !reflect.DeepEqual(got, value) {
				t.Errorf("%v: %s is %v, was %v", want["name"], key, got, value)
			}
		}
	}
	for path, name := range map[string]string{"POST /api/sync": "011-rest-sync.json", "GET /api/roots": "009-rest-roots.json"} {
		var got, want any
		method, route, _ := strings.Cut(path, " ")
		do(t, h, method, route, nil, &got)
		var exchange struct{ Body json.RawMessage }
		if err := json.Unmarshal(recorded(t, name), &exchange); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(exchange.Body, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, was %v", path, got, want)
		}
	}
	for arguments, name := range map[string]string{
		`{"action":"sync"}`: "134-mcp-registry-sync.json", `{"action":"sync","file":"/nope.json"}`: "135-mcp-registry-sync-file.json",
	} {
		var exchange struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal(recorded(t, name), &exchange); err != nil {
			t.Fatal(err)
		}
		if got := registryCall(t, h, arguments); got != exchange.Result.Content[0].Text {
			t.Errorf("%s: got %s, was %s", arguments, got, exchange.Result.Content[0].Text)
		}
	}
}

func TestSetupFileOfTheSettingsStartsWhatItActivates(t *testing.T) {
	atHome(t)
	program, servers := node(t)
	folder := data(t, "setup_file: mine/setup.jsonc\n")
	if err := os.Mkdir(filepath.Join(string(folder), "mine"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(string(folder), "mine", "setup.jsonc"), fmt.Sprintf(`{"servers":[ // beside config.yaml
		{"name":"memory","command":%q,"args":[%q],"env":{"MEMORY_FILE_PATH":"$MEMORY_FOLDER/mem.json"},"auto_activate":true},
		{"name":"broken","command":"no-such-program","auto_activate":true},]}`, program, filepath.Join(servers, "server-memory", "dist", "index.js")))
	memory := t.TempDir()
	t.Setenv("MEMORY_FOLDER", memory)
	h, _ := runHub(t, hub.Options{Folder: folder})
	listed(t, h, 2)

	var r setup.SyncResult // waits for the start's own: a server is started once
	do(t, h, http.MethodPost, "/api/sync", nil, &r)

	if len(r.Registered) > 0 || !reflect.DeepEqual(r.Skipped, []string{"memory", "broken"}) ||
		len(r.Errors) != 1 || r.Errors[0].Name != "broken" || !strings.Contains(r.Errors[0].Error, "not found on PATH") {
		t.Errorf("got %+v", r)
	}
	var status struct{ Servers []struct{ Name string } }
	do(t, h, http.MethodGet, "/api/status", nil, &status)
	if len(status.Servers) != 1 || status.Servers[0].Name != "memory" {
		t.Errorf("active are %v", status)
	}
	said := registryCall(t, h, `{"action":"proxy_call","call_as":"mcp__memory__create_entities","arguments":{"entities":[{"name":"x","entityType":"y","observations":[]}]}}`)
	if _, err := os.Stat(filepath.Join(memory, "mem.json")); err != nil {
		t.Errorf("its variable did not reach it: %v\n%s", err, said)
	}
	row{"another file", "POST", "/api/sync", `{"file":"` + file + `.none"}`, nil, 200, []string{`"registered":[]`, `"errors":[]`}, nil}.send(t, h)
	row{"a path without a folder", "POST", "/api/sync", `{"file":"setup.json"}`, nil, 422, []string{"absolute path"}, nil}.send(t, h)
	row{"no object", "POST", "/api/sync", `[]`, nil, 422, []string{"must be a JSON object"}, nil}.send(t, h)
}

func TestFileThatAnAgentNamesFollowsTheSettings(t *testing.T) {
	atHome(t)
	file := write(t, filepath.Join(t.TempDir(), "agents.json"), `{"servers":[{"name":"one","command":"no-such-program"}]}`)
	for install, want := range map[string]string{
		"ask": `"waiting_for_approval"`, "allow": `"registered": [` + "\n    \"one\"", "deny": "agents may not name a setup file here",
	} {
		h, _ := runHub(t, hub.Options{Folder: data(t, "agents: {install: "+install+"}\n")})
		if got := registryCall(t, h, `{"action":"sync","file":"`+file+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", install, got)
		}
		var servers []resources.Server
		do(t, h, http.MethodGet, "/api/servers", nil, &servers)
		if install == "deny" && len(servers) != 0 || install != "deny" && (len(servers) != 1 || servers[0].Approved != (install == "allow")) {
			t.Errorf("%s: there are %+v", install, servers)
		}
	}
}

func TestDatabaseOfTheOriginalComesInOverREST(t *testing.T) {
	atHome(t)
	program, servers := node(t)
	h, _ := runHub(t, hub.Options{})
	file := filepath.Join(t.TempDir(), "agent-discover.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer func() { _ = db.Close() }()
	args, _ := json.Marshal([]string{filepath.Join(servers, "server-memory", "dist", "index.js")})
	for _, statement := range []string{
		"PRAGMA journal_mode=WAL", "CREATE TABLE servers (id INTEGER PRIMARY KEY, name TEXT, command TEXT, args TEXT, active BOOLEAN)",
		"CREATE TABLE server_tools (server_id INTEGER, name TEXT, input_schema TEXT)",
		"CREATE TABLE server_secrets (server_id INTEGER, key TEXT, value TEXT)",
		fmt.Sprintf("INSERT INTO servers VALUES (1, 'memory', '%s', '%s', 1)", program, args),
		"INSERT INTO server_tools VALUES (1, 'read_graph', '{}')", "INSERT INTO server_secrets VALUES (1, 'TOKEN', 'hunter2')",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	body := map[string]any{"path": file, "dry_run": true}
	var dry, wet setup.ImportReport
	do(t, h, http.MethodPost, "/api/import", body, &dry)
	if got := listed(t, h, 0); len(got) > 0 || dry.Totals.Imported != 1 {
		t.Errorf("dry: %+v, %v", dry, got)
	}
	body["dry_run"] = false

	do(t, h, http.MethodPost, "/api/import", body, &wet)

	if wet.Totals.Imported != 1 || wet.Totals.Tools != 1 {
		t.Errorf("got %+v", wet)
	}
	if s := listed(t, h, 1)[0]; s["active"] != true || s["running"] != false || s["tool_count"] != 1.0 {
		t.Errorf("it is %v", s)
	}
	if said := registryCall(t, h, `{"action":"proxy_call","call_as":"mcp__memory__read_graph","arguments":{}}`); !strings.Contains(said, "entities") {
		t.Errorf("its tool says %s", said)
	}
	for _, r := range []row{
		{"no path", "POST", "/api/import", `{}`, nil, 422, []string{"absolute path"}, nil},
		{"no body", "POST", "/api/import", ``, nil, 422, []string{"Invalid JSON"}, nil},
		{"no file", "POST", "/api/import", `{"path":"` + file + `.none"}`, nil, 404, []string{"there is no file"}, nil},
		{"another file", "POST", "/api/import", `{"path":"` + filepath.Join(servers, "server-memory", "package.json") + `"}`, nil, 422, []string{"not an SQLite database"}, nil},
	} {
		r.send(t, h)
	}
}
