package settings

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestOnlyTheEnvironmentTurnsAuthenticationOff(t *testing.T) {
	for value, off := range map[string]bool{"": false, "on": false, "off": true} {
		t.Setenv("AGENT_DISCOVER_AUTH", value)
		if s, err := Load(filepath.Join(t.TempDir(), "config.yaml")); err != nil || s.AuthOff != off {
			t.Errorf("AGENT_DISCOVER_AUTH=%q: AuthOff is %t, %v", value, s.AuthOff, err)
		}
	}
	t.Setenv("AGENT_DISCOVER_AUTH", "no")
	if _, err := load(t, ""); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "on or off") {
		t.Errorf("AGENT_DISCOVER_AUTH=no: %v", err)
	}
	t.Setenv("AGENT_DISCOVER_AUTH", "")
	for _, file := range []string{"auth: off", "authoff: true", "auth_off: true", "AuthOff: true", "'-': true"} {
		if s, err := load(t, file); s.AuthOff {
			t.Errorf("%s in the file turns authentication off (error: %v)", file, err)
		}
	}
}
