//go:build unix

package hub_test

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
)

// installPrograms writes shell scripts to a folder and puts it first on the PATH of the
// login shell.
func installPrograms(t *testing.T, scripts map[string]string) {
	t.Helper()
	setHome(t)
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(os.Getenv("HOME"), ".profile"), "PATH="+dir+":/usr/bin:/bin\nexport PATH\n")
	t.Setenv("PATH", dir)
}

func TestPrerequisitesOfServersAreReported(t *testing.T) {
	installPrograms(t, map[string]string{"npx": "echo 10.0.0", "uvx": "echo broken >&2; exit 1", "uv": "exit 1", "docker": "test \"$*\" = --version"})
	h, _ := runHub(t, hub.Options{})
	want := `{"npx":true,"uvx":false,"docker":true,"uv":false}`
	row{"prerequisites", "GET", "/api/prereqs", "", nil, 200, []string{want}, nil}.send(t, h)
	var exchange struct{ Body map[string]bool }
	if err := json.Unmarshal(recorded(t, "008-rest-prereqs.json"), &exchange); err != nil {
		t.Fatal(err)
	}
	if len(exchange.Body) != 4 {
		t.Errorf("the original reported %v, want 4 programs", exchange.Body)
	}
}

func TestOnlyPackagesOfApprovedServersAreDownloaded(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	installPrograms(t, map[string]string{
		"npm": `echo "npm $* $npm_config_x" >> ` + log + `; case "$*" in *nope*) echo "404 nope is not there: $DOOR_TOKEN, open-sesame" >&2; exit 1;; esac`,
		"uv":  `echo "uv $*" >> ` + log,
	})
	h, _ := runHub(t, hub.Options{Folder: newDataFolder(t, "warm_packages: false\n")})
	registryCall(t, h, `{"action":"install","name":"proposed","command":"npx","args":["-y","evil"]}`)
	for _, r := range []row{
		{"unknown id", "POST", "/api/servers/9999/preinstall", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"add server", "POST", "/api/servers", `{"name":"nocmd"}`, nil, 201, []string{`"id":2`}, nil},
		{"without a command", "POST", "/api/servers/2/preinstall", "", nil, 200, []string{`{"status":"skipped","reason":"no package name"}`}, nil},
		{"add server", "POST", "/api/servers", `{"name":"fs","command":"node","args":["x.js"]}`, nil, 201, []string{`"id":3`}, nil},
		{"another command", "POST", "/api/servers/3/preinstall", "", nil, 200, []string{`{"status":"skipped","reason":"not an npx/uvx server"}`}, nil},
		{"add server", "POST", "/api/servers", `{"name":"one","start":false,"command":"npx","args":["-y","@a/one@1"],"env":{"npm_config_x":"set"}}`, nil, 201, []string{`"id":4`}, nil},
		{"npx", "POST", "/api/servers/4/preinstall", "", nil, 200, []string{`{"status":"downloaded","package":"@a/one@1"}`}, nil},
		{"add server", "POST", "/api/servers", `{"name":"two","start":false,"command":"uvx","args":["--from","two","tool"]}`, nil, 201, []string{`"id":5`}, nil},
		{"uvx", "POST", "/api/servers/5/preinstall", "", nil, 200, []string{`{"status":"downloaded","package":"two"}`}, nil},
		{"add server", "POST", "/api/servers", `{"name":"three","start":false,"command":"npx","args":["nope"],"env":{"DOOR_TOKEN":"open-sesame"}}`, nil, 201, []string{`"id":6`}, nil},
		{"unknown package", "POST", "/api/servers/6/preinstall", "", nil, 500, []string{`"status":"failed"`, "npm could not install nope: 404 nope is not there: , [redacted]"}, []string{"sesame"}},
		{"proposed by an agent", "POST", "/api/servers/1/preinstall", "", nil, 403, []string{"waits for a person's approval"}, nil},
	} {
		r.send(t, h)
	}
	ran, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(ran)), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "npm install --ignore-scripts ") || !strings.HasSuffix(lines[0], " @a/one@1 ") || lines[1] != "uv tool install --no-progress two" {
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
	installPrograms(t, map[string]string{"npm": "echo $* > " + pipe}) // waits for a reader
	h, _ := runHub(t, hub.Options{})
	var s operations.Server
	do(t, h, http.MethodPost, "/api/servers", map[string]any{"name": "no", "command": "npx", "args": []string{"unwanted"}, "start": false, "warm": false}, &s)
	do(t, h, http.MethodPost, "/api/servers", map[string]any{"name": "one", "command": "npx", "args": []string{"-y", "wanted"}, "start": false}, &s)
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
	case <-time.After(deadline):
		t.Fatal("the package was not downloaded in time")
	}
}

// profile gives the login shell of a home folder a PATH that begins with a folder, and variables.
func profile(t *testing.T, home, path string, env map[string]string) {
	t.Helper()
	text := "export PATH='" + path + ":/usr/bin:/bin'\n"
	for name, value := range env {
		text += "export " + name + "='" + value + "'\n"
	}
	writeFile(t, filepath.Join(home, ".profile"), text)
}

// userNPM returns the path of npm and the variables with which it uses the settings of the person who runs the tests, and a
// cache of its own. It skips the test if the registry of npm cannot be reached.
func userNPM(t *testing.T) (npm string, env map[string]string) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	cache := t.TempDir()
	view := exec.CommandContext(t.Context(), npm, "view", "ms@2.1.3", "version", "--fetch-retries=0", "--fetch-timeout=20000", "--cache", cache)
	if out, err := view.Output(); err != nil || strings.TrimSpace(string(out)) != "2.1.3" {
		t.Skip("the package registry cannot be reached")
	}
	config, _ := exec.Command(npm, "config", "get", "userconfig").Output()
	env = map[string]string{"npm_config_userconfig": strings.TrimSpace(string(config)), "npm_config_cache": cache}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "npm_config_registry"} {
		if value, set := os.LookupEnv(name); set {
			env[name] = value
		}
	}
	return npm, env
}

func TestPackageIsDownloadedFromTheUsersRegistry(t *testing.T) {
	npm, env := userNPM(t)
	setHome(t)
	profile(t, os.Getenv("HOME"), filepath.Dir(npm), env)
	h, _ := runHub(t, hub.Options{Folder: newDataFolder(t, "warm_packages: false\n")})
	var s operations.Server
	do(t, h, http.MethodPost, "/api/servers", map[string]any{"name": "ms", "start": false, "command": npm[:len(npm)-len("npm")] + "npx", "args": []string{"-y", "ms@2.1.3"}}, &s)

	row{"ms", "POST", fmt.Sprintf("/api/servers/%d/preinstall", s.ID), "", nil, 200, []string{`{"status":"downloaded","package":"ms@2.1.3"}`}, nil}.send(t, h)

	install := exec.CommandContext(t.Context(), npm, "install", "--offline", "--no-save", "--prefix", t.TempDir(), "--cache", env["npm_config_cache"], "ms@2.1.3")
	if out, err := install.CombinedOutput(); err != nil {
		t.Errorf("the package is not in the cache: %s", out)
	}
}
