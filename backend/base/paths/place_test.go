package paths

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestATemporaryCopyOfADownloadedApplicationIsNoPlace(t *testing.T) {
	for program, want := range map[string]bool{
		"/private/var/folders/zz/n0/T/AppTranslocation/0F-1A/d/Agent Discover.app/Contents/MacOS/agent-discover": true,
		"/Applications/Agent Discover.app/Contents/MacOS/agent-discover":                                         false,
		"/usr/local/bin/agent-discover":            false,
		"/Users/ada/AppTranslocationNotes/program": false,
	} {
		err := CheckPlace(program)
		if (err != nil) != want || want && !strings.Contains(fault.MessageOf(err), "Applications") {
			t.Errorf("%s: got %v", program, err)
		}
	}
}
