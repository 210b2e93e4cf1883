package quarantine

import (
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestAnotherFolderIsAnotherLaunch(t *testing.T) {
	before := registry.Server{Transport: "stdio", Command: "npx"}
	after := before
	after.Dir = "/elsewhere"
	want := []LaunchChange{{"cwd", "", "/elsewhere"}}
	if got := LaunchOf(before).Changes(LaunchOf(after)); !slices.Equal(got, want) || LaunchOf(before).Hash() == LaunchOf(after).Hash() {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
