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
