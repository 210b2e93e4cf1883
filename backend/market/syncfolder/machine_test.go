package syncfolder

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestPathsOfAMachineStayThere(t *testing.T) {
	mine := registry.Server{
		Name: "notes", Command: "/opt/notes/bin/notes", Dir: "~/work", Args: []string{"-y", "--root=/srv/data", "/home/me/notes", "a/b"},
		Env: map[string]string{
			"CACHE": "/home/me", "OTHER": "/home/meter/x", "LIST": "/home/me/a:/home/me/b", "MIXED": "type=bind,src=/home/me/x",
			"TOKEN": "${secret:T}",
		},
		Grants: registry.Grants{Read: []string{"/data", "~/x"}},
	}
	shared, values := portable(mine, registry.Server{}, "/home/me")
	want := registry.Server{
		Name: "notes", Command: "${machine:command}", Dir: "~/work",
		Args: []string{"-y", "--root=${machine:args.1}", "${machine:home}/notes", "a/b"},
		Env: map[string]string{
			"CACHE": "${machine:home}", "OTHER": "${machine:env.OTHER}", "LIST": "${machine:home}/a:${machine:home}/b",
			"MIXED": "type=bind,src=${machine:home}/x", "TOKEN": "${secret:T}",
		},
		Grants: registry.Grants{Read: []string{"${machine:read.0}", "~/x"}},
	}
	if !reflect.DeepEqual(shared, want) {
		t.Errorf("got\n%+v, want\n%+v", shared, want)
	}
	wantValues := map[string]string{
		"command": "/opt/notes/bin/notes", "args.1": "/srv/data", "env.OTHER": "/home/meter/x", "read.0": "/data",
	}
	if !maps.Equal(values, wantValues) {
		t.Errorf("values %v", values)
	}
	if back, missing := local(shared, "/home/me", values); len(missing) > 0 || !reflect.DeepEqual(back, mine) {
		t.Errorf("back on the machine it is\n%+v, without %q", back, missing)
	}
	other, missing := local(shared, "/Users/you", map[string]string{"command": "/usr/bin/notes"}, values)
	if len(missing) > 0 || other.Command != "/usr/bin/notes" || other.Args[1] != "--root=/srv/data" || other.Args[2] != "/Users/you/notes" {
		t.Errorf("on another machine it is %+v, without %q", other, missing)
	}
	if _, missing := local(shared, "/Users/you", map[string]string{"command": "x"}); len(missing) != 3 {
		t.Errorf("missing %q", missing)
	}
	// A value that was kept apart stays so, whatever it is now.
	other.Command, other.Args[1] = "npx", "--root=relative"
	again, values := portable(other, shared, "/Users/you")
	if !reflect.DeepEqual(again, shared) || values["command"] != "npx" || values["args.1"] != "relative" {
		t.Errorf("after a change it is %+v with %v", again, values)
	}
}

func TestEveryNameHasAFileOnEveryDisk(t *testing.T) {
	for _, name := range []string{"notes", "Notes.App", "aux", "CON", "nul.x", "com1", ".hidden", "a.json", "_x"} {
		file := fileName(name)
		if got, ok := nameOf(file); !ok || got != name {
			t.Errorf("%s has the file %s, which has the name %q, %v", name, file, got, ok)
		}
	}
	for _, file := range []string{"notes", "notes.json.orig", "aux.json", "%notes.json", "notes.JSON", "notes (2).json"} {
		if name, ok := nameOf(file); ok {
			t.Errorf("%s is the file of %q", file, name)
		}
	}
}

func TestAFileThatHasChangedMeanwhileIsNotReplaced(t *testing.T) {
	f, key := folder(t.TempDir()), Key{Servers, "a"}
	first, second := object(t, `{"name":"a"}`), object(t, `{"name":"a","tags":[]}`)
	if err := f.write(key, nil, first); err != nil {
		t.Fatal(err)
	}
	if err := f.write(key, nil, second); err == nil {
		t.Error("a file that another machine has written was replaced")
	}
	if err := f.write(key, second, nil); err == nil {
		t.Error("a file that another machine has written was removed")
	}
	if err := f.write(key, first, second); err != nil {
		t.Error(err)
	}
	if err := f.write(key, second, nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.place(key)); !os.IsNotExist(err) {
		t.Error("the file was not removed")
	}
}

func TestALinkIsNotFollowedOutOfTheFolder(t *testing.T) {
	f := folder(t.TempDir())
	if err := os.Symlink(t.TempDir(), filepath.Join(string(f), Servers)); err != nil {
		t.Skip(err)
	}
	if _, err := f.read(); err == nil {
		t.Error("a link in place of a folder was followed")
	}
}

func TestManyLostObjectsAreNotDeleted(t *testing.T) {
	objects := func(names ...string) Objects {
		all := make(Objects)
		for _, name := range names {
			all[Key{Servers, name}] = Object{"name": name}
		}
		return all
	}
	full := objects("a", "b", "c", "d", "e", "f", "g", "h", "i")
	for _, row := range []struct {
		base, side, other Objects
		stops             bool
	}{
		{full, objects("a", "b", "c", "d", "e", "f"), full, false},
		{full, objects("a", "b", "c", "d", "e"), full, true},
		{full, objects("a", "b"), objects("a", "b"), false}, // both have deleted the others
		{objects("a"), objects(), objects("a"), false},
		{objects("a", "b"), objects(), objects("a", "b"), true},
		{objects("a", "b", "c"), objects("a"), objects("a", "b", "c"), true},
		{objects("a", "b"), objects("a"), objects("a", "b"), false},
	} {
		if err := lost(row.base, row.side, row.other, "there", "why"); (err != nil) != row.stops {
			t.Errorf("of %d objects %d are left: %v", len(row.base), len(row.side), err)
		}
	}
}
