//go:build unix

package servers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// installPrograms writes shell scripts to a folder and puts it first on the PATH of the
// login shell.
func installPrograms(t *testing.T, scripts map[string]string) {
	t.Helper()
	hubtest.SetHome(t)
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	hubtest.WriteFile(t, filepath.Join(os.Getenv("HOME"), ".profile"), "PATH="+dir+":/usr/bin:/bin\nexport PATH\n")
	t.Setenv("PATH", dir)
}

func TestPrerequisitesOfServersAreReported(t *testing.T) {
	installPrograms(t, map[string]string{
		"npx": "echo 10.0.0", "uvx": "echo broken >&2; exit 1", "uv": "exit 1", "docker": "test \"$*\" = --version",
	})
	h, _ := hubtest.RunHub(t, hub.Options{})
	want := `{"npx":true,"uvx":false,"docker":true,"uv":false}`
	hubtest.Row{Name: "prerequisites", Method: "GET", Path: "/api/prereqs", Status: 200, Want: []string{want}}.Send(t, h)
	var exchange struct{ Body map[string]bool }
	if err := json.Unmarshal(hubtest.Recorded(t, "008-rest-prereqs.json"), &exchange); err != nil {
		t.Fatal(err)
	}
	if len(exchange.Body) != 4 {
		t.Errorf("the original reported %v, want 4 programs", exchange.Body)
	}
}

func TestADownloadWithoutItsProgramHasTheStatusOfItsKind(t *testing.T) {
	installPrograms(t, nil)
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\n")})
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "start": false, "command": "uvx", "args": []string{"one"}}, nil)
	hubtest.Row{
		Name: "without uv", Method: "POST", Path: "/api/servers/1/preinstall", Status: 503,
		Want: []string{`"code":"unavailable"`, `\"uv\" was not found`},
	}.Send(t, h)
}

func TestOnlyPackagesOfApprovedServersAreDownloaded(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	installPrograms(t, map[string]string{
		"npm": `echo "npm $* $npm_config_x" >> ` + log +
			`; case "$*" in *nope*) echo "404 nope is not there: $DOOR_TOKEN, open-sesame" >&2; exit 1;; esac`,
		"uv": `echo "uv $*" >> ` + log,
	})
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\n")})
	hubtest.RegistryCall(t, h, `{"action":"install","name":"proposed","command":"npx","args":["-y","evil"]}`)
	for _, r := range []hubtest.Row{
		{
			Name: "unknown id", Method: "POST", Path: "/api/servers/9999/preinstall", Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		{Name: "add server", Method: "POST", Path: "/api/servers", Body: `{"name":"nocmd"}`, Status: 201, Want: []string{`"id":2`}},
		{
			Name: "without a command", Method: "POST", Path: "/api/servers/2/preinstall", Status: 200, Want: []string{
				`{"status":"skipped","reason":"no package name"}`,
			},
		},
		{Name: "preview of an unknown id", Method: "GET", Path: "/api/servers/9999/download", Status: 404},
		{
			Name: "preview without a command", Method: "GET", Path: "/api/servers/2/download", Status: 200, Want: []string{
				`{"status":"nothing","facts":[],"warnings":[],"packages":[],"omitted":0}`,
			},
		},
		{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: `{"name":"fs","command":"node","args":["x.js"]}`,
			Status: 201, Want: []string{`"id":3`, `"program":"node"`},
		},
		{
			Name: "another command", Method: "POST", Path: "/api/servers/3/preinstall", Status: 200, Want: []string{
				`{"status":"skipped","reason":"not an npx/uvx server"}`,
			},
		},
		{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body:   `{"name":"one","start":false,"command":"npx","args":["-y","@a/one@1"],"env":{"npm_config_x":"set"}}`,
			Status: 201, Want: []string{`"id":4`},
		},
		{
			Name: "npx", Method: "POST", Path: "/api/servers/4/preinstall", Status: 200,
			Want: []string{`{"status":"downloaded","package":"@a/one@1"}`},
		},
		{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body: `{"name":"two","start":false,"command":"uvx","args":["--from","two","tool"]}`, Status: 201, Want: []string{`"id":5`},
		},
		{
			Name: "uvx", Method: "POST", Path: "/api/servers/5/preinstall", Status: 200,
			Want: []string{`{"status":"downloaded","package":"two"}`},
		},
		{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body:   `{"name":"three","start":false,"command":"npx","args":["nope"],"env":{"DOOR_TOKEN":"open-sesame"}}`,
			Status: 201, Want: []string{`"id":6`},
		},
		{
			Name: "unknown package", Method: "POST", Path: "/api/servers/6/preinstall", Status: 500, Want: []string{
				`"status":"failed"`, "npm could not install nope: 404 nope is not there: , [redacted]",
			}, Never: []string{"sesame"},
		},
		{
			Name: "proposed by an agent", Method: "POST", Path: "/api/servers/1/preinstall", Status: 403,
			Want: []string{"waits for a person's approval"},
		},
	} {
		r.Send(t, h)
	}
	ran, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(ran)), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "npm install --ignore-scripts ") || !strings.HasSuffix(lines[0], " @a/one@1 ") ||
		lines[1] != "uv tool install --no-progress two" {
		t.Errorf("the commands were\n%s", ran)
	}
	_, git, _ := strings.Cut(lines[0], "--git=")
	folder, _, _ := strings.Cut(git, "/.installing")
	if _, err := os.Stat(folder); folder == "" || !os.IsNotExist(err) {
		t.Errorf("the temporary installation in %q was not removed: %v", folder, err)
	}
}

func TestPackageOfANewServerIsDownloadedInTheBackground(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("could not create a named pipe: %s", out)
	}
	installPrograms(t, map[string]string{"npm": "echo $* > " + pipe}) // npm blocks until the test reads the pipe
	h, _ := hubtest.RunHub(t, hub.Options{})
	var s operations.Server
	hubtest.Do(t, h, http.MethodPost, "/api/servers",
		map[string]any{"name": "no", "command": "npx", "args": []string{"unwanted"}, "start": false, "warm": false}, &s)
	hubtest.Do(t, h, http.MethodPost, "/api/servers",
		map[string]any{"name": "one", "command": "npx", "args": []string{"-y", "wanted"}, "start": false}, &s)
	arguments := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(pipe)
		arguments <- string(data)
	}()
	select {
	case args := <-arguments:
		if !strings.HasSuffix(args, " wanted\n") {
			t.Errorf("npm was run with %s", args)
		}
	case <-time.After(hubtest.Deadline):
		t.Fatal("the package was not downloaded in time")
	}
}

func TestPackageIsDownloadedFromTheUsersRegistry(t *testing.T) {
	npm, env := hubtest.UserNPM(t)
	hubtest.SetHome(t)
	hubtest.Profile(t, os.Getenv("HOME"), filepath.Dir(npm), env)
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\n")})
	var s operations.Server
	hubtest.Do(t, h, http.MethodPost, "/api/servers",
		map[string]any{"name": "ms", "start": false, "command": npm[:len(npm)-len("npm")] + "npx", "args": []string{"-y", "ms@2.1.3"}}, &s)

	hubtest.Row{
		Name: "ms", Method: "POST", Path: fmt.Sprintf("/api/servers/%d/preinstall", s.ID), Status: 200,
		Want: []string{`{"status":"downloaded","package":"ms@2.1.3"}`},
	}.Send(t, h)

	install := exec.CommandContext(t.Context(), npm, "install", "--offline", "--no-save", "--prefix", t.TempDir(), "--cache",
		env["npm_config_cache"], "ms@2.1.3")
	if out, err := install.CombinedOutput(); err != nil {
		t.Errorf("the package is not in the cache: %s", out)
	}
}
