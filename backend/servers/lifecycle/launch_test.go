package lifecycle

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestLaunchHashCoversExactlyTheLaunchFields(t *testing.T) {
	server := func(change func(*registry.Server)) string {
		s := registry.Server{
			Name: "one", Transport: "stdio", Command: "npx", Args: []string{"-y", "package"},
			Env: map[string]string{"A": "1", "B": "2"}, URL: "https://one.example",
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
		"the URL":       func(s *registry.Server) { s.URL = "https://two.example" },
	} {
		if server(change) == same {
			t.Errorf("the hash does not cover %s", name)
		}
	}
	for name, change := range map[string]func(*registry.Server){
		"the description": func(s *registry.Server) { s.Description = "another" },
		"the approval":    func(s *registry.Server) { s.Approved = true },
		"its health":      func(s *registry.Server) { s.Health.Errors = 3 },
	} {
		if server(change) != same {
			t.Errorf("the hash covers %s", name)
		}
	}
	none, empty := registry.Server{}, registry.Server{Args: []string{}, Env: map[string]string{}}
	if LaunchHash(none) != LaunchHash(empty) {
		t.Error("nil and empty arguments have different hashes")
	}
}
