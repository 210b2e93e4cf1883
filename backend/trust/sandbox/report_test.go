package sandbox

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestReportsSayWhatIsNotEnforced(t *testing.T) {
	helper := []string{"x"}
	for _, row := range []struct {
		what    string
		m       machine
		level   string
		network string
		want    string // the value of Enforced
		text    string // part of Missing or Notes
	}{
		{"off", machine{os: "linux", abi: 9, calls: true, helper: helper}, registry.Unconfined, "", Off, ""},
		{"a new kernel", machine{os: "linux", abi: 9, calls: true, helper: helper}, registry.Guard, "", Enforced, ""},
		{"ABI 7", machine{os: "linux", abi: 7, calls: true, helper: helper}, registry.Guard, "", Partly, "keyring"},
		{"ABI 7, strict", machine{os: "linux", abi: 7, calls: true, helper: helper}, registry.Strict, "", Enforced, ""},
		{"ABI 3, strict", machine{os: "linux", abi: 3, calls: true, helper: helper}, registry.Strict, "", Enforced, ""},
		{
			"ABI 3, a port",
			machine{os: "linux", abi: 3, calls: true, helper: helper},
			registry.Strict, "a:443", Partly, "ports are not filtered",
		},
		{"ABI 4, a host", machine{os: "linux", abi: 4, calls: true, helper: helper}, registry.Strict, "a:443", Enforced, "by port only"},
		{"ABI 2", machine{os: "linux", abi: 2, calls: true, helper: helper}, registry.Strict, "", Partly, "can be emptied"},
		{"no Landlock", machine{os: "linux", calls: true, helper: helper}, registry.Guard, "", Partly, "no Landlock"},
		{"another processor", machine{os: "linux", abi: 9, helper: helper}, registry.Strict, "", Partly, "system calls"},
		{"no helper", machine{os: "linux", abi: 9, calls: true}, registry.Guard, "", Unsupported, "cannot start itself"},
		{"macOS", machine{os: "darwin", helper: helper}, registry.Strict, "", Enforced, "sandbox-exec"},
		{"Windows", machine{os: "windows"}, registry.Guard, "", Partly, "not restricted"},
		{"another system", machine{os: "plan9"}, registry.Guard, "", Unsupported, "not supported"},
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
	if r := judge(registry.Server{Transport: "sse", Sandbox: registry.Guard}, machine{os: "linux"}); r.Enforced != Off {
		t.Errorf("a remote server: %+v", r)
	}
}
