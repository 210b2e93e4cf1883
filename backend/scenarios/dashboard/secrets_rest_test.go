package dashboard_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestRemovedCredentialsAreErasedFromTheDatabase(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	folder := paths.Folder(t.TempDir())
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	const n = 12
	value := func(i int) string { return fmt.Sprintf("correct-horse-battery-%02d", i) }
	for i := range n {
		hubtest.Do(t, h, "POST", "/api/servers",
			map[string]any{"name": fmt.Sprintf("s%d", i), "env": map[string]string{"API_TOKEN": value(i)}}, nil)
	}
	for i := range n {
		path := fmt.Sprintf("/api/servers/%d", i+1)
		switch i % 3 {
		case 0:
			hubtest.Do(t, h, "PUT", path, map[string]any{"env": map[string]string{}}, nil)
		case 1:
			hubtest.Do(t, h, "DELETE", path, nil, nil)
		}
	}
	checkErased := func(when string, removed func(i int) bool) {
		for _, file := range []string{folder.Database(), folder.Database() + "-wal"} {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if removed(i) && bytes.Contains(data, []byte(value(i))) {
					t.Errorf("%s: %s contains credential %d", when, file, i)
				}
			}
		}
	}
	checkErased("after changes and deletions", func(i int) bool { return i%3 != 2 })
	hubtest.Do(t, h, "POST", "/api/secrets/migrate", map[string]any{"dry_run": false}, nil)
	checkErased("after the migration", func(int) bool { return true })
}

func TestSecretsAreManagedOverREST(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	h, _ := hubtest.RunHub(t, hub.Options{})
	const server = `{"name":"one","command":"run","args":["--token","of-one-server"],"env":{"API_KEY":"in-plain-sight","MODE":"fast"}}`
	never := []string{"sk-test-1234567890", "vvvvvv", "of-owner-value", "correct-horse"}
	for _, r := range []hubtest.Row{
		{
			Name: "secrets of an unknown server", Method: "GET", Path: "/api/servers/9999/secrets", Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{
			Name: "set for an unknown server", Method: "PUT", Path: "/api/servers/9999/secrets/K", Body: `{"value":"x"}`, Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{Name: "delete for an unknown server", Method: "DELETE", Path: "/api/servers/9999/secrets/K", Status: 404},
		{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: server, Status: 201,
			Want: []string{`"plaintext":["env.API_KEY","args[1]"]`},
		},
		{
			Name: "add another server", Method: "POST", Path: "/api/servers", Body: `{"name":"two","command":"run"}`, Status: 201,
			Want: []string{`"plaintext":[]`},
		},
		{Name: "no secrets", Method: "GET", Path: "/api/servers/1/secrets", Status: 200, Want: []string{"[]"}},
		{
			Name: "no place to keep secrets", Method: "GET", Path: "/api/secrets", Status: 200, Want: []string{
				`"keeper":"none"`, `"file":"none"`, `"advice":`, `"servers":[]`,
			},
		},
		{
			Name: "set while locked", Method: "PUT", Path: "/api/servers/1/secrets/API_KEY", Body: `{"value":"sk-test-1234567890"}`,
			Status: 503, Want: []string{"agent-discover secrets unlock"}, Never: never,
		},
		{
			Name: "unlock with an empty passphrase", Method: "POST", Path: "/api/secrets/unlock", Body: `{"passphrase":""}`, Status: 422,
			Want: []string{"a passphrase is required"},
		},
		{Name: "unlock with an invalid body", Method: "POST", Path: "/api/secrets/unlock", Body: ``, Status: 422},
		{
			Name: "create the file as a program", Method: "POST", Path: "/api/secrets/unlock", Body: `{"passphrase":"correct-horse"}`,
			Status: 403, Want: []string{`"code":"person_required"`, "only a person may choose the passphrase"}, Never: never,
		},
		{
			Name: "unlock", Method: "POST", Path: "/api/secrets/unlock", Body: `{"passphrase":"correct-horse"}`, Status: 200, Person: true,
			Want: []string{`"keeper":"file"`, `"file":"unlocked"`}, Never: never,
		},
		{
			Name: "it is recorded", Method: "GET", Path: "/api/audit", Status: 200,
			Want: []string{`"code":"chosen the passphrase of the file of secrets"`}, Never: never,
		},
		{
			Name: "unlock with a wrong passphrase", Method: "POST", Path: "/api/secrets/unlock", Body: `{"passphrase":"staple"}`,
			Status: 403, Want: []string{"the passphrase is wrong"}, Never: []string{"staple"},
		},
		{
			Name: "set", Method: "PUT", Path: "/api/servers/1/secrets/API_KEY", Body: `{"value":"sk-test-1234567890"}`, Status: 200,
			Want: []string{`{"key":"API_KEY","status":"set"}`}, Never: never,
		},
		{
			Name: "set a short value", Method: "PUT", Path: "/api/servers/1/secrets/S", Body: `{"value":"abc"}`, Status: 200,
			Want: []string{`"status":"set"`},
		},
		{
			Name: "set an empty value", Method: "PUT", Path: "/api/servers/1/secrets/X", Body: `{"value":""}`, Status: 422,
			Want: []string{`{"error":"value is required","code":`},
		},
		{
			Name: "set without a value", Method: "PUT", Path: "/api/servers/1/secrets/X", Body: `{}`, Status: 422,
			Want: []string{`{"error":"value is required","code":`},
		},
		{
			Name: "set a number", Method: "PUT", Path: "/api/servers/1/secrets/X", Body: `{"value":1}`, Status: 422,
			Want: []string{"value has the wrong type"},
		},
		{
			Name: "set with malformed JSON", Method: "PUT", Path: "/api/servers/1/secrets/X", Body: `{`, Status: 422,
			Want: []string{"Invalid JSON"},
		},
		{
			Name: "set a name with a slash", Method: "PUT", Path: "/api/servers/1/secrets/A%2FB", Body: `{"value":"vvvvvv"}`, Status: 200,
			Want: []string{`{"key":"A/B","status":"set"}`}, Never: never,
		},
		{
			Name: "set an invalid name", Method: "PUT", Path: "/api/servers/1/secrets/a%7Db", Body: `{"value":"x"}`, Status: 422,
			Want: []string{"no }"},
		},
		{
			Name: "list", Method: "GET", Path: "/api/servers/1/secrets", Status: 200, Want: []string{
				`[{"key":"A/B","masked_value":"********","updated_at":"20`, `{"key":"API_KEY","masked_value":"********"`,
				`{"key":"S","masked_value":"********"`,
			}, Never: never,
		},
		{
			Name: "all names", Method: "GET", Path: "/api/secrets", Status: 200, Want: []string{
				`{"server":"one","secrets":[{"key":"A/B","kept":"file","updated_at":"20`, `"links":[]`,
			}, Never: append(never, "****"),
		},
		{Name: "delete", Method: "DELETE", Path: "/api/servers/1/secrets/S", Status: 200, Want: []string{`{"key":"S","status":"deleted"}`}},
		{
			Name: "delete a name with a slash", Method: "DELETE", Path: "/api/servers/1/secrets/A%2FB", Status: 200,
			Want: []string{`{"key":"A/B","status":"deleted"}`},
		},
		{
			Name: "delete an unknown secret", Method: "DELETE", Path: "/api/servers/1/secrets/NOPE", Status: 200,
			Want: []string{`{"key":"NOPE","status":"deleted"}`},
		},
		{
			Name: "list after the deletions", Method: "GET", Path: "/api/servers/1/secrets", Status: 200,
			Want: []string{`[{"key":"API_KEY"`}, Never: []string{`"S"`, "A/B"},
		},

		{
			Name: "a program links", Method: "PUT", Path: "/api/servers/2/links/one/API_KEY", Status: 403,
			Want: []string{"person_required", "only a person may let a server use a secret of another one"},
		},
		{
			Name: "link to an unknown secret", Method: "PUT", Path: "/api/servers/2/links/one/NONE", Status: 404, Person: true,
			Want: []string{`no secret \"NONE\"`},
		},
		{
			Name: "link", Method: "PUT", Path: "/api/servers/2/links/one/API_KEY", Status: 200, Person: true,
			Want: []string{`"status":"linked"`},
		},
		{
			Name: "it is recorded", Method: "GET", Path: "/api/audit", Status: 200,
			Want: []string{`"code":"allowed it the secret API_KEY of one"`},
		},
		{
			Name: "links", Method: "GET", Path: "/api/servers/2/links", Status: 200, Want: []string{
				`[{"server":"one","key":"API_KEY","holds":true}]`,
			},
		},
		{Name: "change the linked server", Method: "PUT", Path: "/api/servers/2", Body: `{"command":"evil"}`, Status: 200},
		{Name: "revoked link", Method: "GET", Path: "/api/servers/2/links", Status: 200, Want: []string{`"holds":false`}},
		{Name: "unlink", Method: "DELETE", Path: "/api/servers/2/links/one/API_KEY", Status: 200, Want: []string{`"status":"unlinked"`}},
		{Name: "unlink again", Method: "DELETE", Path: "/api/servers/2/links/one/API_KEY", Status: 200},
		{Name: "no links", Method: "GET", Path: "/api/servers/2/links", Status: 200, Want: []string{"[]"}},

		{
			Name: "planned migration", Method: "POST", Path: "/api/secrets/migrate", Status: 200, Want: []string{
				`{"server":"one","where":"env.API_KEY","name":"API_KEY","action":"conflict"`,
				`{"server":"one","where":"args[1]","name":"token","action":"move"}`,
			}, Never: append(never, "in-plain-sight", "of-one-server"),
		},
		{
			Name: "migrate an unknown server", Method: "POST", Path: "/api/secrets/migrate", Body: `{"dry_run":false,"servers":["none"]}`,
			Status: 404,
		},
		{
			Name: "migrate", Method: "POST", Path: "/api/secrets/migrate", Body: `{"dry_run":false,"servers":["one"]}`, Status: 200,
			Want: []string{`"name":"token","action":"moved"}`}, Never: append(never, "in-plain-sight", "of-one-server"),
		},
		{
			Name: "server after the migration", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{
				`"--token","${secret:token}"`, `"plaintext":["env.API_KEY"]`,
			}, Never: []string{"of-one-server"},
		},

		{Name: "remove server", Method: "DELETE", Path: "/api/servers/1", Status: 200},
		{
			Name: "add another server of the same name", Method: "POST", Path: "/api/servers", Body: `{"name":"one","command":"run"}`,
			Status: 201,
		},
		{Name: "its secrets", Method: "GET", Path: "/api/servers/3/secrets", Status: 200, Want: []string{"[]"}},
	} {
		r.Send(t, h)
	}
}

func TestPassphraseInTheEnvironmentUnlocksTheSecrets(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	folder := paths.Folder(t.TempDir())
	run := func(passphrase string, rows ...hubtest.Row) {
		t.Helper()
		t.Setenv("AGENT_DISCOVER_PASSPHRASE", passphrase)
		h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
		if os.Getenv("AGENT_DISCOVER_PASSPHRASE") != "" {
			t.Error("the passphrase was not removed from the environment")
		}
		for _, r := range rows {
			r.Send(t, h)
		}
		h.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	run("correct-horse",
		hubtest.Row{Name: "add server", Method: "POST", Path: "/api/servers", Body: `{"name":"one","command":"run"}`, Status: 201},
		hubtest.Row{Name: "set secret", Method: "PUT", Path: "/api/servers/1/secrets/KEY", Body: `{"value":"battery"}`, Status: 200})
	run("",
		hubtest.Row{
			Name: "locked secret", Method: "GET", Path: "/api/servers/1/secrets", Status: 200, Want: []string{`"masked_value":"********"`},
		},
		hubtest.Row{
			Name: "start that needs the secret", Method: "POST", Path: "/api/servers/1/activate", Status: 503,
			Want: []string{`secret \"KEY\" cannot be read`, "secrets unlock"},
		})
	run("a wrong one", hubtest.Row{
		Name: "wrong passphrase", Method: "GET", Path: "/api/secrets", Status: 200, Want: []string{`"file":"locked"`},
	})
	run("correct-horse", hubtest.Row{
		Name: "unlocked secret", Method: "GET", Path: "/api/servers/1/secrets", Status: 200, Want: []string{`"masked_value":"********"`},
	})
	log, err := os.ReadFile(folder.Log())
	if err != nil || !strings.Contains(string(log), "secrets file not unlocked") || strings.Contains(string(log), "a wrong one") {
		t.Errorf("error %v; the log must report the locked file without the passphrase: %s", err, log)
	}
}

func TestSecretNamesMayContainAlmostAnyCharacter(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.Row{Name: "add server", Method: "POST", Path: "/api/servers", Body: `{"name":"one","command":"run"}`, Status: 201}.Send(t, h)
	for _, name := range []string{"a b", "ä/ö", "50%", "a?b#c", "//", "a\\b", "a+b&c=d"} {
		path := "/api/servers/1/secrets/" + url.PathEscape(name)
		hubtest.Row{Name: name, Method: "PUT", Path: path, Body: `{"value":"x"}`, Status: 200}.Send(t, h)
		hubtest.Row{Name: name, Method: "DELETE", Path: path, Status: 200}.Send(t, h)
		hubtest.Row{Name: name, Method: "GET", Path: "/api/servers/1/secrets", Status: 200, Want: []string{"[]"}}.Send(t, h)
	}
}
