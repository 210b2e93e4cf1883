//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

func TestDeniedAccessesAreFoundInWhatProgramsWrite(t *testing.T) {
	for text, want := range map[string]string{
		"Error: EACCES: permission denied, open '/home/me/notes/a.txt'":                         "[{ /home/me/notes/a.txt}]",
		"[Error: EACCES: permission denied, mkdir '/home/me/.app'] {":                           "[{write /home/me/.app}]",
		"EACCES: permission denied, scandir '/home/me'":                                         "[{read /home/me}]",
		"EPERM: operation not permitted, rename '/a/b' -> '/c/d'":                               "[{write /a/b} {write /c/d}]",
		"PermissionError: [Errno 13] Permission denied: '/home/me/x y'":                         "[{ /home/me/x y}]",
		"2026/01/02 open /etc/x: permission denied":                                             "[{ /etc/x}]",
		"mkdir /srv/x: permission denied":                                                       "[{write /srv/x}]",
		"cat: /home/me/.ssh/id: Permission denied":                                              "[{ /home/me/.ssh/id}]",
		"mkdir: cannot create directory '/srv/new': Permission denied":                          "[{write /srv/new}]",
		"sh: 1: cannot create /srv/out: Permission denied":                                      "[{write /srv/out}]",
		"Error: connect EACCES 93.184.216.34:443 - Local (undefined:undefined)":                 "[{network 93.184.216.34:443}]",
		"getaddrinfo EAI_AGAIN api.example.com":                                                 "[{network api.example.com}]",
		"Get \"https://api.example.com/\": dial tcp: lookup api.example.com: permission denied": "[{network api.example.com}]",
		"dial tcp 10.0.0.1:5432: socket: permission denied":                                     "[{network 10.0.0.1:5432}]",
		"socket.gaierror: [Errno -3] Temporary failure in name resolution":                      "[{network }]",
		"HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded":           "[{network api.example.com}]",
		"Error: ENOENT: no such file or directory, open '/home/me/notes/a.txt'":                 "[{ /home/me/notes/a.txt}?]",
		"FileNotFoundError: [Errno 2] No such file or directory: '/home/me/x'":                  "[{ /home/me/x}?]",
		"open /home/me/x: no such file or directory":                                            "[{ /home/me/x}?]",
		"cat: /home/me/x: No such file or directory":                                            "[{ /home/me/x}?]",
		"Error: connect ENETUNREACH 93.184.216.34:443":                                          "[{network 93.184.216.34:443}]",
		"everything is fine: open '/home/me/notes/a.txt'":                                       "[]",
		"EACCES: permission denied, open 'relative.txt'":                                        "[]",
		"the tool answered: permission denied":                                                  "[]",
	} {
		if got := shown(claimsIn(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// shown returns claims as a text.
func shown(claims []claim) string {
	texts := []string{}
	for _, c := range claims {
		text := fmt.Sprintf("{%s %s}", c.access, c.target)
		if c.missing {
			text += "?"
		}
		texts = append(texts, text)
	}
	return fmt.Sprint(texts)
}

func TestOnlyWhatThePolicyDeniesIsOffered(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "notes"), 0o700); err != nil {
		t.Fatal(err)
	}
	home = real(home)
	p := confinement.Policy{
		Read: []string{"/"}, Hidden: []string{filepath.Join(home, ".ssh")}, Write: []string{filepath.Join(home, "project")},
		Network: confinement.Network{Restricted: true},
	}
	for text, want := range map[string]string{
		"open '~/notes/a.txt'":      "write ~/notes/a.txt grant ~/notes",
		"mkdir '~/notes/new/deep'":  "write ~/notes/new/deep grant ~/notes",
		"open '~/a.txt'":            "write ~/a.txt grant ~/a.txt",
		"mkdir '~/.app/state'":      "write ~/.app/state grant ~/.app",
		"open '~/.ssh/id_ed25519'":  "read ~/.ssh/id_ed25519 grant ",
		"scandir '~'":               "read ~ grant ",
		"scandir '~/notes'":         "nothing",
		"open '~/project/x'":        "nothing",
		"open '~/project/../notes'": "write ~/notes grant ~/notes",
	} {
		claims := claimsIn("EACCES: permission denied, " + strings.ReplaceAll(text, "~", home))
		if len(claims) != 1 {
			t.Fatalf("%s: %v", text, claims)
		}
		got := "nothing"
		if d, denied := deniedBy(p, claims[0], home); denied {
			got = fmt.Sprintf("%s %s grant %s", d.Access, d.Target, d.Grant)
		}
		if got = strings.ReplaceAll(got, home, "~"); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if d, denied := deniedBy(p, claim{target: home, named: true}, home); !denied || d.Grant != home {
		t.Errorf("the home folder that a configuration names: %+v", d)
	}
	for target, want := range map[string]string{"": "443", "api.example": "api.example:443", "1.2.3.4:5432": "1.2.3.4:5432"} {
		if d, denied := deniedBy(p, claim{access: Network, target: target}, home); !denied || d.Grant != want {
			t.Errorf("the network %q: %+v", target, d)
		}
	}
}

func TestDeniedAccessesAreCountedAndForgottenWhenTheyAreGranted(t *testing.T) {
	home := real(t.TempDir())
	var d denials
	d.began("one", confinement.Policy{Read: []string{"/"}}, home)
	line := upstream.Line{Text: "EACCES: permission denied, mkdir '" + home + "/a'\u202e"}
	if !d.note("one", line) || d.note("one", line) || d.note("unknown", line) {
		t.Error("only the first time is news, and only of confined servers")
	}
	one := d.known["one"].denied
	if len(one) != 1 || one[0].Count != 2 || strings.Contains(one[0].Line, "\u202e") {
		t.Errorf("denied: %+v", one)
	}
	for n := range 2 * maxDenied {
		d.note("one", upstream.Line{Text: fmt.Sprintf("EACCES: permission denied, mkdir '%s/%d'", home, n)})
	}
	if len(d.known["one"].denied) != maxDenied {
		t.Errorf("%d are kept", len(d.known["one"].denied))
	}
	d.began("one", confinement.Policy{Read: []string{"/"}, Write: []string{home}}, home)
	if len(d.known["one"].denied) != 0 {
		t.Errorf("granted: %+v", d.known["one"].denied)
	}
}

func TestWhatAConfigurationNamesIsOfferedBeforeTheStart(t *testing.T) {
	home := real(t.TempDir())
	for name, text := range map[string]string{"notes/a.txt": "text", "data/x.bin": magicOfSQLite, "data/y.db": "", "it's/z.csv": ""} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Options{Bus: new(events.Bus)})
	p := confinement.Policy{Read: []string{"/usr"}, Hidden: []string{filepath.Join(home, ".ssh")}}
	for text, want := range map[string]string{
		"~/notes": "--write ~/notes", "~/notes/a.txt": "--read ~/notes/a.txt",
		"--dir=~/notes": "--write ~/notes", "--dir=$/notes": "--write ~/notes",
		"~/data/x.bin": "--write ~/data", "~/data/y.db": "--write ~/data", "~/data/new.txt": "--write ~/data",
		"~/.ssh/id": "", "/usr/lib": "", "notes": "", "/no/such/folder": "", "$/it's/z.csv": `--read '~/it'\''s/z.csv'`,
	} {
		s.denials.began("one", p, home)
		l := upstream.Launch{Args: []string{strings.Replace(text, "$", home, 1)}, Env: process.Env{"HOME=" + home}}
		advice := s.asked("one", registry.Server{Name: "one", Sandbox: registry.Guard}, p, l)
		_, got, _ := strings.Cut(advice, "servers grant one ")
		if got = strings.ReplaceAll(got, home, "~"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestWhatTheArgumentsOfACallNameIsOffered(t *testing.T) {
	home := real(t.TempDir())
	if err := os.MkdirAll(filepath.Join(home, "sheets"), 0o700); err != nil {
		t.Fatal(err)
	}
	var bus events.Bus
	changes, stop := events.Subscribe[Changed](&bus, 4)
	defer stop()
	s := New(Options{Bus: &bus})
	s.denials.began("excel", confinement.Policy{Read: []string{"/usr"}}, home)
	for _, arguments := range []string{
		`{"cut":"`, `{"name":"a.xlsx"}`,
		`{"files":[{"path":"` + home + `/sheets/a.xlsx"}],"to":"/usr/lib"}`,
	} {
		s.CallMade("excel", arguments, time.Now())
		s.CallMade("unknown", arguments, time.Now())
	}
	denied := s.Denied("excel")
	if len(denied) != 1 || denied[0].Access != Write || denied[0].Grant != filepath.Join(home, "sheets") ||
		(<-changes).Server != "excel" {
		t.Errorf("offered: %+v", denied)
	}
}

func TestASecretThatIsAPathIsNotOffered(t *testing.T) {
	server := registry.Server{Args: []string{"/srv/data", "${secret:KEY}"}, Env: map[string]string{"A": "/srv/a", "KEY": "${secret:KEY}"}}
	l := upstream.Launch{
		Args: []string{"/srv/data", "/srv/key"}, Own: map[string]string{"A": "/srv/a", "KEY": "/srv/key", "PLAIN": "/srv/vault"},
	}
	if got := fmt.Sprint(configured(server, l)); got != "[/srv/data /srv/a]" {
		t.Errorf("looked at: %s", got)
	}
}
