package main

import (
	"strings"
	"testing"
	"unicode/utf16"
)

func TestANotificationScriptQuotesNamesThatAgentsHaveChosen(t *testing.T) {
	got := notificationScript(notice{
		Summary: `“x" & (do shell script "id") & "\” waits` + "\n", Body: "It does not start. Click to review it.",
	})
	want := `display notification "It does not start." with title "Agent Discover" subtitle "“x\" & (do shell script \"id\") & \"\\” waits "` +
		"\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestALongNotificationKeepsWholeCharactersAndItsEnd(t *testing.T) {
	for text, want := range map[string]string{
		"abc": "abc", strings.Repeat("x", 63): strings.Repeat("x", 63), strings.Repeat("x", 70): strings.Repeat("x", 63),
		strings.Repeat("x", 62) + "🔍": strings.Repeat("x", 62),
	} {
		if got := string(utf16.Decode(clipUTF16(text, 64))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
