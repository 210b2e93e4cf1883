//go:build linux

package main_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestACompanionWithoutAHubListsTheToolThatSavesFiles(t *testing.T) {
	t.Parallel()
	for settings, listed := range map[string]bool{"results: {folder: saved}\n": true, "results: [\n": false} {
		h := programtest.NewHome(t)
		h.Settings(settings)
		h.Run("stop") // otherwise the companion starts a hub
		c := h.CompanionOf("--surface", "native", "--client", "codex")
		if got := string(c.Ask("tools/list", `{}`).Line); !strings.Contains(got, "read_more") ||
			strings.Contains(got, "save_block") != listed {
			t.Errorf("with the settings %q: %s", settings, got)
		}
	}
}
