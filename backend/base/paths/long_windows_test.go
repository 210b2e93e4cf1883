package paths

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLongPathsGetThePrefixThatWindowsNeeds(t *testing.T) {
	deep := strings.Repeat(`\0123456789`, 30)
	for path, want := range map[string]string{
		`C:\a`:                        `C:\a`,
		`C:` + deep:                   `\\?\C:` + deep,
		`C:/a/..` + deep:              `\\?\C:` + deep,
		`\\server\share` + deep:       `\\?\UNC\server\share` + deep,
		`//server/share` + deep:       `\\?\UNC\server\share` + deep,
		`\\?\UNC\server\share` + deep: `\\?\UNC\server\share` + deep,
		`\\?\C:` + deep:               `\\?\C:` + deep,
	} {
		if got := long(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestADataFolderMayHaveAnotherFormOfPath(t *testing.T) {
	folder := t.TempDir()
	for _, form := range []string{filepath.ToSlash(folder), `\\?\` + folder} {
		f := Folder(form)
		if err := f.Create(); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(f.Config(), []byte(form)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(Folder(folder).Config()); err != nil || string(data) != form {
			t.Errorf("%s: %q, %v", form, data, err)
		}
	}
}
