package confinement

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// world creates files and folders, whose names end with a slash, in a new folder without symbolic links in its path.
func world(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = resolved(t.TempDir())
	for _, name := range names {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if target, is := strings.CutPrefix(filepath.Base(name), "to-"); err == nil && is {
			err = os.Symlink(filepath.Join(dir, target), path)
		} else if err == nil && strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o700)
		} else if err == nil {
			err = os.WriteFile(path, []byte(name), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// described returns mounts as a text: access and path, with the folder of the world left out.
func described(dir string, mounts []mount) string {
	var texts []string
	for _, m := range mounts {
		kind := "read"
		switch {
		case m.mask() && m.open:
			kind = "pass"
		case m.mask():
			kind = "hide"
		case m.own:
			kind = "own"
		case m.write:
			kind = "write"
		}
		name, err := filepath.Rel(dir, m.at)
		if err != nil {
			name = m.at
		}
		texts = append(texts, kind+" "+name)
	}
	return strings.Join(texts, "; ")
}

func TestATreeContainsWhatThePolicyNames(t *testing.T) {
	dir := world(t, "home/.ssh/id", "home/.ssh/known", "home/.config/app/state", "home/.config/gh/token", "home/notes/a.txt", "usr/lib/x",
		"data/own/home/", "data/other/")
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		return paths
	}
	hidden := in("home/.ssh", "home/.config/gh", "home/.netrc", "data")
	for _, row := range []struct {
		what string
		p    Policy
		want string
	}{
		{
			"its own home folder hides that of the user",
			Policy{Read: in("usr", "usr/lib", "home/notes"), Write: in("data/own"), Named: in("data/own")},
			"write data/own; own home; read home/notes; read usr",
		},
		{
			"a granted home folder",
			Policy{Read: in("home"), Named: in("home")},
			"own home; read home/.config/app; read home/notes",
		},
		{
			"a granted secret",
			Policy{Read: in("home", "home/.ssh/known"), Named: in("home", "home/.ssh/known")},
			"own home; read home/.config/app; read home/.ssh/known; read home/notes",
		},
		{
			"a secret that nobody has named",
			Policy{Read: in("home", "home/.ssh/known"), Named: in("home")},
			"own home; read home/.config/app; read home/notes",
		},
		{
			"writing in a folder that is read",
			Policy{Read: in("home/.config"), Write: in("home/.config/app"), Named: in("home/.config", "home/.config/app")},
			"own home; write home/.config/app",
		},
		{
			"a folder that contains secrets and is not in the home folder", Policy{Read: in("data"), Named: in("data")}, "read data; own home",
		},
		{"what contains secrets elsewhere", Policy{Read: []string{dir}}, "read .; hide data; own home"},
		{"what does not exist", Policy{Read: in("home/notes/b.txt", "usr")}, "own home; read usr"},
	} {
		row.p.Hidden, row.p.Home, row.p.Private = hidden, filepath.Join(dir, "home"), filepath.Join(dir, "data/own/home")
		if got := described(dir, row.p.mounts(true)); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.what, got, row.want)
		}
	}
}

func TestPathsLeadInATreeWhereTheyLeadOnTheMachine(t *testing.T) {
	dir := world(t, "real/bin/node", "links/to-real", "home/to-real", "home/notes/")
	mounts := []mount{
		{at: filepath.Join(dir, "home"), from: dir, own: true, write: true},
		{at: filepath.Join(dir, "real"), from: filepath.Join(dir, "real")},
	}
	got := fmt.Sprint(links([]string{
		filepath.Join(dir, "links/to-real/bin/node"), filepath.Join(dir, "home/to-real/bin"), filepath.Join(dir, "real/bin"), "relative",
	}, mounts))
	want := fmt.Sprint([]symlink{
		{filepath.Join(dir, "home/to-real"), filepath.Join(dir, "real")}, {filepath.Join(dir, "links/to-real"), filepath.Join(dir, "real")},
	})
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNothingIsCreatedOutsideOfAnOwnFolder(t *testing.T) {
	dir := world(t, "own/", "outside/", "granted/project/file", "own/planted/")
	if err := os.Symlink(filepath.Join(dir, "outside"), filepath.Join(dir, "own/granted")); err != nil { // as a server could
		t.Fatal(err)
	}
	own := mount{at: dir + "/home", from: dir + "/own", own: true, write: true}
	err := furnish([]mount{
		own,
		{at: dir + "/home/granted/project", from: dir + "/granted/project"},
		{at: dir + "/home/planted", from: dir + "/granted/project/file"},
	}, []symlink{{dir + "/home/link/deep", "/usr"}, {dir + "/home/granted/project/taken", "/usr"}})
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(dir + "/outside/*"); len(left) > 0 {
		t.Errorf("created outside: %q", left)
	}
	if info, err := os.Lstat(dir + "/own/granted/project"); err != nil || !info.IsDir() {
		t.Errorf("the folder for a grant: %v", err)
	}
	if info, err := os.Lstat(dir + "/own/planted"); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the file for a grant: %v", err)
	}
	if target, err := os.Readlink(dir + "/own/link/deep"); target != "/usr" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
}

func TestAFileThatOnlyRootReadsStaysHiddenWhenItIsReplaced(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("other users cannot read such files")
	}
	p := Policy{Read: []string{"/etc", "/usr"}, Hidden: []string{"/etc/shadow", "/etc/ssl/private"}, Home: "/root", Private: t.TempDir()}
	layout := p.mounts(false)
	for _, m := range layout {
		if m.at == "/etc" || m.at == "/etc/ssl" || m.at == "/etc/shadow" {
			t.Errorf("%s is mounted", m.at)
		}
	}
	if nearest(layout, "/etc/passwd") < 0 {
		t.Error("/etc/passwd is missing")
	}
	rules := make(map[string]bool)
	p.Read, p.Named = append(p.Read, "/etc/ssl/private"), []string{"/etc/ssl/private"}
	for _, r := range (Machine{ABI: ABISockets}).specOf(p, p.mounts(true), true).Rules {
		rules[r.Path] = true
	}
	if rules["/etc"] || rules["/etc/ssl"] || rules["/etc/shadow"] || !rules["/etc/passwd"] || !rules["/usr"] {
		t.Errorf("Landlock allows %v", rules)
	}
	if _, err := os.Stat("/etc/ssl/private"); err == nil && !rules["/etc/ssl/private"] {
		t.Error("Landlock does not allow a folder that a person has named")
	}
	links := links(p.lostLinks(false), layout)
	for _, link := range links {
		if !Within("/etc", link.at) {
			t.Errorf("%s is linked", link.at)
		}
	}
	if target, err := os.Readlink("/etc/os-release"); err == nil && !slices.Contains(links, symlink{"/etc/os-release", target}) {
		t.Errorf("/etc/os-release is missing in %v", links)
	}
}
