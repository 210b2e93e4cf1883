package program

import "testing"

func TestCommandsLeadToTheProductThatIncludesTheirProgram(t *testing.T) {
	for command, want := range map[string]string{
		"npx": "Node.js", `C:\Program Files\nodejs\NPX.cmd`: "Node.js", "/opt/uv/bin/uvx": "uv", "docker.exe": "Docker", "dnx": ".NET",
		"node-red": "", "": "",
	} {
		got, ok := ProductOf(Name(command))
		if got.Name != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t", command, got.Name, ok)
		}
	}
}

func TestClientsOfContainerEnginesAreRecognized(t *testing.T) {
	for command, want := range map[string]bool{
		"docker": true, "/usr/local/bin/podman": true, `C:\Program Files\Docker\Docker.EXE`: true, "nerdctl.cmd": true,
		"docker-compose": false, "/opt/docker/server": false, "": false,
	} {
		if got := RunsContainers(command); got != want {
			t.Errorf("%q: got %t", command, got)
		}
	}
}
