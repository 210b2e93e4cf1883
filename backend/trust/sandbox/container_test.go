//go:build unix

package sandbox

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const always = "--cap-drop=ALL --security-opt=no-new-privileges --pids-limit=512 --memory=2g --cpus=2"

func TestContainersGetTheOptionsThatConfineThem(t *testing.T) {
	at := place{os: "linux", home: "/home/me", data: "/home/me/.agent-discover"}
	for _, row := range []struct{ level, network, line, want string }{
		{registry.Guard, "", "run -i --rm image --memory x", "run " + always + " -i --rm image --memory x"},
		{
			registry.Guard, "", "run -m 1g --cpus=1 image",
			"run --cap-drop=ALL --security-opt=no-new-privileges --pids-limit=512 -m 1g --cpus=1 image",
		},
		{registry.Strict, "", "run -it image", "run " + always + " --read-only --tmpfs=/tmp --network=none -it image"},
		{registry.Strict, "*", "--context c run -e A=b image", "--context c run " + always + " --read-only --tmpfs=/tmp -e A=b image"},
		{registry.Strict, "443", "run --network=mine image", "run " + always + " --read-only --tmpfs=/tmp --network=mine image"},
		{
			registry.Strict, "", "run --read-only -v data:/data --cap-drop NET_RAW image",
			"run " + always + " --tmpfs=/tmp --network=none --read-only -v data:/data --cap-drop NET_RAW image",
		},
	} {
		grants := registry.Grants{Network: strings.Fields(row.network)}
		got, err := confineContainer(upstream.Launch{Command: "docker", Args: strings.Fields(row.line)}, row.level, grants, at)
		if err != nil || strings.Join(got.Args, " ") != row.want {
			t.Errorf("%s %s:\n%s, %v\nwant\n%s", row.level, row.line, strings.Join(got.Args, " "), err, row.want)
		}
		server := registry.Server{
			Transport: "stdio", Command: "/usr/bin/docker", Args: strings.Fields(row.line), Sandbox: row.level, Grants: grants,
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

func TestAStrictContainerGetsNothingOfThisComputer(t *testing.T) {
	at := place{os: "linux", home: "/home/me", dir: "/home/me", data: "/home/me/.agent-discover"}
	for _, line := range []string{
		"run --privileged image", "run --cap-add=SYS_ADMIN image", "run --cap-add SYS_ADMIN image", "run -v /var/run/docker.sock:/s image",
		"run -v /run/podman/podman.sock:/s image", "run -v /home/me:/h image", "run -v ~:/h image", "run -v/:/host image",
		"run --volume=/home:/h image", "run --mount type=bind,source=/home/me/.ssh,target=/k image",
		"run --mount=type=bind,src=/,dst=/x image", "run --network host image", "run --net=host image", "run --pid=host image",
		"run --ipc host image", "run --security-opt seccomp=unconfined image", "run --device /dev/kvm image", "run --userns=host image",
		"run -v .:/h image", "run -v ..:/h image", "run --volumes-from other image", "run -it -v /home/me/.aws:/a image",
	} {
		if got, err := confineContainer(upstream.Launch{Command: "docker", Args: strings.Fields(line)},
			registry.Strict, registry.Grants{}, at); fault.KindOf(err) != fault.Denied {
			t.Errorf("%s: %v, %v", line, got.Args, err)
		}
	}
	for _, line := range []string{"run -v /srv/data:/data:ro image", "run --network none image", "run image --privileged -v /:/x"} {
		launch := upstream.Launch{Command: "docker", Args: strings.Fields(line)}
		if _, err := confineContainer(launch, registry.Strict, registry.Grants{}, at); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTheClientOfAnEngineGetsOnlyVariablesThatItPassesOn(t *testing.T) {
	at := place{os: "linux", home: "/home/me", data: "/home/me/.agent-discover"}
	confine := func(line string, own map[string]string) (upstream.Launch, error) {
		return confineContainer(upstream.Launch{Command: "docker", Args: strings.Fields(line), Own: own},
			registry.Guard, registry.Grants{}, at)
	}
	l, err := confine("run -i -e TOKEN --env=NODE_OPTIONS -e SET=here image --env AFTER",
		map[string]string{"TOKEN": "t", "NODE_OPTIONS": "-r x", "AFTER": "a", "UNUSED": "u", "SET": "own"})
	if err != nil || len(l.Own) != 2 || l.Own["TOKEN"] != "t" || l.Own["NODE_OPTIONS"] != "-r x" {
		t.Errorf("got %v, %v", l.Own, err)
	}
	for _, name := range []string{
		"LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES", "PATH", "DOCKER_HOST", "DOCKER_CONFIG", "CONTAINERS_CONF", "XDG_CONFIG_HOME",
	} {
		for _, line := range []string{"run -i image", "run -i -e " + name + " image"} {
			l, err := confine(line, map[string]string{name: "/tmp/x"})
			if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.MessageOf(err), "its variable "+name) || len(l.Own) > 0 {
				t.Errorf("%s with %s: %v, %v", line, name, l.Own, err)
			}
		}
	}
}
