package confinement

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// reads makes the test binary print the files that its value names.
const reads = "CONFINEMENT_TEST_READS"

func TestMain(m *testing.M) {
	if Called(os.Args) {
		os.Exit(Exec())
	}
	if files := os.Getenv(reads); files != "" {
		for file := range strings.SplitSeq(files, "|") {
			text, err := os.ReadFile(file)
			fmt.Printf("%s: %s %t\n", filepath.Base(file), text, err == nil)
		}
		os.Exit(7)
	}
	os.Exit(m.Run())
}

// entries reports whether the access list of a path has an entry for a container, which may come from a folder above.
func entries(t *testing.T, path string, sid *windows.SID) bool {
	t.Helper()
	now, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(now.String(), sid.String())
}

// realTemp returns a folder for a test, without links and short names in its path.
func realTemp(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAccessListsFollowAPolicy(t *testing.T) {
	sid, err := windows.StringToSid("S-1-15-2-1-2-3-4-5-6-7")
	if err != nil {
		t.Fatal(err)
	}
	folder := realTemp(t)
	record, given, file := filepath.Join(folder, "record"), filepath.Join(folder, "given"), filepath.Join(folder, "given", "file")
	if err := os.Mkdir(given, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	failed := func(path string, err error) { t.Errorf("%s: %v", path, err) }
	for _, step := range []struct {
		now          []access
		folder, file bool
	}{
		{[]access{{given, accessWrite}}, true, true},
		{[]access{{given, accessList}}, true, false},
		{[]access{{file, accessRead}, {filepath.Join(folder, "missing"), accessRead}}, false, true},
		{nil, false, false},
	} {
		if err := permit(sid, record, step.now, failed); err != nil {
			t.Fatal(err)
		}
		if entries(t, given, sid) != step.folder || entries(t, file, sid) != step.file {
			t.Errorf("after %v: the folder has an entry: %v, the file: %v", step.now, !step.folder, !step.file)
		}
	}
}

func TestNoEntryIsMadeWhereALinkLeadsElsewhere(t *testing.T) {
	folder := realTemp(t)
	if err := os.Mkdir(filepath.Join(folder, "secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link")
	if out, err := exec.Command("cmd", "/c", "mklink", "/J", link, filepath.Join(folder, "secret")).CombinedOutput(); err != nil {
		t.Skipf("no junction can be made: %s", out)
	}
	called := false
	if err := withPath(link, func(bool) error { called = true; return nil }); err == nil || called {
		t.Errorf("a junction was followed: %v", err)
	}
}

func TestAContainedProgramReadsOnlyWhatItsPolicyNames(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := This([]string{self, HelperCommand})
	if !m.Contained() {
		t.Skip("app containers do not confine processes here")
	}
	folder := realTemp(t)
	own := filepath.Join(folder, "servers", "one")
	p := Policy{
		Private: filepath.Join(own, "home"), Temporary: filepath.Join(own, "tmp"), Read: []string{filepath.Join(folder, "granted")},
		Network: Network{Restricted: true},
	}
	p.Write = []string{p.Private, p.Temporary}
	for _, path := range []string{p.Private, p.Temporary, filepath.Join(folder, "granted"), filepath.Join(folder, "secret")} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	granted, secret := filepath.Join(folder, "granted", "granted.txt"), filepath.Join(folder, "secret", "secret.txt")
	for _, file := range []string{granted, secret} {
		if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := m.Confine(p, upstream.Launch{
		Command: self, Env: process.Clean(), Own: map[string]string{reads: granted + "|" + secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release(own)
	cmd := exec.Command(l.Command, l.Args...)
	cmd.Env = l.Env
	out, err := cmd.Output()
	if string(out) != "granted.txt: text true\nsecret.txt:  false\n" || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("it printed %q, and ended with %v", out, err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "servers", specPrefix+"*")); len(left) > 0 {
		t.Errorf("the spec is left: %v", left)
	}
}
