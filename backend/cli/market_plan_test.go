package cli

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	marketplan "github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
)

func TestThePlanOfAnInstallationIsShownWhole(t *testing.T) {
	p := &marketplan.Plan{
		ID: "official:io.example/weather", Version: "1.0", Name: "weather",
		Option: marketplan.Option{ID: "cargo", Kind: "cargo", Name: "weather\u202e"}, Command: []string{"/bin/weather", "two words"},
		Env: map[string]string{"KEY": "${secret:KEY}"}, Download: &marketplan.Download{
			Kind: listing.KindMCPB, Name: "https://files.example/w.mcpb", From: "https://files.example/w.mcpb", SHA256: "abc",
		},
		Steps:   []marketplan.Step{{Command: []string{"cargo", "install", "weather"}, Why: "It is compiled."}},
		Secrets: []marketplan.Secret{{Name: "KEY", Visible: true}},
		Needs:   prerequisites.Requirement{Programs: []string{"docker", "podman"}}, Notes: []string{"The publisher advises\nagainst it."},
		Hash: "h",
	}
	want := `official:io.example/weather 1.0, from weather\u202e, as server weather:
  command      /bin/weather
  argument 1   "two words"
  variable     KEY=${secret:KEY}
  transport    stdio
  downloads    https://files.example/w.mcpb (mcpb)
  SHA-256      abc
  runs once    cargo install weather: It is compiled.
  secret       KEY, stored in the keychain; other programs can see it while the server runs
  needs        docker or podman
  note         The publisher advises\nagainst it.
  hash         h
`
	if got := planned(p, operations.Download{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMissingProgramsComeWithTheCommandsThatInstallThem(t *testing.T) {
	for want, install := range map[string]*prerequisites.Install{
		"": nil,
		"To get it, run:\n  sudo apt-get install -y pipx\n  pipx install uv\nor see https://uv.example\n": {
			Commands: [][]string{{"sudo", "apt-get", "install", "-y", "pipx"}, {"pipx", "install", "uv"}}, Page: "https://uv.example",
		},
		"To get it, see https://uv.example\nThen log in again.\n": {Page: "https://uv.example", Note: "Then log in again."},
	} {
		if got := howToGet(install); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTrustAndSizesAreShort(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1k", 12_345: "12k", 2_000_000: "2M"} {
		if got := shortNumber(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{5: "5 B", 12_000: "12 kB", 3_210_000: "3.2 MB"} {
		if got := sizeText(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
