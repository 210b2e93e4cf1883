//go:build unix

package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// folders is a tree in memory: the names in each folder.
type folders map[string]string

func (f folders) entries(folder string) []string { return strings.Fields(f[folder]) }

var oneHome = folders{"/": "etc home usr", "/home": "me you", "/home/me": ".ssh .config notes", "/home/me/.config": "app gh"}

func TestSecretsAreCarvedOutOfWhatIsAllowed(t *testing.T) {
	hidden := []string{"/home/me/.ssh", "/home/me/.config/gh", "/home/me/.netrc"}
	for root, want := range map[string]string{
		"/":                "/etc /home/me/.config/app /home/me/notes /home/you /usr",
		"/home/me":         "/home/me/.config/app /home/me/notes",
		"/home/me/notes":   "/home/me/notes",
		"/home/me/.ssh":    "",
		"/home/me/.ssh/id": "",
		"/home/me/.sshd":   "/home/me/.sshd",
	} {
		got := carve(oneHome, root, hidden)
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", root, got)
		}
	}
}

func TestAPersonsGrantWinsOnlyForWhatItNames(t *testing.T) {
	p := policy{
		readAll: true, hidden: []string{"/home/me/.ssh", "/home/me/.config/gh"},
		read: []string{"/home/me/.ssh/known_hosts"}, write: []string{"/home/me", "/tmp"},
		named: []string{"/home/me/.ssh/known_hosts", "/home/me"},
	}
	for access, want := range map[string]bool{
		"r /home/me/.ssh/id": false, "r /home/me/.ssh/known_hosts": true, "w /home/me/.ssh/known_hosts": false,
		"w /home/me/.ssh/new": false, "r /etc/passwd": true, "w /etc/passwd": false, "w /home/me/notes/x": true,
		"r /home/me/.config/gh/hosts.yml": false, "w /tmp/x": true, "w /tmpx": false,
	} {
		kind, path, _ := strings.Cut(access, " ")
		if p.allows(path, kind == "w") != want {
			t.Errorf("%s: allowed is %v", access, !want)
		}
	}
	var got []string
	for _, a := range p.areas(oneHome) {
		got = append(got, fmt.Sprint(map[bool]string{true: "w", false: "r"}[a.write], map[bool]string{true: "l"}[a.list], " ", a.path))
	}
	want := "r /etc;r /home/me/.config/app;r /home/me/notes;r /home/you;r /usr;r /home/me/.ssh/known_hosts;rl /home/me;w /home/me/.config/app;w /home/me/notes;w /tmp"
	if strings.Join(got, ";") != want {
		t.Errorf("areas:\n%s\nwant\n%s", strings.Join(got, ";"), want)
	}
}

func TestOnlyAStrictServersNetworkIsRestricted(t *testing.T) {
	for grants, want := range map[string]string{
		"": "none", "*": "all", "443": "[443] []", "api.example:443 [::1]:80 443": "[443 80] [api.example ::1]",
	} {
		g := registry.Grants{Network: strings.Fields(grants)}
		n := networkOf(registry.Strict, g)
		got := fmt.Sprint(n.ports, n.hosts)
		if n.none() {
			got = "none"
		} else if !n.restricted {
			got = "all"
		}
		if got = strings.ReplaceAll(got, "] [", "] ["); strings.ReplaceAll(got, "][", "] [") != want {
			t.Errorf("%q: %s", grants, got)
		}
		if networkOf(registry.Guard, g).restricted {
			t.Errorf("%q: the network of a guarded server is restricted", grants)
		}
	}
}

func TestGrantsThatCannotBeEnforcedAreRefused(t *testing.T) {
	for what, g := range map[string]registry.Grants{
		"a relative path": {Read: []string{"notes"}}, "another home": {Write: []string{"~root"}},
		"a host alone": {Network: []string{"example.com"}}, "a URL": {Network: []string{"https://example.com:443"}},
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
