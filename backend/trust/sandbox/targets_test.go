//go:build unix

package sandbox

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// moving is a sandbox with a home folder whose folders other programs exchange for links.
type moving struct {
	*Sandbox
	t    *testing.T
	home string
}

func newMoving(t *testing.T) *moving {
	t.Helper()
	m := &moving{t: t, home: real(t.TempDir())}
	t.Setenv("HOME", m.home)
	for _, folder := range []string{"projects/out", "projects/releases/1", "private", "root"} {
		if err := os.MkdirAll(filepath.Join(m.home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("projects/releases/1", filepath.Join(m.home, "current")),
		os.Symlink("projects/releases/1", filepath.Join(m.home, "rooted"))); err != nil {
		t.Fatal(err)
	}
	m.restart()
	return m
}

// restart opens the sandbox as the next hub does.
func (m *moving) restart() {
	m.Sandbox = New(Options{
		Data: filepath.Join(m.home, ".agent-discover"), Folder: filepath.Join(m.home, ".agent-discover/sandbox"),
		Roots: []string{"file://" + m.home + "/root", "file://" + m.home + "/rooted"}, Log: slog.New(slog.DiscardHandler),
	})
}

// exchange puts a link to the folder private in the place of a folder.
func (m *moving) exchange(folder string) {
	m.t.Helper()
	path := filepath.Join(m.home, folder)
	if err := errors.Join(os.Remove(path), os.Symlink(filepath.Join(m.home, "private"), path)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *moving) server(name string, write ...string) registry.Server {
	return registry.Server{Name: name, Transport: "stdio", Sandbox: registry.Guard, Grants: registry.Grants{Write: write}}
}

func (m *moving) place() place { return place{os: "linux", home: m.home, data: m.options.Data} }

// reaches reports whether the policy of a server contains the folder private.
func (m *moving) reaches(server registry.Server) bool {
	l := upstream.Launch{Command: "/bin/true", Env: process.Env{"HOME=" + m.home}}
	return slices.Contains(m.policyOf(filepath.Join(m.options.Folder, server.Name), server, l).Write, filepath.Join(m.home, "private"))
}

func TestAGrantWhosePathLeadsElsewhereLaterRefusesTheStart(t *testing.T) {
	for what, row := range map[string]struct{ grant, exchanged string }{
		"a folder in a folder of another server": {"~/projects/out", "projects/out"},
		"a link into a folder of another server": {"~/current", "projects/releases/1"},
	} {
		m := newMoving(t)
		server := m.server("one", row.grant)
		m.Granted(server)
		if err := m.checkTargets(server, m.place()); err != nil {
			t.Errorf("%s: it does not start at first: %v", what, err)
		}
		m.exchange(row.exchanged)
		for _, when := range []string{"at once", "after a restart of the hub"} {
			err := m.checkTargets(server, m.place())
			if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.MessageOf(err), "leads to "+m.home+"/private now") {
				t.Errorf("%s, %s: %v", what, when, err)
			}
			if m.reaches(server) {
				t.Errorf("%s, %s: it gets the folder", what, when)
			}
			m.restart()
		}
		m.Granted(server) // the same grants again do not accept the link
		if err := m.checkTargets(server, m.place()); err == nil {
			t.Errorf("%s: a second look accepts the link", what)
		}
		m.Granted(m.server("one"))
		m.Granted(server) // the person has removed the grant, and added it again
		if err := m.checkTargets(server, m.place()); err != nil || !m.reaches(server) {
			t.Errorf("%s: granted again, it does not start: %v", what, err)
		}
	}
}

func TestTargetsFollowTheNameOfTheirServer(t *testing.T) {
	m := newMoving(t)
	m.Granted(m.server("one", "~/projects/out"))
	if err := m.Rename("one", "two"); err != nil {
		t.Fatal(err)
	}
	m.exchange("projects/out")
	if err := m.checkTargets(m.server("two", "~/projects/out"), m.place()); err == nil {
		t.Error("a renamed server may use the link")
	}
	if err := m.Forget(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if err := m.checkTargets(m.server("two", "~/projects/out"), m.place()); err != nil {
		t.Errorf("a new server of the same name inherits what a removed one was granted: %v", err)
	}
}

func TestARootThatLeadsElsewhereLaterGivesNoAccess(t *testing.T) {
	m := newMoving(t)
	server := m.server("one")
	m.exchange("projects/releases/1")
	for _, when := range []string{"at once", "after a restart of the hub"} {
		if m.reaches(server) {
			t.Errorf("%s: it gets the folder", when)
		}
		if report := m.Report(server); !slices.ContainsFunc(report.Notes, func(note string) bool {
			return strings.Contains(note, "the MCP root "+m.home+"/rooted gives no access")
		}) {
			t.Errorf("%s: the report does not say so: %q", when, report.Notes)
		}
		m.restart()
	}
}

func TestADamagedListOfTargetsIsMadeAnew(t *testing.T) {
	m := newMoving(t)
	file := filepath.Join(m.options.Folder, targetsFile)
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.restart()
	server := m.server("one", "~/projects/out")
	if err := m.checkTargets(server, m.place()); err != nil {
		t.Error(err)
	}
	m.exchange("projects/out")
	if err := m.checkTargets(server, m.place()); err == nil {
		t.Error("the targets are not remembered any more")
	}
}
