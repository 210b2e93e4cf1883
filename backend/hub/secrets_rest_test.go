package hub_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestRemovedCredentialsAreErasedFromTheDatabase(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	folder := paths.Folder(t.TempDir())
	h, _ := runHub(t, hub.Options{Folder: folder})
	const n = 12
	value := func(i int) string { return fmt.Sprintf("correct-horse-battery-%02d", i) }
	for i := range n {
		do(t, h, "POST", "/api/servers", map[string]any{"name": fmt.Sprintf("s%d", i), "env": map[string]string{"API_TOKEN": value(i)}}, nil)
	}
	for i := range n {
		path := fmt.Sprintf("/api/servers/%d", i+1)
		switch i % 3 {
		case 0:
			do(t, h, "PUT", path, map[string]any{"env": map[string]string{}}, nil)
		case 1:
			do(t, h, "DELETE", path, nil, nil)
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
	do(t, h, "POST", "/api/secrets/migrate", map[string]any{"dry_run": false}, nil)
	checkErased("after the migration", func(int) bool { return true })
}

func TestSecretsAreManagedOverREST(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	h, _ := runHub(t, hub.Options{})
	const server = `{"name":"one","command":"run","args":["--token","of-one-server"],"env":{"API_KEY":"in-plain-sight","MODE":"fast"}}`
	never := []string{"sk-test-1234567890", "vvvvvv", "of-owner-value", "correct-horse"}
	for _, r := range []row{
		{"secrets of an unknown server", "GET", "/api/servers/9999/secrets", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"set for an unknown server", "PUT", "/api/servers/9999/secrets/K", `{"value":"x"}`, nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"delete for an unknown server", "DELETE", "/api/servers/9999/secrets/K", "", nil, 404, nil, nil},
		{"add server", "POST", "/api/servers", server, nil, 201, []string{`"plaintext":["env.API_KEY","args[1]"]`}, nil},
		{"add another server", "POST", "/api/servers", `{"name":"two","command":"run"}`, nil, 201, []string{`"plaintext":[]`}, nil},
		{"no secrets", "GET", "/api/servers/1/secrets", "", nil, 200, []string{"[]"}, nil},
		{"no place to keep secrets", "GET", "/api/secrets", "", nil, 200, []string{`"keeper":"none"`, `"file":"none"`, `"advice":`, `"servers":[]`}, nil},
		{"set while locked", "PUT", "/api/servers/1/secrets/API_KEY", `{"value":"sk-test-1234567890"}`, nil, 503, []string{"agent-discover secrets unlock"}, never},
		{"unlock with an empty passphrase", "POST", "/api/secrets/unlock", `{"passphrase":""}`, nil, 422, []string{"a passphrase is required"}, nil},
		{"unlock with an invalid body", "POST", "/api/secrets/unlock", ``, nil, 422, nil, nil},
		{"unlock", "POST", "/api/secrets/unlock", `{"passphrase":"correct-horse"}`, nil, 200, []string{`"keeper":"file"`, `"file":"unlocked"`}, never},
		{"unlock with a wrong passphrase", "POST", "/api/secrets/unlock", `{"passphrase":"staple"}`, nil, 403, []string{"the passphrase is wrong"}, []string{"staple"}},
		{"set", "PUT", "/api/servers/1/secrets/API_KEY", `{"value":"sk-test-1234567890"}`, nil, 200, []string{`{"key":"API_KEY","status":"set"}`}, never},
		{"set a short value", "PUT", "/api/servers/1/secrets/S", `{"value":"abc"}`, nil, 200, []string{`"status":"set"`}, nil},
		{"set an empty value", "PUT", "/api/servers/1/secrets/X", `{"value":""}`, nil, 422, []string{`{"error":"value is required","code":`}, nil},
		{"set without a value", "PUT", "/api/servers/1/secrets/X", `{}`, nil, 422, []string{`{"error":"value is required","code":`}, nil},
		{"set a number", "PUT", "/api/servers/1/secrets/X", `{"value":1}`, nil, 422, []string{"value has the wrong type"}, nil},
		{"set with malformed JSON", "PUT", "/api/servers/1/secrets/X", `{`, nil, 422, []string{"Invalid JSON"}, nil},
		{"set a name with a slash", "PUT", "/api/servers/1/secrets/A%2FB", `{"value":"vvvvvv"}`, nil, 200, []string{`{"key":"A/B","status":"set"}`}, never},
		{"set an invalid name", "PUT", "/api/servers/1/secrets/a%7Db", `{"value":"x"}`, nil, 422, []string{"no }"}, nil},
		{"list", "GET", "/api/servers/1/secrets", "", nil, 200, []string{`[{"key":"A/B","masked_value":"********","updated_at":"20`, `{"key":"API_KEY","masked_value":"********"`, `{"key":"S","masked_value":"********"`}, never},
		{"all names", "GET", "/api/secrets", "", nil, 200, []string{`{"server":"one","secrets":[{"key":"A/B","kept":"file","updated_at":"20`, `"links":[]`}, append(never, "****")},
		{"delete", "DELETE", "/api/servers/1/secrets/S", "", nil, 200, []string{`{"key":"S","status":"deleted"}`}, nil},
		{"delete a name with a slash", "DELETE", "/api/servers/1/secrets/A%2FB", "", nil, 200, []string{`{"key":"A/B","status":"deleted"}`}, nil},
		{"delete an unknown secret", "DELETE", "/api/servers/1/secrets/NOPE", "", nil, 200, []string{`{"key":"NOPE","status":"deleted"}`}, nil},
		{"list after the deletions", "GET", "/api/servers/1/secrets", "", nil, 200, []string{`[{"key":"API_KEY"`}, []string{`"S"`, "A/B"}},

		{"link to an unknown secret", "PUT", "/api/servers/2/links/one/NONE", "", nil, 404, []string{`no secret \"NONE\"`}, nil},
		{"link", "PUT", "/api/servers/2/links/one/API_KEY", "", nil, 200, []string{`"status":"linked"`}, nil},
		{"links", "GET", "/api/servers/2/links", "", nil, 200, []string{`[{"server":"one","key":"API_KEY","holds":true}]`}, nil},
		{"change the linked server", "PUT", "/api/servers/2", `{"command":"evil"}`, nil, 200, nil, nil},
		{"revoked link", "GET", "/api/servers/2/links", "", nil, 200, []string{`"holds":false`}, nil},
		{"unlink", "DELETE", "/api/servers/2/links/one/API_KEY", "", nil, 200, []string{`"status":"unlinked"`}, nil},
		{"unlink again", "DELETE", "/api/servers/2/links/one/API_KEY", "", nil, 200, nil, nil},
		{"no links", "GET", "/api/servers/2/links", "", nil, 200, []string{"[]"}, nil},

		{"planned migration", "POST", "/api/secrets/migrate", "", nil, 200, []string{`{"server":"one","where":"env.API_KEY","name":"API_KEY","action":"conflict"`, `{"server":"one","where":"args[1]","name":"token","action":"move"}`}, append(never, "in-plain-sight", "of-one-server")},
		{"migrate an unknown server", "POST", "/api/secrets/migrate", `{"dry_run":false,"servers":["none"]}`, nil, 404, nil, nil},
		{"migrate", "POST", "/api/secrets/migrate", `{"dry_run":false,"servers":["one"]}`, nil, 200, []string{`"name":"token","action":"moved"}`}, append(never, "in-plain-sight", "of-one-server")},
		{"server after the migration", "GET", "/api/servers/1", "", nil, 200, []string{`"--token","${secret:token}"`, `"plaintext":["env.API_KEY"]`}, []string{"of-one-server"}},

		{"remove server", "DELETE", "/api/servers/1", "", nil, 200, nil, nil},
		{"add another server of the same name", "POST", "/api/servers", `{"name":"one","command":"run"}`, nil, 201, nil, nil},
		{"its secrets", "GET", "/api/servers/3/secrets", "", nil, 200, []string{"[]"}, nil},
	} {
		r.send(t, h)
	}
}

func TestPassphraseInTheEnvironmentUnlocksTheSecrets(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	folder := paths.Folder(t.TempDir())
	run := func(passphrase string, rows ...row) {
		t.Helper()
		t.Setenv("AGENT_DISCOVER_PASSPHRASE", passphrase)
		h, ended := runHub(t, hub.Options{Folder: folder})
		if os.Getenv("AGENT_DISCOVER_PASSPHRASE") != "" {
			t.Error("the passphrase was not removed from the environment")
		}
		for _, r := range rows {
			r.send(t, h)
		}
		h.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	run("correct-horse",
		row{"add server", "POST", "/api/servers", `{"name":"one","command":"run"}`, nil, 201, nil, nil},
		row{"set secret", "PUT", "/api/servers/1/secrets/KEY", `{"value":"battery"}`, nil, 200, nil, nil})
	run("",
		row{"locked secret", "GET", "/api/servers/1/secrets", "", nil, 200, []string{`"masked_value":"********"`}, nil},
		row{"start that needs the secret", "POST", "/api/servers/1/activate", "", nil, 503, []string{`secret \"KEY\" cannot be read`, "secrets unlock"}, nil})
	run("a wrong one", row{"wrong passphrase", "GET", "/api/secrets", "", nil, 200, []string{`"file":"locked"`}, nil})
	run("correct-horse", row{"unlocked secret", "GET", "/api/servers/1/secrets", "", nil, 200, []string{`"masked_value":"********"`}, nil})
	log, err := os.ReadFile(folder.Log())
	if err != nil || !strings.Contains(string(log), "secrets file not unlocked") || strings.Contains(string(log), "a wrong one") {
		t.Errorf("error %v; the log must report the locked file without the passphrase: %s", err, log)
	}
}

func TestSecretNamesMayContainAlmostAnyCharacter(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	h, _ := runHub(t, hub.Options{})
	row{"add server", "POST", "/api/servers", `{"name":"one","command":"run"}`, nil, 201, nil, nil}.send(t, h)
	for _, name := range []string{"a b", "ä/ö", "50%", "a?b#c", "//", "a\\b", "a+b&c=d"} {
		path := "/api/servers/1/secrets/" + url.PathEscape(name)
		row{name, "PUT", path, `{"value":"x"}`, nil, 200, nil, nil}.send(t, h)
		row{name, "DELETE", path, "", nil, 200, nil, nil}.send(t, h)
		row{name, "GET", "/api/servers/1/secrets", "", nil, 200, []string{"[]"}, nil}.send(t, h)
	}
}
