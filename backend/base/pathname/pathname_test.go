package pathname

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPathsAreComparedByTheRulesOfTheSystem(t *testing.T) {
	for _, row := range []struct {
		rules Rules
		a, b  string
		same  bool
	}{
		{"windows", `C:\Users\me\x`, `c:/users/ME/x`, true},
		{"windows", `Z:\x`, `z:/x`, true},
		{"windows", `C:\a\\b\`, `C:\a\b`, true},
		{"windows", `C:\a\.\c\..\b`, `C:/a/b`, true},
		{"windows", `\\?\C:\a`, `C:\a`, true},
		{"windows", `\\?\UNC\server\share\a`, `\\SERVER\share\a`, true},
		{"windows", `\\server\share\a`, `\server\share\a`, false},
		{"windows", `\\server\share`, `\\server\other`, false},
		{"windows", `C:\Users\Jörg Müller`, `c:\users\JÖRG MÜLLER`, true},
		{"windows", `C:\a.`, `C:\a`, true},
		{"windows", `C:\a \b`, `C:\a\b`, true},
		{"windows", `\\?\C:\a.`, `C:\a`, false},
		{"windows", `C:\..`, `C:\`, true},
		{"windows", `..\a`, `a`, false},
		{"windows", `C:a`, `C:\a`, false},
		{"windows", `C:\a`, `D:\a`, false},
		{"windows", `C:\ı`, `C:\I`, false},
		{"windows", `C:\ſ`, `C:\S`, false},
		{"darwin", "/Users/me/Ordner", "/users/ME/ordner/", true},
		{"darwin", "/Users/J\u00f6rg", "/Users/Jo\u0308rg", true},
		{"darwin", `/a\b`, "/a/b", false},
		{"linux", "/a/./b/", "/a/b", true},
		{"linux", "/a/B", "/a/b", false},
		{"linux", "/J\u00f6rg", "/Jo\u0308rg", false},
		{"linux", `/a\b`, "/a/b", false},
	} {
		if got := row.rules.Equal(row.a, row.b); got != row.same {
			t.Errorf("%s: %q and %q: %t (%q, %q)", row.rules, row.a, row.b, got, row.rules.Key(row.a), row.rules.Key(row.b))
		}
	}
}

func TestAPathIsInAFolder(t *testing.T) {
	for _, row := range []struct {
		rules        Rules
		folder, name string
		in           bool
	}{
		{"windows", `C:\Data`, `c:/data/x`, true},
		{"windows", `C:\Data`, `C:\Data`, true},
		{"windows", `C:\Data`, `C:\Data2`, false},
		{"windows", `C:\Data`, `C:\Data\..\x`, false},
		{"windows", `C:\`, `c:\x`, true},
		{"windows", `C:\`, `D:\x`, false},
		{"windows", `\\server\share`, `\\?\UNC\Server\Share\x`, true},
		{"darwin", "/Data", "/data/x", true},
		{"linux", "/Data", "/data/x", false},
		{"linux", "/", "/x", true},
		{"linux", "/a", "/a/../b", false},
		{"linux", "a", "../a/b", false},
	} {
		if got := row.rules.In(row.folder, row.name); got != row.in {
			t.Errorf("%s: %q in %q: %t", row.rules, row.name, row.folder, got)
		}
	}
}

func TestAFolderIsFoundInAText(t *testing.T) {
	for _, row := range []struct {
		rules        Rules
		text, folder string
		before, rest string
	}{
		{"windows", `--dir=c:/users/JÖRG/bundles/x/y`, `C:\Users\Jörg\bundles`, "--dir=", "x/y"},
		{"windows", `C:\b\x`, `C:\b\`, "", "x"},
		{"darwin", "/Users/me/Bundles/x", "/users/me/bundles", "", "x"},
		{"linux", "a /b/x", "/b", "a ", "x"},
	} {
		start, end, ok := row.rules.Index(row.text, row.folder)
		if !ok || row.text[:start] != row.before || row.text[end:] != row.rest {
			t.Errorf("%s: %q in %q: %d, %d, %t", row.rules, row.folder, row.text, start, end, ok)
		}
	}
	for _, text := range []string{"", "/b", "/bb/x", "/B/x"} {
		if _, _, ok := Rules("linux").Index(text, "/b"); ok {
			t.Errorf("%q contains the folder", text)
		}
	}
}

func TestLinksToAFileAreTheSame(t *testing.T) {
	folder := t.TempDir()
	file, other, link := filepath.Join(folder, "a"), filepath.Join(folder, "b"), filepath.Join(folder, "c")
	for _, name := range []string{file, other} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(file, link); err != nil {
		t.Skip(err)
	}
	if !Same(file, link) || Same(file, other) || Same(file, filepath.Join(folder, "missing")) {
		t.Error("links are compared wrongly")
	}
}
