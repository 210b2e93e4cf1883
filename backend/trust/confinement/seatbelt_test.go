//go:build unix

package confinement

import (
	"strings"
	"testing"
)

func TestAProfileOfMacOSSaysWhatThePolicySays(t *testing.T) {
	guard := Policy{
		Hidden: []string{"/Users/me/.ssh", `/Users/me/a "b`},
		Write:  []string{"/tmp", "/Users/me/.ssh/config"}, Read: []string{"/Users/me/.ssh/known_hosts"},
		Named: []string{"/Users/me/.ssh/known_hosts", "/Users/me/.ssh/config", "/tmp"},
	}
	got := guard.seatbelt()
	for _, want := range []string{
		"(version 1)\n(allow default)\n(deny file-read*)\n",
		"(allow file-write*\n  (subpath \"/Users/me/.ssh/config\")\n  (subpath \"/tmp\"))\n",
		"(deny file-read* file-write*\n  (subpath \"/Users/me/.ssh\")\n  (subpath \"/Users/me/a \\\"b\"))\n(allow file-read*\n" +
			"  (subpath \"/Users/me/.ssh/config\")\n  (subpath \"/Users/me/.ssh/known_hosts\"))\n(allow file-write*\n" +
			"  (subpath \"/Users/me/.ssh/config\"))\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the profile does not contain\n%s\n%s", want, got)
		}
	}
	if strings.Contains(got, "network") || strings.Count(got, "(") != strings.Count(got, ")") {
		t.Errorf("guard:\n%s", got)
	}
	strict := Policy{
		Read: []string{"/usr"}, Write: []string{"/own"}, Network: Network{Restricted: true, Ports: []uint16{443}},
	}
	got = strict.seatbelt()
	for _, want := range []string{
		"(deny file-read*)\n(allow file-read-metadata)\n", "(allow file-read*\n  (subpath \"/own\")\n  (subpath \"/usr\"))\n",
		"(deny network*)\n(allow network-outbound (remote tcp \"*:443\"))\n", "(deny signal)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the profile does not contain\n%s\n%s", want, got)
		}
	}
	strict.Network.Ports = nil
	if got := strict.seatbelt(); strings.Contains(got, "allow network") {
		t.Errorf("without a grant:\n%s", got)
	}
}
