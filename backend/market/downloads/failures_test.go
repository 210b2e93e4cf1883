//go:build unix

package downloads

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// scripted is npm for a package whose installation scripts fail with this exit status.
func scripted(t *testing.T, status string) process.Env {
	env := npm(t, "thing", `{"name":"thing","bin":"thing.js"}`, "thing")
	path := filepath.Join(env.Home(), "npm")
	script, err := os.ReadFile(path)
	if err == nil {
		lock := `{"packages":{"node_modules/thing":{"hasInstallScript":true}}}`
		err = os.WriteFile(path, []byte(strings.Replace(string(script), "to=$PWD\n",
			"if [ $1 = rebuild ]; then echo no browser >&2; exit "+status+"; fi\nto=$PWD\nmkdir -p node_modules\n"+
				"echo '"+lock+"' >node_modules/.package-lock.json\n", 1)), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestScriptsThatHaveFailedAreRunAgainOnlyAfterAChange(t *testing.T) {
	env, folder, now := scripted(t, "1"), t.TempDir(), time.Now()
	i := NewInstaller(slog.New(slog.DiscardHandler))
	i.now = func() time.Time { return now }
	server := registry.Server{Name: "one", Transport: "stdio", Sandbox: registry.Guard}
	l := upstream.Launch{Command: "npx", Args: []string{"thing"}, Env: env}
	runs := 0
	start := func(what string, again bool) {
		t.Helper()
		_, _, err := i.Resolve(t.Context(), folder, server, l, sandbox.Use{
			Environment: env, Report: func(string) {},
			Manager: func(l upstream.Launch, _ sandbox.ManagerAccess) (upstream.Launch, error) { return l, nil },
			Scripts: func(l upstream.Launch, _ string) (upstream.Launch, error) { return l, nil },
		})
		text := fault.MessageOf(err)
		if fault.KindOf(err) != fault.Failed || !strings.Contains(text, "the installation scripts of thing failed in the sandbox: no browser") ||
			strings.Contains(text, "to try again: agent-discover servers restart one") == again {
			t.Errorf("%s: %v", what, err)
		}
		if again {
			runs++
		}
		if calls, _ := os.ReadFile(env.Get("CALLS")); strings.Count(string(calls), "rebuild ") != runs {
			t.Errorf("%s: npm was called with\n%s", what, calls)
		}
	}
	start("the first start", true)
	start("the second start", false)
	server.Grants.Read = []string{"/opt/browser"}
	start("after a grant", true)
	start("with the same grant", false)
	l.Own = map[string]string{"BROWSER": "/opt/browser"}
	start("with another variable", true)
	i.Retry("another")
	start("after a restart of another server", false)
	i.Retry("one")
	start("after a restart", true)
	now = now.Add(retryAfter - time.Second)
	start("almost a day later", false)
	now = now.Add(time.Second)
	start("a day later", true)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	start("after the server was removed and added", true)
}

func TestOtherFailuresOfInstallationsAreNotRemembered(t *testing.T) {
	env, folder := npm(t, "thing", `{"name":"thing","bin":"thing.js"}`), t.TempDir() // has no program
	i := NewInstaller(slog.New(slog.DiscardHandler))
	for range 2 {
		if _, _, err := resolveWith(t.Context(), i, env, folder, "npx", "thing"); err == nil {
			t.Error("it has a program")
		}
	}
	if calls, _ := os.ReadFile(env.Get("CALLS")); strings.Count(string(calls), "install ") != 2 {
		t.Errorf("npm was called with\n%s", calls)
	}
}
