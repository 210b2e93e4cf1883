package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestOnlyAStrictServersNetworkIsRestricted(t *testing.T) {
	for grants, want := range map[string]string{
		"": "none", "*": "all", "443": "[443] []", "api.example:443 [::1]:80 443 API.example:443": "[443] [{api.example 443} {::1 80}]",
	} {
		g := registry.Grants{Network: strings.Fields(grants)}
		n := networkOf(registry.Strict, g)
		got := fmt.Sprint(n.Ports, n.Hosts)
		if n.None() {
			got = "none"
		} else if !n.Restricted {
			got = "all"
		}
		if got != want {
			t.Errorf("%q: %s", grants, got)
		}
		if networkOf(registry.Guard, g).Restricted {
			t.Errorf("%q: the network of a guarded server is restricted", grants)
		}
	}
}

func TestGrantsThatCannotBeEnforcedAreRefused(t *testing.T) {
	for what, g := range map[string]registry.Grants{
		"a relative path": {Read: []string{"notes"}}, "another home": {Write: []string{"~root"}},
		"a host alone": {Network: []string{"example.com"}}, "a URL": {Network: []string{"https://example.com:443"}},
		"no host": {Network: []string{"[::]:80"}}, "many hosts": {Network: []string{"224.0.0.1:80"}},
		"port 0": {Network: []string{"0"}}, "a long port": {Network: []string{"a:70000"}}, "a line": {Read: []string{"/a\n/b"}},
	} {
		if err := CheckGrants(g); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := CheckGrants(registry.Grants{
		Read: []string{"~", "~/a", "/a"}, Write: []string{"/"}, Network: []string{"*", "443", "a.b:1", "[::1]:22"},
	}); err != nil {
		t.Error(err)
	}
}
