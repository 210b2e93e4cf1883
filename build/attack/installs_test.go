//go:build linux

package attack

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

var everywhere = flag.Bool("everywhere", false, "make the attacks of packages on all systems, and not only on the first one")

// installation is a server that npx or uvx starts from registries on loopback.
type installation struct {
	name    string
	command string // npx or uvx
	pkg     string
	options func(i *installing) []string // further options of npx or uvx; nil for none
	attacks map[string]string            // the attacks that are made with it, by the names of their scripts
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

	mu     sync.Mutex
	wanted map[string]string // variables of the server
	passed map[string]bool   // those that a program had which asked a registry
}

// steal returns a shell command that leaves the key where it can, for a script with this name.
func (i *installing) steal(name string) string {
	return stealing(name, filepath.Join(i.Dir, ".ssh/id_ed25519"), i.Dir, ".", "${TMPDIR:-.}")
}

// phases are what is tried with each installation, in this order: the download of the package of an unconfined server, its
// start, and its starts in sandboxes.
var phases = []struct{ name, level string }{
	{"while its package is downloaded for `off`", "off"}, {"off", "off"}, {"in `guard`", "guard"}, {"in `strict`", "strict"},
}

func TestPackagesOfServersAreConfinedOrTheirSuccessIsDocumented(t *testing.T) {
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("npx is not installed")
	}
	programs := map[string]string{"npx": npx, "uvx": filepath.Join(mcptest.UV(t), "uvx")}
	results := make(map[string]map[string]result) // by system and phase
	possible := make(map[string]map[string]bool)  // names of the attacks that succeed without a sandbox, by installation
	var mu sync.Mutex
	for n, on := range systems {
		results[on.name] = make(map[string]result)
		if n > 0 && !*everywhere {
			continue
		}
		t.Run(on.name, func(t *testing.T) {
			for _, one := range installations {
				t.Run(one.name, func(t *testing.T) {
					t.Parallel()
					mu.Lock()
					known := possible[one.name]
					mu.Unlock()
					found, works := one.run(t, on, programs, known)
					mu.Lock()
					defer mu.Unlock()
					possible[one.name] = works
					for phase, r := range found {
						if results[on.name][phase] == nil {
							results[on.name][phase] = make(result)
						}
						maps.Copy(results[on.name][phase], r)
					}
				})
			}
		})
	}
	if t.Failed() {
		return
	}
	x := table{heading: "| a package that `npx` or `uvx` starts tries to |", rows: ofPackages}
	for _, on := range systems {
		x.columns = append(x.columns, on.name)
	}
	x.compare(t, func(on string, attack row) string { return cellOfPhases(results[on], attack.name) })
}

// run makes the attacks of an installation on a system. It returns the results by phases, and the attacks that succeed
// without a sandbox, which known has unless it is nil. It leaves out the attacks of which no variation succeeds so.
func (one installation) run(t *testing.T, on system, programs map[string]string, known map[string]bool,
) (results map[string]result, works map[string]bool) {
	i := newInstalling(t, on, programs)
	if one.publish != nil {
		one.publish(t, i)
	}
	names := one.prepare(t, i)
	p := plants{Home: i.Dir, Data: string(i.Folder)}
	results, works = make(map[string]result), maps.Clone(known)
	for n, phase := range phases {
		if phase.name == "off" && known != nil {
			continue
		}
		name := fmt.Sprintf("server%d", n)
		starts, said := one.start(t, i, name, phase.level, phase.name == phases[0].name, programs[one.command])
		found, tried := stolen(t, p), make(result)
		maps.Copy(found, i.reached())
		for script, attack := range names {
			tried[attack+": "+script] = found[script]
			if testing.Verbose() {
				t.Logf("%s, %s: %v", phase.name, script, found[script])
			}
		}
		if phase.name == "off" {
			works = tried
		} else if starts {
			results[phase.name] = tried
		}
		if complete, _ := filepath.Glob(filepath.Join(p.Data, "sandbox", name, "*/.complete")); len(complete) == 0 &&
			one.installed && phase.level != "off" && starts {
			t.Errorf("%s: the package was not installed: %v", phase.name, said)
		}
	}
	for _, attack := range names { // one variation that succeeds without a sandbox shows that it is an attack
		if !succeeds(works, attack) {
			t.Logf("left out, because it does not succeed without a sandbox: %s", attack)
			for _, r := range results {
				maps.DeleteFunc(r, func(name string, _ bool) bool { return strings.HasPrefix(name, attack+": ") })
			}
		}
	}
	return results, works
}

// prepare writes the files of the variations, and returns the attacks by the names of their scripts.
func (one installation) prepare(t *testing.T, i *installing) map[string]string {
	names := make(map[string]string)
	maps.Copy(names, one.attacks)
	for _, v := range one.variables {
		v = v.filled(i.folder, i.Dir)
		v.put(t, i.folder, filepath.Join(i.Dir, ".ssh/id_ed25519"), i.Dir, ".", "${TMPDIR:-.}")
		maps.Copy(i.wanted, v.variables)
		names[v.name] = v.attack
		for variable := range v.variables {
			if one.installed { // otherwise the server itself may ask a registry
				names["passed-"+variable] = reached
			}
		}
	}
	return names
}

// start adds a server at a level, and starts it or only downloads its package. It reports whether this system starts such
// servers. The error says what did not work, as is usual for attacks.
func (one installation) start(t *testing.T, i *installing, name, level string, download bool, program string) (starts bool, said error) {
	var options []string
	if one.options != nil {
		options = one.options(i)
	}
	args := slices.Concat([]string{"-y", "--registry=" + i.NPM}, options, []string{one.pkg})
	if one.command == "uvx" {
		args = slices.Concat([]string{"--default-index", i.PyPI}, options, []string{one.pkg})
	}
	var added struct{ ID int }
	if err := i.Do(t.Context(), http.MethodPost, "/api/servers", map[string]any{
		"name": name, "sandbox": level, "warm": false, "start": false, "command": program, "args": args, "env": i.wanted,
	}, &added); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/api/servers/%d/", added.ID)
	if download {
		return true, i.Do(t.Context(), http.MethodPost, path+"preinstall", nil, nil)
	}
	for range max(one.starts, 1) {
		said = i.Do(t.Context(), http.MethodPost, path+"start", nil, nil)
		_ = i.Do(t.Context(), http.MethodPost, path+"stop", nil, nil) // it may have ended
	}
	return said == nil || !strings.Contains(said.Error(), "this system cannot enforce that"), said
}

// asked notes which variables of the server have the programs that run while a registry is asked, because one of them asks.
func (i *installing) asked() {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
	for _, file := range files {
		text, _ := os.ReadFile(file) // the process may have ended
		env := strings.Split(string(text), "\x00")
		i.mu.Lock()
		for name, value := range i.wanted {
			if strings.Contains(value, i.Dir) && slices.Contains(env, name+"="+value) {
				i.passed[name] = true
			}
		}
		i.mu.Unlock()
	}
}

// reached returns what asked has noted, with the names of attacks, and forgets it.
func (i *installing) reached() map[string]bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	found := make(map[string]bool)
	for name := range i.passed {
		found["passed-"+name] = true
	}
	clear(i.passed)
	return found
}

// newInstalling starts a hub with a home folder that contains the key, a program and files of the user.
func newInstalling(t *testing.T, on system, programs map[string]string) *installing {
	i := &installing{
		Home: programtest.NewHome(t), Packages: markettest.ServePackages(t), wanted: make(map[string]string), passed: make(map[string]bool),
	}
	i.Asked = i.asked
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lacking := filepath.Join(i.Dir, "lacking")
	i.Write(lacking, fmt.Sprintf("#!/bin/sh\nexec '%s' without '' '%s' '%s' \"$@\"\n", self, strings.Join(on.lacks, " "), i.Program))
	if err := os.Chmod(lacking, 0o700); err != nil {
		t.Fatal(err)
	}
	i.Program = lacking
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
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
		_ = os.WriteFile(filepath.Join(i.Dir, "stolen-"+name), nil, 0o600) // the file is missing if this fails, so the test fails
		_, _ = w.Write(archive)
	}))
	t.Cleanup(listener.Close)
	i.listener = listener.URL
	i.Set("PATH", path) // so that npx and uvx count as installed
	i.Serve()
	i.Client = instance.NewClient(i.RunningHub())
	return i
}

// succeeds reports whether an attack or a variation of it has succeeded.
func succeeds(r result, attack string) bool {
	for name, possible := range r {
		if possible && strings.HasPrefix(name, attack+": ") {
			return true
		}
	}
	return false
}

// cellOfPhases says in which phases an attack or a variation of it has succeeded. It is empty if none could be tried.
func cellOfPhases(results map[string]result, attack string) string {
	var in []string
	tried, strict := false, false
	for _, phase := range phases {
		for name := range results[phase.name] {
			if strings.HasPrefix(name, attack+": ") {
				tried, strict = true, strict || phase.level == "strict"
			}
		}
		if succeeds(results[phase.name], attack) {
			in = append(in, phase.name)
		}
	}
	switch {
	case !tried:
		return ""
	case len(in) == 0:
		return refused
	case strict && len(in) == 3:
		return "**possible**"
	}
	where := "**possible** " + strings.Join(in, " and ")
	return cmp.Or(map[bool]string{false: where + ", but `strict` does not start"}[strict], where)
}
