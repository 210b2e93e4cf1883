//go:build unix

package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	always  = "--cap-drop=ALL --security-opt=no-new-privileges --pids-limit=512 --memory=2g --cpus=2"
	offline = always + " --read-only=true --tmpfs=/tmp --network=none"
)

// ada has a home folder with files that containers might mount.
type ada struct {
	sandbox *Sandbox
	home    string
	grants  registry.Grants
}

// newAda makes a home folder in which notes may be read, work may be written and root is an MCP root. link leads from
// work to the home folder, and inside leads to notes.
func newAda(t testing.TB) ada {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes/a", "projects/b", "root", "private", ".ssh", "box/.ssh", "odd:name", "data"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"projects/link": home, "inside": "notes", "projects/odd": "../odd:name", "alias": ".ssh"} {
		if err := os.Symlink(target, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Options{
		Data: filepath.Join(home, "data"), Folder: filepath.Join(home, "data/own"), Roots: []string{"file://" + home + "/root"},
		Bus: new(events.Bus),
	})
	return ada{s, home, registry.Grants{Read: []string{"~/notes"}, Write: []string{home + "/projects", home + "/odd:name"}}}
}

// confine confines a line of arguments in which HOME stands for the home folder.
func (s ada) confine(level, line string, own map[string]string, network ...string) (args string, l upstream.Launch, err error) {
	words := strings.Fields(strings.ReplaceAll(line, "HOME", s.home))
	s.grants.Network = network
	server := registry.Server{Name: "box", Transport: "stdio", Command: "docker", Args: words, Sandbox: level, Grants: s.grants}
	l = upstream.Launch{Command: "docker", Args: words, Own: own, Dir: s.home, Env: process.Env{"HOME=" + s.home}}
	l, err = s.sandbox.confineContainer("box", server, l)
	return strings.ReplaceAll(strings.Join(l.Args, " "), s.home, "HOME"), l, err
}

func TestContainersGetTheOptionsThatConfineThem(t *testing.T) {
	s := newAda(t)
	for _, row := range []struct{ level, network, line, want string }{
		{registry.Guard, "", "run -i --rm image --memory x", "run " + always + " --interactive=true --rm=true image --memory x"},
		{
			registry.Guard, "", "run -m 1g --cpus=1 image",
			"run --cap-drop=ALL --security-opt=no-new-privileges --pids-limit=512 --memory=1g --cpus=1 image",
		},
		{registry.Strict, "", "run -it image", "run " + offline + " --interactive=true --tty=true image"},
		{
			registry.Strict, "*", "-l debug run -e A=b image",
			"-l debug run " + always + " --read-only=true --tmpfs=/tmp --env=A=b image",
		},
		{
			registry.Strict, "443", "run --network=mine image",
			"run " + always + " --read-only=true --tmpfs=/tmp --network=mine image",
		},
		{
			registry.Strict, "", "run --read-only -v cache:/tmp --cap-drop KILL --network none image",
			"run " + always + " --read-only=true --volume=cache:/tmp --cap-drop=KILL --network=none image",
		},
	} {
		got, _, err := s.confine(row.level, row.line, nil, strings.Fields(row.network)...)
		if err != nil || got != row.want {
			t.Errorf("%s %s:\n%s, %v\nwant\n%s", row.level, row.line, got, err, row.want)
		}
		server := registry.Server{
			Transport: "stdio", Command: "/usr/bin/docker", Args: strings.Fields(row.line), Sandbox: row.level,
			Grants: registry.Grants{Network: strings.Fields(row.network)},
		}
		if added := strings.Join(AddedTo(server), " "); !strings.Contains(row.want, "run "+added+" ") {
			t.Errorf("shown: %s", added)
		}
	}
	if added := AddedTo(registry.Server{
		Transport: "stdio", Command: "node", Args: []string{"run"}, Sandbox: registry.Guard,
	}); added != nil {
		t.Errorf("another command: %v", added)
	}
}

func TestCommonArgumentsOfContainersAreAllowed(t *testing.T) {
	s := newAda(t)
	for _, row := range append(allowed, onlyGuard...) {
		got, _, err := s.confine(registry.Guard, row.line, nil)
		_, options, _ := strings.Cut(got, "run --cap-drop=ALL --security-opt=no-new-privileges ")
		if options = strings.TrimPrefix(options, "--pids-limit=512 --memory=2g --cpus=2 "); err != nil || options != row.want {
			t.Errorf("%s:\n%s, %v\nwant\n%s", row.line, got, err, row.want)
		}
	}
	for _, row := range onlyGuard {
		if got, _, err := s.confine(registry.Strict, row.line, nil); fault.KindOf(err) != fault.Denied {
			t.Errorf("strict %s: %s, %v", row.line, got, err)
		}
	}
}

func TestOptionsThatOpenTheBoxOfAContainerAreRefused(t *testing.T) {
	s := newAda(t)
	for _, level := range []string{registry.Guard, registry.Strict} {
		for _, row := range refused {
			got, _, err := s.confine(level, row.line, nil)
			text := strings.ReplaceAll(fault.MessageOf(err), s.home, "HOME")
			if fault.KindOf(err) != fault.Denied || !strings.Contains(text, row.want) || !strings.Contains(text, "its sandbox is "+level) {
				t.Errorf("%s %s: %s, %v", level, row.line, got, err)
			}
		}
	}
}

func TestTheErrorAboutAVariableOfAContainerDoesNotShowItsValue(t *testing.T) {
	s := newAda(t)
	_, _, err := s.confine(registry.Guard, "run -e *=hunter2 image", nil)
	if text := fault.MessageOf(err); !strings.Contains(text, "--env needs the form") || strings.Contains(text, "hunter2") {
		t.Error(err)
	}
}

func TestSocketsOfEnginesAreNeverMounted(t *testing.T) {
	s := newAda(t)
	folder, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	listener, err := net.Listen("unix", filepath.Join(folder, "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	s.grants.Write = []string{folder}
	_, _, err = s.confine(registry.Guard, "run -v "+folder+"/x:/x image", nil)
	if !strings.Contains(fault.MessageOf(err), "neither a file") {
		t.Error(err)
	}
}

func TestAFolderOfSecretsIsMountedOnlyIfAPersonHasNamedIt(t *testing.T) {
	s := newAda(t)
	s.grants = registry.Grants{Read: []string{"~/.ssh"}, Write: []string{"~"}}
	for line, want := range map[string]bool{
		"run -v HOME/.ssh:/k:ro image": true, "run -v HOME/.ssh:/k image": false, "run -v HOME:/h image": false,
		"run -v HOME/alias:/k:ro image": true, "run -v HOME/private:/p image": true, "run -v HOME/data:/d image": false,
	} {
		if _, _, err := s.confine(registry.Guard, line, nil); (err == nil) != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestFoldersThatAContainerMayNotMountAreOffered(t *testing.T) {
	s := newAda(t)
	line := "run -v HOME/private:/p:ro -v HOME/notes:/n image"
	_, _, err := s.confine(registry.Guard, line, nil)
	if !strings.HasSuffix(fault.MessageOf(err), "servers grant box --read "+s.home+"/private --write "+s.home+"/notes") {
		t.Errorf("got %v", err)
	}
	denied := s.sandbox.Denied("box")
	if len(denied) != 2 || denied[0].Grant != s.home+"/private" || denied[0].Access != Read || denied[1].Access != Write {
		t.Errorf("denied: %+v", denied)
	}
	s.grants = registry.Grants{Read: []string{denied[0].Grant}, Write: []string{denied[1].Grant}}
	if _, _, err := s.confine(registry.Guard, line, nil); err != nil || len(s.sandbox.Denied("box")) > 0 {
		t.Errorf("after the grants: %v, %+v", err, s.sandbox.Denied("box"))
	}
}

func TestTheClientOfAnEngineGetsOnlyVariablesThatItPassesOn(t *testing.T) {
	s := newAda(t)
	_, l, err := s.confine(registry.Guard, "run -ie TOKEN --env=NODE_OPTIONS -e SET=here image --env AFTER",
		map[string]string{"TOKEN": "t", "NODE_OPTIONS": "-r x", "AFTER": "a", "UNUSED": "u", "SET": "own"})
	if err != nil || len(l.Own) != 2 || l.Own["TOKEN"] != "t" || l.Own["NODE_OPTIONS"] != "-r x" {
		t.Errorf("got %v, %v", l.Own, err)
	}
	for _, name := range strings.Fields(`LD_PRELOAD LD_AUDIT GLIBC_TUNABLES PATH HOME TMPDIR GODEBUG DOCKER_HOST DOCKER_CONFIG CONTAINERS_CONF
		CONTAINER_HOST BUILDKIT_HOST NERDCTL_TOML CONTAINERD_ADDRESS BUILDAH_ISOLATION REGISTRY_AUTH_FILE XDG_CONFIG_HOME SSH_ASKPASS
		SSH_ASKPASS_REQUIRE HTTP_PROXY https_proxy All_Proxy NO_PROXY SSL_CERT_FILE SSL_CERT_DIR CNI_PATH`) {
		_, _, err := s.confine(registry.Guard, "run -i image", map[string]string{name: "/tmp/x"})
		if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.MessageOf(err), "its variable "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, _, err := s.confine(registry.Guard, "run -e HTTPS_PROXY=x -e PATH=/bin image", nil); err != nil {
		t.Errorf("set in the container: %s, %v", got, err)
	}
}
