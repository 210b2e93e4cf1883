//go:build linux

package trust_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// installing is a scenario with a home folder that contains a key, and with package registries on loopback from
// which confined servers are installed.
type installing struct {
	*hubtest.Scenario
	*markettest.Packages
	home     string
	npx, uvx string
}

func newInstalling(t *testing.T, config ...string) *installing {
	t.Helper()
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("npx is not installed")
	}
	i := &installing{npx: npx, uvx: filepath.Join(mcptest.UV(t), "uvx")}
	t.Setenv("PATH", filepath.Dir(i.uvx)+":"+os.Getenv("PATH")) // as a program that is installed
	i.Scenario, i.home = confining(t, func(home string) {
		hubtest.Profile(t, home, strings.Join([]string{mcptest.UV(t), filepath.Dir(npx), filepath.Dir(mcptest.Node(t))}, ":"), nil)
		if err := os.Mkdir(filepath.Join(home, ".agent-discover"), 0o700); err != nil {
			t.Fatal(err)
		}
		hubtest.WriteFile(t, filepath.Join(home, ".agent-discover/config.yaml"), strings.Join(config, "\n"))
	})
	i.Packages = markettest.ServePackages(t)
	return i
}

// loot returns the path of the file to which programs write the key if they can read it.
func (i *installing) loot() string { return filepath.Join(i.home, "loot") }

// steal returns a shell command that appends the key to the loot.
func (i *installing) steal() string {
	return fmt.Sprintf("cat '%s/.ssh/id_ed25519' >> '%s'", i.home, i.loot())
}

// add configures a server, starts it, and returns the hub's description of it.
func (i *installing) add(name, level string, env map[string]string, command ...string) string {
	i.T.Helper()
	if env == nil {
		env = map[string]string{}
	}
	body := i.JSON(map[string]any{
		"name": name, "sandbox": level, "warm": false, "start": false, "command": command[0], "args": command[1:], "env": env,
	})
	status, answer := i.Send("POST", "/api/servers", body)
	if status != 201 {
		i.T.Fatalf("%s was not added: %d %s", name, status, answer)
	}
	var added struct{ ID int }
	if err := json.Unmarshal([]byte(answer), &added); err != nil {
		i.T.Fatal(err)
	}
	_, started := i.Send("POST", fmt.Sprintf("/api/servers/%d/activate", added.ID), "")
	_, shown := i.Send("GET", fmt.Sprintf("/api/servers/%d", added.ID), "")
	return started + "\n" + shown
}

func (i *installing) noLoot(what string) {
	i.T.Helper()
	if loot, err := os.ReadFile(i.loot()); err == nil {
		i.T.Errorf("%s: a program outside of the sandbox left:\n%s", what, loot)
		_ = os.Remove(i.loot())
	}
}

func TestPackagesFromGitRepositoriesRunNoProgramsOutsideOfTheSandbox(t *testing.T) {
	i := newInstalling(t)
	repository := filepath.Join(i.home, "repository")
	if err := os.Mkdir(repository, 0o755); err != nil {
		t.Fatal(err)
	}
	hubtest.WriteFile(t, filepath.Join(repository, "package.json"),
		i.JSON(map[string]any{
			"name": "fromgit", "version": "1.0.0", "scripts": map[string]string{"prepare": i.steal()},
			"dependencies": map[string]string{"more": "git+file://" + repository},
		}))
	hubtest.WriteFile(t, filepath.Join(repository, ".npmrc"), "git=./evil.sh\nscript-shell=./evil.sh\n")
	hubtest.WriteFile(t, filepath.Join(repository, "evil.sh"), "#!/bin/sh\n"+i.steal()+"\nexec git \"$@\"\n")
	if err := os.Chmod(filepath.Join(repository, "evil.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "all"},
	} {
		git := exec.CommandContext(t.Context(), "git", args...)
		git.Dir = repository
		if out, err := git.CombinedOutput(); err != nil {
			t.Skipf("git cannot be used: %s", out)
		}
	}
	i.PublishNPM(t, "gitty", nil, map[string]any{"dependencies": map[string]string{"fromgit": "git+file://" + repository}})
	for _, level := range []string{"strict", "guard"} {
		said := i.add(level, level, nil, i.npx, "-y", "--registry="+i.NPM, "gitty@1.0.0")
		i.noLoot(level)
		if !strings.Contains(said, "could not install gitty@1.0.0") {
			t.Errorf("%s: %s", level, said)
		}
	}
	body := i.JSON(map[string]any{
		"name": "warm", "warm": false, "start": false, "command": i.npx, "args": []string{"-y", "--registry=" + i.NPM, "gitty@1.0.0"},
	})
	i.Play(
		hubtest.Step{
			Name: "a server without a sandbox", Method: "POST", Path: "/api/servers", Body: body, Status: 201, Want: []string{`"id":3`},
		},
		hubtest.Step{
			Name: "its package is only downloaded", Method: "POST", Path: "/api/servers/3/preinstall", Status: 500,
			Want: []string{"could not install gitty"},
		},
	)
	i.noLoot("a download")
}

func TestVariablesOfAServerReachNoPackageManager(t *testing.T) {
	i := newInstalling(t)
	evil := filepath.Join(i.home, "evil")
	if err := os.Mkdir(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node", "npm", "git", "sh", "uv", "python3"} {
		hubtest.WriteFile(t, filepath.Join(evil, name), "#!/bin/sh\n"+i.steal()+"\n")
		if err := os.Chmod(filepath.Join(evil, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	code := fmt.Sprintf(`const fs=await import("node:fs");try{fs.appendFileSync(%q,fs.readFileSync(%q))}catch{}`,
		i.loot(), i.home+"/.ssh/id_ed25519")
	i.PublishNPM(t, "small", nil, nil)
	i.PublishWheel(t, "tiny", map[string]string{"tiny.py": "def main(): pass\n"})
	for what, env := range map[string]map[string]string{
		"code of node": {
			"NODE_OPTIONS": "--import=data:text/javascript," + strings.NewReplacer(" ", "%20", `"`, "%22").Replace(code),
		},
		"a PATH": {"PATH": evil + ":/usr/bin:/bin"},
		"settings of npm": {
			"npm_config_git": evil + "/git", "npm_config_script_shell": evil + "/sh", "npm_config_ignore_scripts": "false",
			"NPM_CONFIG_USERCONFIG": evil + "/npmrc",
		},
		"settings of uv":     {"UV_PYTHON": evil + "/python3", "UV_TOOL_BIN_DIR": evil, "UV_CONFIG_FILE": evil + "/uv.toml"},
		"settings of git":    {"GIT_SSH_COMMAND": evil + "/git", "GIT_EXEC_PATH": evil},
		"settings of Python": {"PYTHONPATH": evil, "PYTHONSTARTUP": evil + "/python3", "BASH_ENV": evil + "/sh", "ENV": evil + "/sh"},
	} {
		for _, level := range []string{"strict", "guard"} {
			name := strings.ReplaceAll(what, " ", "-") + "-" + level
			said := i.add(name, level, env, i.npx, "-y", "--registry="+i.NPM, "small")
			i.noLoot(name)
			if installed, _ := filepath.Glob(filepath.Join(i.home, ".agent-discover/sandbox", name, "npx-*",
				".complete")); len(installed) != 1 {
				t.Errorf("%s was not installed: %s", name, said)
			}
			said = i.add(name+"-uv", level, env, i.uvx, "--default-index", i.PyPI, "tiny")
			i.noLoot(name + "-uv")
			if installed, _ := filepath.Glob(filepath.Join(i.home, ".agent-discover/sandbox", name+"-uv",
				"uvx-*", ".complete")); len(installed) != 1 {
				t.Errorf("%s was not installed by uv: %s", name, said)
			}
		}
	}
}

func TestAServerChoosesItsPackageRegistryByVariables(t *testing.T) {
	i := newInstalling(t)
	i.PublishNPM(t, "small", nil, nil)
	said := i.add("small", "strict", map[string]string{"npm_config_registry": i.NPM}, i.npx, "-y", "small")
	if !strings.Contains(said, `"tools":1`) && !strings.Contains(said, "first") {
		t.Errorf("it does not start: %s", said)
	}
}

func TestInstallationScriptsAreConfinedAsTheirServer(t *testing.T) {
	i := newInstalling(t)
	script := fmt.Sprintf(`const fs = require("node:fs"), net = require("node:net");
const can = (what, use) => { try { use(); return what + " " } catch { return "" } };
let got = can("key", () => fs.readFileSync(%q)) + can("files", () => fs.readFileSync(%q)) + can("loot", () => fs.writeFileSync(%q, "x"));
const write = () => { fs.writeFileSync("result", "got: " + got); process.exit(0) };
net.connect(new URL(%q).port, "127.0.0.1").on("connect", () => { got += "network"; write() }).on("error", write);
`, i.home+"/.ssh/id_ed25519", i.home+"/files/a.txt", i.loot(), i.NPM)
	i.PublishNPM(t, "scripted", map[string]string{"install.js": script},
		map[string]any{"scripts": map[string]string{"install": "node install.js"}})
	// The script succeeds in writing to the home folder, because the server has one of its own.
	for level, want := range map[string]string{"strict": "got: loot ", "guard": "got: loot network"} {
		said := i.add(level, level, nil, i.npx, "-y", "--registry="+i.NPM, "scripted")
		results, _ := filepath.Glob(filepath.Join(i.home, ".agent-discover/sandbox", level, "npx-*", "node_modules/scripted/result"))
		if len(results) != 1 {
			t.Errorf("%s: the script did not run: %s", level, said)
			continue
		}
		if got, err := os.ReadFile(results[0]); string(got) != want {
			t.Errorf("%s: the script %q, %v; want %q", level, got, err, want)
		}
		i.noLoot(level)
	}
}

func TestTheScriptOfAPackageEndsWithItsServer(t *testing.T) {
	i := newInstalling(t, "limits: {start_timeout: 1s}")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	i.PublishNPM(t, "lingering", map[string]string{"install.js": fmt.Sprintf(`require("node:net").connect(%d, "127.0.0.1")`,
		listener.Addr().(*net.TCPAddr).Port)}, map[string]any{"scripts": map[string]string{"install": "node install.js"}})
	for at, end := range []hubtest.Step{
		{Name: "stop", Method: "POST", Path: "/api/servers/%d/stop", Status: 200},
		{Name: "disable", Method: "POST", Path: "/api/servers/%d/disable", Status: 200},
		{Name: "remove", Method: "DELETE", Path: "/api/servers/%d", Status: 200},
		{Name: "pause", Method: "POST", Path: "/api/pause", Status: 200},
	} {
		said := i.add(end.Name, "guard", nil, i.npx, "-y", "--registry="+i.NPM, "lingering")
		if !strings.Contains(said, "in the background") {
			t.Fatalf("%s: the installation does not go on: %s", end.Name, said)
		}
		script, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		end.Path = strings.Replace(end.Path, "%d", strconv.Itoa(at+1), 1)
		i.Play(end)
		if _, err := script.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: the script does not end: %v", end.Name, err)
		}
		_ = script.Close()
	}
}

func TestAPreviewOfADownloadRunsNoCodeOfPackages(t *testing.T) {
	i := newInstalling(t)
	hubtest.WriteFile(t, filepath.Join(i.home, ".npmrc"), "registry="+i.NPM+"\n")
	if err := os.MkdirAll(filepath.Join(i.home, ".config/uv"), 0o700); err != nil {
		t.Fatal(err)
	}
	hubtest.WriteFile(t, filepath.Join(i.home, ".config/uv/uv.toml"), fmt.Sprintf("[[index]]\nurl = %q\ndefault = true\n", i.PyPI))
	i.PublishNPM(t, "scripted", nil, map[string]any{"scripts": map[string]string{"install": i.steal()}})
	i.PublishNPM(t, "gitty", nil, map[string]any{"dependencies": map[string]string{"fromgit": "git+file://" + i.home + "/repository"}})
	i.PublishPython("sourced", "sourced-1.0.tar.gz", markettest.Tarball(t, "sourced-1.0/", map[string]string{
		"setup.py": fmt.Sprintf("import os\nos.system(%q)\n", i.steal()),
		"PKG-INFO": "Metadata-Version: 2.1\nName: sourced\nVersion: 1.0\n",
	}))
	for at, row := range []struct{ runner, pkg, want string }{
		{i.npx, "scripted", "Scripts run at the installation, in the sandbox of the server: scripted 1.0.0 (cat "},
		{i.npx, "gitty", "The packages of gitty cannot be installed: "},
		{i.uvx, "sourced", "A Python package is published as source only."},
	} {
		hubtest.RegistryCall(t, i.Hub, i.JSON(map[string]any{
			"action": "install", "name": row.pkg, "command": row.runner, "args": []string{row.pkg},
		}))
		i.Play(hubtest.Step{
			Name: row.pkg, Method: "GET", Path: fmt.Sprintf("/api/servers/%d/download", at+1), Status: 200, Want: []string{row.want},
		})
		i.noLoot(row.pkg)
	}
	if entries, _ := os.ReadDir(filepath.Join(i.home, ".npm")); len(entries) > 0 {
		t.Errorf("the caches of the user are filled: %v", entries)
	}
}

func TestADownloadRunsNoCodeOfPackages(t *testing.T) {
	i := newInstalling(t)
	ran := filepath.Join(i.home, "ran")
	i.PublishWheel(t, "tiny", map[string]string{
		"tiny.py": "def main(): pass\n", "tiny.pth": fmt.Sprintf("import os; os.mkdir(%q)\n", ran),
	})
	server := i.JSON(map[string]any{
		"name": "warm", "warm": false, "start": false, "command": i.uvx, "args": []string{"--default-index", i.PyPI, "tiny"},
	})
	i.Play(
		hubtest.Step{Name: "a server of Python", Method: "POST", Path: "/api/servers", Body: server, Status: 201},
		hubtest.Step{
			Name: "it is downloaded", Method: "POST", Path: "/api/servers/1/preinstall", Status: 200, Want: []string{`"downloaded"`},
		},
	)
	if _, err := os.Stat(ran); err == nil {
		t.Error("code of the package ran")
	}
	if found, _ := filepath.Glob(filepath.Join(i.home, ".cache/uv/archive-v0/*/tiny.py")); len(found) == 0 {
		t.Error("the package is not in the cache of the user")
	}
}

func TestPythonPackagesAreBuiltFromSourceInsideTheWalls(t *testing.T) {
	i := newInstalling(t)
	build := fmt.Sprintf(`import base64
def build_wheel(directory, settings=None, metadata=None):
    try:
        key = open(%q).read()
        open(%q, "a").write(key)
    except OSError: pass
    open(directory + "/sourced-1.0-py3-none-any.whl", "wb").write(base64.b64decode(open("wheel").read()))
    return "sourced-1.0-py3-none-any.whl"
`, i.home+"/.ssh/id_ed25519", i.loot())
	built := base64.StdEncoding.EncodeToString(markettest.Wheel(t, "sourced",
		map[string]string{"sourced.py": "import sys\ndef main(): sys.exit('started')\n"}))
	i.PublishPython("sourced", "sourced-1.0.tar.gz", markettest.Tarball(t, "sourced-1.0/", map[string]string{
		"pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n[project]\n" +
			"name = \"sourced\"\nversion = \"1.0\"\n",
		"backend.py": build, "wheel": built, "PKG-INFO": "Metadata-Version: 2.1\nName: sourced\nVersion: 1.0\n",
	}))
	for _, level := range []string{"strict", "guard"} {
		if said := i.add(level, level, nil, i.uvx, "--default-index", i.PyPI, "sourced"); !strings.Contains(said, "started") {
			t.Errorf("%s: it was not built: %s", level, said)
		}
		i.noLoot(level)
	}
}
