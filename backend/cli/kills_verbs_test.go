//go:build linux

package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// verb is a command during which the hub is killed.
type verb struct {
	name   string
	args   []string
	run    func() outcome
	change func(facts)          // what the command changes
	secret bool                 // the command changes a secret, so that its value is checked
	parts  bool                 // an interrupted command may have made a part of its change
	check  func(succeeded bool) // checks further what the command has done
}

// verbs are all verbs. Each prepares what it needs, while the hub is not killed.
var verbs = []func(*killing) verb{
	(*killing).add, (*killing).edit, (*killing).editLaunch, (*killing).disable, (*killing).enable, (*killing).remove, (*killing).rename,
	(*killing).approve,
	(*killing).addRule, (*killing).removeRule, (*killing).createToolset, (*killing).extendToolset, (*killing).shortenToolset,
	(*killing).deleteToolset, (*killing).setSecret, (*killing).deleteSecret, (*killing).setSetting, (*killing).export, (*killing).importAll,
	(*killing).sync, (*killing).callTool, (*killing).restart,
}

// choose returns the next verb: all of them in a random order, and then all again.
func (k *killing) choose() verb {
	if len(k.left) == 0 {
		k.left = k.random.Perm(len(verbs))
	}
	n := k.left[0]
	k.left = k.left[1:]
	return verbs[n](k)
}

// name returns a name that was not used before.
func (k *killing) name(prefix string) string {
	k.next++
	return fmt.Sprint(prefix, k.next)
}

func (k *killing) server() []string { return mcptest.Command(k.t) }

// plain returns a verb that runs without a terminal.
func (k *killing) plain(name, input string, change func(facts), args ...string) verb {
	return verb{name: name, args: args, change: change, run: func() outcome { return k.ran(input, args...) }}
}

// asked returns a verb that asks on the terminal.
func (k *killing) asked(name string, change func(facts), args ...string) verb {
	return verb{name: name, args: args, change: change, run: func() outcome { return k.typing("open sesame", args...) }}
}

// some returns the name of a server that may be changed and for which fits holds. It adds one if there is none.
func (k *killing) some(fits func(serverFacts) bool) string {
	for _, name := range k.removable() {
		if s := k.facts.Servers[name]; s.Approved && fits(s) {
			return name
		}
	}
	name := k.name("s")
	k.h.Must(append([]string{"servers", "add", name, "--no-start", "--"}, k.server()...)...)
	k.facts = k.observe(false)
	return name
}

// removable returns the names of the servers that may be removed, in an order of chance.
func (k *killing) removable() (names []string) {
	for name := range k.facts.Servers {
		if name != "fake" && name != "keyed" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	k.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

func (k *killing) add() verb {
	name, command := k.name("s"), k.server()
	return k.plain("servers add", "", func(f facts) {
		f.Servers[name] = serverFacts{Command: command[0], Tags: "[new]", Env: "map[LEVEL:1]", Approved: true}
	}, append([]string{"servers", "add", name, "--no-start", "--tag", "new", "--env", "LEVEL=1", "--"}, command...)...)
}

// changed returns the change of one server.
func changed(name string, change func(*serverFacts)) func(facts) {
	return func(f facts) {
		s := f.Servers[name]
		change(&s)
		f.Servers[name] = s
	}
}

func (k *killing) edit() verb {
	name, text := k.some(func(serverFacts) bool { return true }), k.name("text ")
	return k.plain("servers edit", "", changed(name, func(s *serverFacts) { s.Description, s.Tags = text, "[a b]" }),
		"servers", "edit", name, "--description", text, "--tag", "a", "--tag", "b")
}

func (k *killing) editLaunch() verb {
	name, value := k.some(func(serverFacts) bool { return true }), k.name("v")
	return k.asked("servers edit --env", changed(name, func(s *serverFacts) { s.Env = "map[LEVEL:" + value + "]" }),
		"servers", "edit", name, "--env", "LEVEL="+value)
}

func (k *killing) disable() verb {
	name := k.some(func(s serverFacts) bool { return !s.Disabled })
	return k.plain("servers disable", "", changed(name, func(s *serverFacts) { s.Disabled = true }), "servers", "disable", name)
}

func (k *killing) enable() verb {
	name := k.some(func(s serverFacts) bool { return s.Disabled })
	if !k.facts.Servers[name].Disabled {
		k.h.Must("servers", "disable", name)
		k.facts = k.observe(false)
	}
	return k.asked("servers enable", changed(name, func(s *serverFacts) { s.Disabled = false }), "servers", "enable", name)
}

func (k *killing) remove() verb {
	name := k.some(func(serverFacts) bool { return true })
	if k.facts.Secrets[name+"/TOKEN"] == "" {
		k.h.SetSecret(name, "TOKEN", "correct-horse")
		k.facts = k.observe(false)
	}
	return k.plain("servers remove", "", func(f facts) {
		delete(f.Servers, name)
		for secret := range f.Secrets {
			if strings.HasPrefix(secret, name+"/") {
				delete(f.Secrets, secret)
			}
		}
	}, "servers", "remove", name, "--yes")
}

// rename is a verb for a server with a secret and a rule.
func (k *killing) rename() verb {
	name, to := k.some(func(serverFacts) bool { return true }), k.name("r")
	k.h.SetSecret(name, "TOKEN", "correct-horse")
	k.typing("", "rules", "add", k.name("never_"), "--server", name, "--disable")
	k.facts = k.observe(false)
	return k.plain("servers rename", "", func(f facts) {
		f.Servers[to] = f.Servers[name]
		delete(f.Servers, name)
		for secret, value := range f.Secrets {
			if key, ok := strings.CutPrefix(secret, name+"/"); ok {
				delete(f.Secrets, secret)
				f.Secrets[to+"/"+key] = value
			}
		}
		f.Lists["rules"] = strings.ReplaceAll(f.Lists["rules"], "@"+name+" ", "@"+to+" ")
	}, "servers", "rename", name, to)
}

func (k *killing) approve() verb {
	name, command := k.name("p"), k.server()
	args, _ := json.Marshal(command[1:]) // strings can be encoded
	k.agent.client.Registry(fmt.Sprintf(`{"action":"install","name":%q,"command":%q,"args":%s}`, name, command[0], args))
	k.facts = k.observe(false)
	return k.asked("servers approve", changed(name, func(s *serverFacts) { s.Approved = true }), "servers", "approve", name)
}

func (k *killing) addRule() verb {
	pattern := k.name("never_")
	return k.asked("rules add", func(f facts) { f.Lists["rules"] += pattern + "@ " }, "rules", "add", pattern, "--disable")
}

func (k *killing) removeRule() verb {
	if k.facts.Lists["rules"] == "" {
		k.typing("", "rules", "add", k.name("never_"), "--disable")
		k.facts = k.observe(false)
	}
	return k.asked("rules remove", func(f facts) { _, f.Lists["rules"], _ = strings.Cut(f.Lists["rules"], " ") }, "rules", "remove", "0")
}

func (k *killing) createToolset() verb {
	name := k.name("set")
	return k.plain("toolset create", "", func(f facts) { f.Toolsets[name] = "fake.echo fake.environment " },
		"toolset", "create", name, "fake.echo", "fake.environment")
}

// toolset returns the name of a new toolset.
func (k *killing) toolset() string {
	name := k.name("set")
	k.h.Must("toolset", "create", name, "fake.echo", "fake.environment")
	k.facts = k.observe(false)
	return name
}

func (k *killing) extendToolset() verb {
	name := k.toolset()
	return k.plain("toolset add", "", func(f facts) { f.Toolsets[name] += "fake.steps fake.hold " },
		"toolset", "add", name, "fake.steps", "fake.hold")
}

func (k *killing) shortenToolset() verb {
	name := k.toolset()
	return k.plain("toolset remove", "", func(f facts) { f.Toolsets[name] = "fake.environment " }, "toolset", "remove", name, "fake.echo")
}

func (k *killing) deleteToolset() verb {
	name := k.toolset()
	return k.plain("toolset delete", "", func(f facts) { delete(f.Toolsets, name) }, "toolset", "delete", name, "--yes")
}

func (k *killing) setSecret() verb {
	value := k.name("value-")
	v := k.plain("secrets set", value, func(f facts) { f.Secrets["keyed/TOKEN"] = value }, "secrets", "set", "keyed", "TOKEN")
	v.secret = true
	return v
}

func (k *killing) deleteSecret() verb {
	name := k.name("EXTRA_")
	k.h.SetSecret("keyed", name, "correct-horse")
	k.facts = k.observe(true)
	v := k.plain("secrets delete", "", func(f facts) { delete(f.Secrets, "keyed/"+name) }, "secrets", "delete", "keyed", name, "--yes")
	v.secret = true
	return v
}

// setSetting changes a setting as the dashboard does.
func (k *killing) setSetting() verb {
	value := (time.Minute + time.Duration(k.next)*time.Second).String()
	k.next++
	return verb{
		name: "config set", args: []string{value}, change: func(f facts) { f.Lists["limits.call_timeout"] = value },
		run: func() outcome {
			info, err := instance.Read(k.h.Folder)
			if err != nil {
				return outcome{3, err.Error()}
			}
			person, end, err := instance.NewClient(info).Person(k.t.Context())
			if err != nil {
				return outcome{3, err.Error()}
			}
			defer end()
			body := map[string]string{"key": "limits.call_timeout", "value": value}
			if err := person.Do(k.t.Context(), http.MethodPut, "/api/config", body, nil); err != nil {
				return outcome{3, err.Error()}
			}
			return outcome{0, ""}
		},
	}
}

func (k *killing) export() verb {
	file := filepath.Join(k.files, k.name("export")+".json")
	v := k.plain("export", "", nil, "export", file)
	v.check = func(succeeded bool) {
		var e backup.Export
		data, err := os.ReadFile(file)
		if !succeeded && os.IsNotExist(err) {
			return
		}
		if err == nil {
			err = json.Unmarshal(data, &e)
		}
		if err != nil || len(e.Servers) != len(k.facts.Servers) || len(e.Toolsets) != len(k.facts.Toolsets) {
			k.t.Errorf("the export has %d servers and %d toolsets: %v", len(e.Servers), len(e.Toolsets), err)
		}
	}
	return v
}

// prepareImport makes the export that importAll imports.
func (k *killing) prepareImport() {
	k.t.Helper()
	k.imported = filepath.Join(k.files, "imported.json")
	for _, name := range []string{"i1", "i2", "i3"} {
		k.h.Must(append([]string{"servers", "add", name, "--no-start", "--tag", "moved", "--"}, k.server()...)...)
		k.h.SetSecret(name, "TOKEN", "correct-horse")
	}
	if out := k.typing("open sesame", "export", "--secrets", k.imported); out.code != 0 {
		k.t.Fatalf("export: %+v", out)
	}
	for _, name := range []string{"i1", "i2", "i3"} {
		k.h.Must("servers", "remove", name, "--yes")
	}
}

func (k *killing) importAll() verb {
	for _, name := range []string{"i1", "i2", "i3"} {
		if _, ok := k.facts.Servers[name]; ok {
			k.h.Must("servers", "remove", name, "--yes")
		}
	}
	k.facts = k.observe(false)
	v := k.asked("import", func(f facts) {
		for _, name := range []string{"i1", "i2", "i3"} {
			f.Servers[name] = serverFacts{Command: k.server()[0], Tags: "[moved]", Env: "map[]", Approved: true}
			f.Secrets[name+"/TOKEN"] = "set"
		}
	}, "import", k.imported)
	v.parts = true
	return v
}

// sync is a verb that writes the changes of this machine into a folder.
func (k *killing) sync() verb {
	folder := filepath.Join(k.files, "synchronized")
	if _, err := os.Stat(folder); err != nil {
		k.h.Must("sync", "init", folder)
	}
	v := k.plain("sync", "", nil, "sync", "--deletions")
	v.check = func(succeeded bool) {
		if !succeeded {
			k.h.Must("sync", "--deletions")
		}
		if out := k.h.Must("sync", "status"); !strings.Contains(out, " are the same.") {
			k.t.Errorf("after %v, the folder differs: %s", v.args, out)
		}
	}
	return v
}

func (k *killing) callTool() verb {
	arguments := fmt.Sprintf(`{"text":"%s"}`, k.name("from the command line "))
	v := k.plain("call", "", nil, "call", "fake__echo", "--args", arguments)
	v.check = func(succeeded bool) {
		if succeeded {
			k.agent.fresh = append(k.agent.fresh, arguments)
		}
	}
	return v
}

func (k *killing) restart() verb { return k.plain("restart", "", nil, "restart") }
