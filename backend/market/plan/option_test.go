package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
)

// with returns a machine on which only the given programs work.
func with(programs ...string) Machine {
	m := here()
	for i := range m.Programs.Programs {
		p := &m.Programs.Programs[i]
		if p.Works = slices.Contains(programs, p.Name); !p.Works {
			p.Path, p.Install = "", &prerequisites.Install{Page: "https://example.com"}
		}
	}
	return m
}

func TestThePreferredOptionRunsHereAndNeedsNoSecret(t *testing.T) {
	key := []listing.Field{{Name: "KEY", Input: listing.Input{Required: true, Secret: true}}}
	npm := listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0"}
	npmKey := listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0", Env: key}
	pypi := listing.Package{Kind: "pypi", Identifier: "weather", Version: "1.0.0"}
	oci := listing.Package{Kind: "oci", Identifier: "ada/weather:1.0.0"}
	cargo := listing.Package{Kind: "cargo", Identifier: "weather", Version: "1.0.0"}
	mcpb := listing.Package{Kind: "mcpb", Identifier: "https://x.example/a.mcpb", SHA256: strings.Repeat("a", 64)}
	hostile := listing.Package{Kind: "npm", Identifier: "--evil", Version: "1.0.0"}
	remote := listing.Remote{Type: "streamable-http", URL: "https://x.example"}
	dead := listing.Remote{Type: "sse", URL: "https://y.example", Probe: &listing.Probe{Answer: "failed"}}
	signIn := listing.Remote{Type: "streamable-http", URL: "https://x.example", Probe: &listing.Probe{Answer: "sign_in"}}
	for _, test := range []struct {
		name     string
		machine  Machine
		packages []listing.Package
		remotes  []listing.Remote
		want     string
	}{
		{"native before a container", with("npx", "docker"), []listing.Package{oci, npm}, nil, "npm oci"},
		{"what runs here", with("docker"), []listing.Package{npm, pypi, oci}, nil, "oci npm pypi"},
		{"without a secret", with("npx", "uvx", "docker"), []listing.Package{npmKey, oci}, nil, "oci npm"},
		{"in the order of the listing", with("npx", "uvx"), []listing.Package{pypi, npm}, nil, "pypi npm"},
		{"a program before an address", with("npx"), []listing.Package{npm}, []listing.Remote{remote}, "npm streamable-http"},
		{"an address before a missing program", with(), []listing.Package{npm}, []listing.Remote{remote}, "streamable-http npm"},
		{"a dead address last", with("cargo"), []listing.Package{cargo}, []listing.Remote{dead}, "cargo sse"},
		{"a sign-in counts as a secret", with("docker"), []listing.Package{oci}, []listing.Remote{signIn}, "oci streamable-http"},
		{"a bundle may ask for secrets", with("npx"), []listing.Package{mcpb, npm}, nil, "npm mcpb"},
		{"refused ones last", with(), []listing.Package{hostile, npm}, nil, "npm-2 npm"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := packaged(test.packages...)
			l.Remotes = test.remotes
			p := mustMake(t, Request{Listing: l}, test.machine)
			var ids []string
			for _, o := range p.Options {
				ids = append(ids, o.ID)
			}
			if got := strings.Join(ids, " "); got != test.want || p.Option != p.Options[0] {
				t.Errorf("options are %s, want %s", got, test.want)
			}
		})
	}
}

func TestOptionsAreChosenByID(t *testing.T) {
	l := packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0"},
		listing.Package{Kind: "npm", Identifier: "weather-two", Version: "1.0.0"})
	if p := mustMake(t, Request{Listing: l, Option: "npm-2"}, here()); p.Download.Name != "weather-two" || len(p.Options) != 2 {
		t.Errorf("the plan is %+v", p)
	}
	if _, err := Make(Request{Listing: l, Option: "oci"}, here()); fault.KindOf(err) != fault.NotFound ||
		!strings.Contains(fault.MessageOf(err), "it has npm, npm-2") {
		t.Errorf("got %v", err)
	}
}

func TestAMissingProgramIsSaidAndBlocksNoPlan(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0"})}, with())
	if p.Missing != "npx is not installed." || p.Install == nil || p.Option.Ready || p.Check() != nil || p.Hash == "" {
		t.Errorf("the plan is %+v", p)
	}
	p = mustMake(t, Request{Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0", Requires: ">=24"})},
		with("npx", "node"))
	if p.Missing != "node has the version 22.1.0, but the package needs >=24." {
		t.Errorf("missing is %q", p.Missing)
	}
	if p := mustMake(t, Request{Listing: packaged(listing.Package{Kind: "oci", Identifier: "ada/x:1.0.0"})},
		with("docker", "podman")); p.Command[0] != "docker" {
		t.Errorf("the engine is %s", p.Command[0])
	}
}
