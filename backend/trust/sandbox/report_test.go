package sandbox

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

func TestReportsSayWhatIsNotEnforced(t *testing.T) {
	helper := []string{"x"}
	landlock := func(abi int) confinement.Machine {
		return confinement.Machine{OS: "linux", ABI: abi, Calls: true, Helper: helper}
	}
	tree := confinement.Machine{OS: "linux", Calls: true, Helper: helper, Trees: confinement.Tried(true)}
	contained := confinement.Machine{OS: "windows", Helper: helper, AppContainer: confinement.TriedAppContainer(true)}
	open := confinement.Machine{OS: "windows", Helper: helper, AppContainer: confinement.TriedAppContainer(false)}
	for _, row := range []struct {
		what    string
		m       confinement.Machine
		level   string
		network string
		want    string // the value of Enforced
		text    string // part of Missing or Notes
	}{
		{"off", landlock(9), registry.Unconfined, "", Off, ""},
		{"a new kernel", landlock(9), registry.Guard, "", Enforced, "command lines"},
		{"ABI 5", landlock(5), registry.Guard, "", Enforced, "signals"},
		{"ABI 3, strict", landlock(3), registry.Strict, "", Enforced, "bubblewrap"},
		{
			"ABI 3, a port",
			landlock(3),
			registry.Strict, "443", Partly, "ports are not filtered",
		},
		{"ABI 4, a port", landlock(4), registry.Strict, "443", Enforced, "UDP"},
		{"ABI 4, a host", landlock(4), registry.Strict, "a:443", Partly, "granted hosts"},
		{"a tree, a host", tree, registry.Strict, "a:443", Enforced, "by their names"},
		{"a tree, a host and a port", tree, registry.Strict, "a:443 80", Partly, "ports are not filtered"},
		{"a tree, without Landlock", tree, registry.Guard, "", Enforced, ""},
		{"ABI 2", landlock(2), registry.Strict, "", Partly, "can be emptied"},
		{"no Landlock", confinement.Machine{OS: "linux", Calls: true, Helper: helper}, registry.Guard, "", Partly, "no Landlock"},
		{"another processor", confinement.Machine{OS: "linux", ABI: 9, Helper: helper}, registry.Strict, "", Partly, "system calls"},
		{"no helper", confinement.Machine{OS: "linux", ABI: 9, Calls: true}, registry.Guard, "", Unsupported, "cannot start itself"},
		{"macOS", confinement.Machine{OS: "darwin", Helper: helper}, registry.Strict, "", Enforced, "sandbox-exec"},
		{"Windows", confinement.Machine{OS: "windows"}, registry.Guard, "", Partly, "not restricted"},
		{"Windows, a failed trial", open, registry.Guard, "", Partly, "not restricted"},
		{"Windows, a failed trial, strict", open, registry.Strict, "", Partly, "not restricted"},
		{"an app container", contained, registry.Guard, "", Enforced, "cannot reach addresses of this computer"},
		{"an app container, strict", contained, registry.Strict, "", Enforced, "package managers"},
		{"an app container, everything", contained, registry.Strict, "*", Enforced, "trial run"},
		{"an app container, a host", contained, registry.Strict, "a:443", Partly, "granted hosts"},
		{"an app container, a port", contained, registry.Strict, "443", Partly, "ports"},
		{
			"an app container without a helper",
			confinement.Machine{OS: "windows", AppContainer: contained.AppContainer},
			registry.Guard, "",
			Partly, "not restricted",
		},
		{"another system", confinement.Machine{OS: "plan9"}, registry.Guard, "", Unsupported, "not supported"},
	} {
		server := registry.Server{
			Transport: "stdio", Command: "x", Sandbox: row.level, Grants: registry.Grants{Network: strings.Fields(row.network)},
		}
		r := judge(server, row.m)
		if r.Enforced != row.want || !strings.Contains(strings.Join(append(r.Missing, r.Notes...), "\n"), row.text) ||
			r.Enforced == Enforced && len(r.Missing) > 0 {
			t.Errorf("%s: %+v", row.what, r)
		}
	}
	if r := judge(registry.Server{Transport: "sse", Sandbox: registry.Guard}, confinement.Machine{OS: "linux"}); r.Enforced != Off {
		t.Errorf("a remote server: %+v", r)
	}
}

func TestReportsSayWhichContainersDoNotStart(t *testing.T) {
	for line, want := range map[string]string{
		"docker run -i image":             "the container engine enforces it",
		"docker run -i ${secret:IMAGE}":   "the container engine enforces it",
		"docker exec -i box server":       "it does not start, because the command exec of a container engine cannot be confined",
		"docker compose run server":       "it does not start, because the command compose",
		"podman --remote run image":       "it does not start, because the option --remote before run",
		"docker run --privileged image":   "it does not start, because the option --privileged",
		"docker run --network host image": "it does not start, because the option --network",
	} {
		words := strings.Fields(line)
		server := registry.Server{Transport: "stdio", Command: words[0], Args: words[1:], Sandbox: registry.Guard}
		r := judge(server, confinement.Machine{OS: "linux", ABI: 9, Calls: true, Helper: []string{"x"}})
		if r.Enforced != Enforced || len(r.Notes) == 0 || !strings.HasPrefix(r.Notes[0], want) {
			t.Errorf("%s: %q, want %q", line, r, want)
		}
	}
}
