package install

import (
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/events"
	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/registry"
	"github.com/agent-discover/agent-discover/backend/settings"
	"github.com/agent-discover/agent-discover/backend/store"
)

func TestLaunchHashNamesWhatIsStartedAndNothingElse(t *testing.T) {
	server := func(change func(*registry.Server)) string {
		s := registry.Server{
			Name: "one", Transport: "stdio", Command: "npx", Args: []string{"-y", "package"},
			Env: map[string]string{"A": "1", "B": "2"}, Homepage: "https://one.example",
		}
		change(&s)
		return LaunchHash(s)
	}
	same := server(func(*registry.Server) {})
	for name, change := range map[string]func(*registry.Server){
		"the transport": func(s *registry.Server) { s.Transport = "sse" },
		"the command":   func(s *registry.Server) { s.Command = "npm" },
		"an argument":   func(s *registry.Server) { s.Args[1] = "package2" },
		"two arguments": func(s *registry.Server) { s.Args = []string{"-y package"} },
		"a value":       func(s *registry.Server) { s.Env["A"] = "2" },
		"a variable":    func(s *registry.Server) { s.Env["C"] = "" },
		"the homepage":  func(s *registry.Server) { s.Homepage = "https://two.example" },
	} {
		if server(change) == same {
			t.Errorf("%s may change unseen", name)
		}
	}
	for name, change := range map[string]func(*registry.Server){
		"the description": func(s *registry.Server) { s.Description = "another" },
		"the approval":    func(s *registry.Server) { s.Approved = true },
		"its health":      func(s *registry.Server) { s.Health.Errors = 3 },
	} {
		if server(change) != same {
			t.Errorf("%s changes the hash", name)
		}
	}
	none, empty := registry.Server{}, registry.Server{Args: []string{}, Env: map[string]string{}}
	if LaunchHash(none) != LaunchHash(empty) {
		t.Error("no arguments and an empty list of them differ")
	}
}

func TestWhatHasChangedSinceItWasShownIsNotApproved(t *testing.T) {
	kept, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "discover.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	servers, err := registry.Open(t.Context(), kept, &events.Bus{})
	if err != nil {
		t.Fatal(err)
	}
	installer := &Installer{Registry: servers, Agents: settings.Agents{Install: "ask"}}
	shown, err := installer.Propose(t.Context(), registry.Server{Name: "one", Transport: "stdio", Command: "npx"})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := servers.Update(t.Context(), "one", func(s *registry.Server) { s.Args = []string{"evil"} })
	if err != nil {
		t.Fatal(err)
	}
	_, err = installer.Approve(t.Context(), "one", LaunchHash(shown))
	if now, _ := servers.Get("one"); fault.KindOf(err) != fault.Conflict || now.Approved {
		t.Errorf("approved is %v, the error %v", now.Approved, err)
	}
	if now, err := installer.Approve(t.Context(), "one", LaunchHash(changed)); err != nil || !now.Approved {
		t.Errorf("as it is now: approved is %v, the error %v", now.Approved, err)
	}
}
