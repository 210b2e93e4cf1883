package launch_test

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

type pairs = map[string]string

func TestSomeReferencesOfALaunchAreReplaced(t *testing.T) {
	l := launch.Launch{
		Args: []string{"--key=${secret:NEW}", "${secret:OLD}", "${secret:broken"},
		Env:  pairs{"NEW": "${secret:NEW}", "OLD": "${secret:OLD}"}, URL: "https://x.example/${secret:NEW}",
		Headers: pairs{"X": "Bearer ${secret:NEW}"},
	}
	before := l.Hash()
	got, _ := json.Marshal(l.With(map[string]string{"NEW": "value"}))
	want, _ := json.Marshal(launch.Launch{
		Args: []string{"--key=value", "${secret:OLD}", "${secret:broken"}, Env: pairs{"NEW": "value", "OLD": "${secret:OLD}"},
		URL: "https://x.example/value", Headers: pairs{"X": "Bearer value"},
	})
	if string(got) != string(want) || l.Hash() != before {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheWorkingFolderIsAPartOfTheIdentityOfALaunch(t *testing.T) {
	without := launch.Launch{Transport: "stdio", Command: "npx"}
	with := without
	with.Dir = "/x"
	if with.Hash() == without.Hash() {
		t.Error("a changed folder does not change the hash")
	}
	// Links and approvals of versions without folders stay valid.
	if want := "5354955a294fb2bcde6e6c93f17e420b72bf0bb35412b8877b00f82effb68ae1"; without.Hash() != want {
		t.Errorf("the hash of a launch without a folder is %s, want %s", without.Hash(), want)
	}
}
