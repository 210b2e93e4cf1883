package importer

import "testing"

func TestTextsFollowAFolderThatMoves(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"/data/old/x":           "/data/new/x",
		"/data/old":             "/data/new",
		"--dir=/data/old":       "--dir=/data/new",
		"/data/old/a:/data/old": "/data/new/a:/data/new",
		"/data/older/x":         "/data/older/x",
	} {
		if got := moved(text, "/data/old", "/data/new"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
