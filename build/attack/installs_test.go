//go:build linux

package attack

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// installation is a server that npx or uvx starts from registries on loopback.
type installation struct {
	name    string
	command string // npx or uvx
	pkg     string
	attacks map[string]string // the attacks that are made with it, by the names of their scripts
	// variables are made at once by variables of the server; their files are in a folder that servers do not see.
	variables []variation
	publish   func(t *testing.T, i *installing)
	starts    int  // if it is not 1
	installed bool // whether the package can be installed at all levels
}

// installing is the home of a user with package registries and a listener on loopback.
type installing struct {
	*programtest.Home
	*markettest.Packages
	*instance.Client
	listener string // address of a server of the user
	folder   string // has the files of variations
}

// steal returns a shell command that leaves the key where it can, for a script with this name.
func (i *installing) steal(name string) string {
	return stealing(name, filepath.Join(i.Dir, ".ssh/id_ed25519"), i.Dir, ".", "${TMPDIR:-.}")
}

// phases are what is tried with each installation, in this order: the download of the package of an unconfined server, its
// start, and its starts in sandboxes.
var phases = []struct{ name, level string }{
	{"its download for `off`", "off"}, {"off", "off"}, {"`guard`", "guard"}, {"`strict`", "strict"},
}

func TestPackagesOfServersAreConfinedOrTheirSuccessIsDocumented(t *testing.T) {
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("npx is not installed")
	}
	programs := map[string]string{"npx": npx, "uvx": filepath.Join(mcptest.UV(t), "uvx")}
	results := make(map[string]result) // by phase
	for _, phase := range phases {
		results[phase.name] = make(result)
	}
	var mu sync.Mutex
	t.Run("installations", func(t *testing.T) {
		for _, one := range installations {
			t.Run(one.name, func(t *testing.T) {
				t.Parallel()
				found := one.run(t, programs)
				mu.Lock()
				defer mu.Unlock()
				for phase, r := range found {
					maps.Copy(results[phase], r)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	x := table{heading: "| a package that `npx` or `uvx` starts tries to |", rows: ofPackages}
	for _, phase := range phases {
		if phase.name != "off" {
			x.columns = append(x.columns, phase.name)
		}
	}
	x.compare(t, func(phase string, attack row) string { return cellOf(results[phase], attack.name) })
}

// run makes the attacks of an installation. It leaves out those of which no variation succeeds without a sandbox.
func (one installation) run(t *testing.T, programs map[string]string) map[string]result {
	i := newInstalling(t, programs)
	if one.publish != nil {
		one.publish(t, i)
	}
	env, names := make(map[string]string), maps.Clone(one.attacks)
	for _, v := range one.variables {
		v = v.filled(i.folder, i.Dir)
		v.put(t, i.folder, filepath.Join(i.Dir, ".ssh/id_ed25519"), i.Dir, ".", "${TMPDIR:-.}")
		maps.Copy(env, v.variables)
		if names == nil {
			names = make(map[string]string)
		}
		names[v.name] = v.attack
	}
	p := plants{Home: i.Dir, Data: string(i.Folder)}
	results := make(map[string]result)
	for n, phase := range phases {
		said := one.start(t, i, fmt.Sprintf("server%d", n), phase.level, phase.name == phases[0].name, programs[one.command], env)
		found := stolen(t, p)
		results[phase.name] = make(result)
		for script, attack := range names {
			results[phase.name][attack+": "+script] = found[script]
			if testing.Verbose() {
				t.Logf("%s, %s: %v", phase.name, script, found[script])
			}
		}
		if complete, _ := filepath.Glob(filepath.Join(p.Data, "sandbox", fmt.Sprintf("server%d", n), "*/.complete")); len(complete) == 0 &&
			one.installed && phase.level != "off" {
			t.Errorf("%s: the package was not installed: %v", phase.name, said)
		}
	}
	for _, attack := range names { // one variation that succeeds without a sandbox shows that it is an attack
		if cellOf(results["off"], attack) == refused {
			t.Logf("left out, because it does not succeed without a sandbox: %s", attack)
			for _, r := range results {
				maps.DeleteFunc(r, func(name string, _ bool) bool { return strings.HasPrefix(name, attack+": ") })
			}
		}
	}
	return results
}

// start adds a server at a level, and starts it or only downloads its package. The error says what did not work, as is
// usual for attacks.
func (one installation) start(t *testing.T, i *installing, name, level string, download bool, program string, env map[string]string,
) (said error) {
	args := []string{"-y", "--registry=" + i.NPM, one.pkg}
	if one.command == "uvx" {
		args = []string{"--default-index", i.PyPI, one.pkg}
	}
	var added struct{ ID int }
	if err := i.Do(t.Context(), http.MethodPost, "/api/servers", map[string]any{
		"name": name, "sandbox": level, "warm": false, "start": false, "command": program, "args": args, "env": env,
	}, &added); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/api/servers/%d/", added.ID)
	if download {
		return i.Do(t.Context(), http.MethodPost, path+"preinstall", nil, nil)
	}
	for range max(one.starts, 1) {
		said = i.Do(t.Context(), http.MethodPost, path+"start", nil, nil)
		_ = i.Do(t.Context(), http.MethodPost, path+"stop", nil, nil) // it may have ended
	}
	return said
}

// newInstalling starts a hub with a home folder that contains the key, a program and files of the user.
func newInstalling(t *testing.T, programs map[string]string) *installing {
	i := &installing{Home: programtest.NewHome(t), Packages: markettest.ServePackages(t)}
	i.folder = filepath.Join(i.Dir, "planted")
	archive := markettest.Tarball(t, "package/", map[string]string{"package.json": `{"name":"archive","version":"1.0.0"}`, "secret": key})
	path := filepath.Dir(programs["uvx"]) + ":" + filepath.Dir(programs["npx"]) + ":/usr/local/bin:/usr/bin:/bin"
	for name, text := range map[string]string{
		".npmrc": "fetch-retries=0\n", ".ssh/id_ed25519": key, ".profile": "export PATH='" + path + "'\n",
		"private/secret": key, "private/archive.tgz": string(archive),
		"private/package.json": `{"name":"folder","version":"1.0.0"}`, "private/lib/keep": "",
		"private/bin/tool": "#!/bin/sh\nread -r found <'" + i.Dir + "/private/secret'; echo \"$found\" >'" + i.Dir + "/stolen-link'\n",
	} {
		file := filepath.Join(i.Dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/bin/sh", filepath.Join(i.Dir, "private/bin/python3")); err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = os.WriteFile(filepath.Join(i.Dir, "stolen-address"), nil, 0o600) // the file is missing if this fails, so the test fails
		_, _ = w.Write(archive)
	}))
	t.Cleanup(listener.Close)
	i.listener = listener.URL
	i.Set("PATH", path) // so that npx and uvx count as installed
	i.Serve()
	i.Client = instance.NewClient(i.RunningHub())
	return i
}
