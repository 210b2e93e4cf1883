//go:build unix

package confinement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
	p := Policy{
		Hidden: []string{"/home/me/.ssh", "/home/me/.config/gh"},
		Read:   []string{"/", "/home/me/.ssh/known_hosts"}, Write: []string{"/home/me", "/tmp"},
		Named: []string{"/home/me/.ssh/known_hosts", "/home/me"},
	}
	for access, want := range map[string]bool{
		"r /home/me/.ssh/id": false, "r /home/me/.ssh/known_hosts": true, "w /home/me/.ssh/known_hosts": false,
		"w /home/me/.ssh/new": false, "r /etc/passwd": true, "w /etc/passwd": false, "w /home/me/notes/x": true,
		"r /home/me/.config/gh/hosts.yml": false, "w /tmp/x": true, "w /tmpx": false,
	} {
		kind, path, _ := strings.Cut(access, " ")
		if p.Allows(path, kind == "w") != want {
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
