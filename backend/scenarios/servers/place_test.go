package servers_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestNoEditorIsGivenATemporaryCopyOfTheProgram(t *testing.T) {
	h, err := hub.Open(t.Context(), hub.Options{
		Folder:  paths.Folder(t.TempDir()),
		Program: "/private/var/folders/zz/n0/T/AppTranslocation/0F-1A/d/Agent Discover.app/Contents/MacOS/agent-discover",
	})
	if err == nil {
		_ = h.Close()
	}
	if err == nil || !strings.Contains(fault.MessageOf(err), "move it with the Finder to Applications") {
		t.Errorf("the hub started: %v", err)
	}
}
