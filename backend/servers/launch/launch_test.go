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
