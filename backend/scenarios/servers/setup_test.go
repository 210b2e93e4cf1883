package servers_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to create a database as the original product does

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestSetupFileIsReadAsByTheOriginal(t *testing.T) {
	hubtest.SetHome(t)
	run, _ := filepath.Abs(t.TempDir())
	setupFile := hubtest.WriteFile(t, filepath.Join(run, "setup.json"), `{"servers":[
		{"name":"from-setup","description":"declared","command":"node","args":["/servers/server-memory/dist/index.js"],
		 "env":{"MEMORY_FILE_PATH":"$RUN_DIR/mem.json"},"tags":["setup"],"secrets":{"EMPTY":"$UNSET_VAR"}},
		{"command":"node"}]}`)
	hubtest.WriteFile(t, filepath.Join(run, "setup.local.json"),
		`{"servers":[{"name":"local-extra","transport":"streamable-http","url":"http://127.0.0.1:9/mcp"}]}`)
	t.Setenv("AGENT_DISCOVER_SETUP_FILE", setupFile)
	t.Setenv("AGENT_DISCOVER_ROOTS", "file:///a, file:///b")
	t.Setenv("RUN_DIR", run)
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "discovery: {start_new: false}\n")}) // as in the original

	servers := listed(t, h, 2)

	vars := []string{"{{SERVERS}}", "/servers", "{{RUN}}", strings.Trim(hubtest.InJSON(run), `"`)}
	var original struct{ Body []map[string]any }
	if err := json.Unmarshal(hubtest.Recorded(t, "010-rest-servers-after-setup-sync.json", vars...), &original); err != nil {
		t.Fatal(err)
	}
	for i, want := range original.Body {
		for key, value := range want {
			if got, has := servers[i][key]; !has || !strings.HasSuffix(key, "_at") && !reflect.DeepEqual(got, value) {
				t.Errorf("%v: %s is %v, recorded is %v", want["name"], key, got, value)
			}
		}
	}
	for path, name := range map[string]string{"POST /api/sync": "011-rest-sync.json", "GET /api/roots": "009-rest-roots.json"} {
		var got, want any
		method, route, _ := strings.Cut(path, " ")
		hubtest.Do(t, h, method, route, nil, &got)
		var exchange struct{ Body json.RawMessage }
		if err := json.Unmarshal(hubtest.Recorded(t, name), &exchange); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(exchange.Body, &want); err != nil {
			t.Fatal(err)
		}
		if result, ok := got.(map[string]any); ok && path == "POST /api/sync" {
			if unset := fmt.Sprint(result["unset_variables"]); unset != "[UNSET_VAR]" {
				t.Errorf("the variables that are not set are %s", unset)
			}
			delete(result, "unset_variables")
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, recorded is %v", path, got, want)
		}
	}
	for arguments, name := range map[string]string{
		`{"action":"sync"}`: "134-mcp-registry-sync.json", `{"action":"sync","file":` + hubtest.InJSON(filepath.Join(run, "nope.json")) +
			`}`: "135-mcp-registry-sync-file.json",
	} {
		var exchange struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal(hubtest.Recorded(t, name), &exchange); err != nil {
			t.Fatal(err)
		}
		got := strings.Replace(hubtest.RegistryCall(t, h, arguments), ",\n  \"unset_variables\": [\n    \"UNSET_VAR\"\n  ]", "", 1)
		if got != exchange.Result.Content[0].Text {
			t.Errorf("%s: got %s, recorded is %s", arguments, got, exchange.Result.Content[0].Text)
		}
	}
}

func TestConfiguredSetupFileActivatesServers(t *testing.T) {
	hubtest.SetHome(t)
	program, servers := hubtest.PinnedServers(t)
	folder := hubtest.NewDataFolder(t, "setup_file: mine/setup.jsonc\n")
	if err := os.Mkdir(filepath.Join(string(folder), "mine"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := hubtest.WriteFile(t, filepath.Join(string(folder), "mine", "setup.jsonc"), fmt.Sprintf(`{"servers":[ // beside config.yaml
		{"name":"memory","command":%q,"args":[%q],"env":{"MEMORY_FILE_PATH":"$MEMORY_FOLDER/mem.json"},"auto_activate":true},
		{"name":"broken","command":"no-such-program","auto_activate":true},]}`, program, filepath.Join(servers, "server-memory", "dist",
		"index.js")))
	memory := t.TempDir()
	t.Setenv("MEMORY_FOLDER", memory)
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	listed(t, h, 2)

	var r setup.SyncResult // the request waits for the sync at the start of the hub
	hubtest.Do(t, h, http.MethodPost, "/api/sync", nil, &r)

	if len(r.Registered) > 0 || !reflect.DeepEqual(r.Skipped, []string{"memory", "broken"}) ||
		len(r.Errors) != 1 || r.Errors[0].Name != "broken" || !strings.Contains(r.Errors[0].Error, "not found on PATH") {
		t.Errorf("got %+v", r)
	}
	var status struct{ Servers []struct{ Name string } }
	hubtest.Do(t, h, http.MethodGet, "/api/status", nil, &status)
	if len(status.Servers) != 1 || status.Servers[0].Name != "memory" {
		t.Errorf("the always listed servers are %v, want memory", status)
	}
	result := hubtest.RegistryCall(t, h,
		`{"action":"proxy_call","call_as":"mcp__memory__create_entities","arguments":{"entities":[{"name":"x","entityType":"y","observations":[]}]}}`)
	if _, err := os.Stat(filepath.Join(memory, "mem.json")); err != nil {
		t.Errorf("the server did not use MEMORY_FILE_PATH: %v\n%s", err, result)
	}
	hubtest.Row{
		Name: "missing file", Method: "POST", Path: "/api/sync", Body: `{"file":"` + file + `.none"}`, Status: 200,
		Want: []string{`"registered":[]`, `"errors":[]`},
	}.Send(t, h)
	hubtest.Row{
		Name: "relative path", Method: "POST", Path: "/api/sync", Body: `{"file":"setup.json"}`, Status: 422,
		Want: []string{"absolute path"},
	}.Send(t, h)
	hubtest.Row{
		Name: "not an object", Method: "POST", Path: "/api/sync", Body: `[]`, Status: 422, Want: []string{"must be a JSON object"},
	}.Send(t, h)
}

func TestSetupFileNamedByAnAgentFollowsTheInstallSetting(t *testing.T) {
	hubtest.SetHome(t)
	file := hubtest.WriteFile(t, filepath.Join(t.TempDir(), "agents.json"), `{"servers":[{"name":"one","command":"no-such-program"}]}`)
	for install, want := range map[string]string{
		"ask": `"waiting_for_approval"`, "allow": `"registered": [` + "\n    \"one\"", "deny": "agents may not name a setup file here",
	} {
		h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "agents: {install: "+install+"}\n")})
		if got := hubtest.RegistryCall(t, h, `{"action":"sync","file":`+hubtest.InJSON(file)+`}`); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", install, got)
		}
		var servers []operations.Server
		hubtest.Do(t, h, http.MethodGet, "/api/servers", nil, &servers)
		if install == "deny" && len(servers) != 0 ||
			install != "deny" && (len(servers) != 1 || servers[0].Approved != (install == "allow")) {
			t.Errorf("%s: the servers are %+v", install, servers)
		}
	}
}

// databaseOfTheOriginal writes a database of the original product that contains the server "memory".
func databaseOfTheOriginal(t *testing.T, program, servers string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "agent-discover.db")
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
	return file
}

func TestDatabaseThatAProgramImportsWaitsForApproval(t *testing.T) {
	hubtest.SetHome(t)
	h, _ := hubtest.RunHub(t, hub.Options{})
	var report setup.ImportReport

	hubtest.Do(t, h, http.MethodPost, "/api/import", map[string]any{"path": databaseOfTheOriginal(t, "/no/such-program", t.TempDir())},
		&report)

	if report.Totals.Imported != 1 || !report.Servers[0].Waiting {
		t.Errorf("the import returned %+v", report)
	}
	if result := hubtest.RegistryCall(t, h,
		`{"action":"proxy_call","call_as":"mcp__memory__read_graph","arguments":{}}`); !strings.Contains(result,
		"waits for a person's approval") {
		t.Errorf("its tool returned %s", result)
	}
}

func TestDatabaseOfTheOriginalIsImportedOverREST(t *testing.T) {
	hubtest.SetHome(t)
	program, servers := hubtest.PinnedServers(t)
	h, _ := hubtest.RunHub(t, hub.Options{})
	file := databaseOfTheOriginal(t, program, servers)
	body := map[string]any{"path": file, "dry_run": true}
	var planned, report setup.ImportReport
	hubtest.Do(t, h, http.MethodPost, "/api/import", body, &planned)
	if got := listed(t, h, 0); len(got) > 0 || planned.Totals.Imported != 1 {
		t.Errorf("the dry run returned %+v and imported %v", planned, got)
	}
	body["dry_run"] = false

	person, end, err := instance.NewClient(h.Info()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := person.Do(t.Context(), http.MethodPost, "/api/import", body, &report); err != nil {
		t.Fatal(err)
	}

	if report.Totals.Imported != 1 || report.Totals.Tools != 1 {
		t.Errorf("the import returned %+v", report)
	}
	if s := listed(t, h, 1)[0]; s["active"] != true || s["running"] != false || s["tool_count"] != 1.0 {
		t.Errorf("the imported server is %v", s)
	}
	if result := hubtest.RegistryCall(t, h,
		`{"action":"proxy_call","call_as":"mcp__memory__read_graph","arguments":{}}`); !strings.Contains(result, "entities") {
		t.Errorf("its tool returned %s", result)
	}
	for _, r := range []hubtest.Row{
		{Name: "without a path", Method: "POST", Path: "/api/import", Body: `{}`, Status: 422, Want: []string{"absolute path"}},
		{Name: "without a body", Method: "POST", Path: "/api/import", Body: ``, Status: 422, Want: []string{"Invalid JSON"}},
		{
			Name: "missing file", Method: "POST", Path: "/api/import", Body: `{"path":"` + file + `.none"}`, Status: 404,
			Want: []string{"there is no file"},
		},
		{
			Name: "not a database", Method: "POST", Path: "/api/import",
			Body:   `{"path":"` + filepath.Join(servers, "server-memory", "package.json") + `"}`,
			Status: 422, Want: []string{"not an SQLite database"},
		},
	} {
		r.Send(t, h)
	}
}
