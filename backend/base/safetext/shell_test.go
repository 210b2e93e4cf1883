package safetext

import "testing"

func TestAShellReadsAWordAsItIs(t *testing.T) {
	for word, want := range map[string]string{
		"/home/me/a.txt": "/home/me/a.txt", "~/notes": "~/notes", "api.example:443": "api.example:443", "": "''", "a b": "'a b'",
		"/a$(id>x)": "'/a$(id>x)'", "/it's": `'/it'\''s'`, "~me": "'~me'", "*": "'*'", "/a`id`": "'/a`id`'", "/a;id": "'/a;id'",
		"/a$b": "'/a$b'", "/(": "'/('", "/)": "'/)'", "/a>b": "'/a>b'",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
