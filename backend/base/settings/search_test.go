package settings

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestEnvironmentOverridesSearchSettings(t *testing.T) {
	s, err := load(t, "")
	if err != nil || s.Search.Provider != ProviderBuiltin || s.Search.Threads != 1 || s.Search.IdleUnload != time.Minute ||
		!s.Search.Learning {
		t.Errorf("by default: %+v, %v", s.Search, err)
	}
	s, err = load(t, "search: {provider: local, url: 'http://[::1]:8080/v1', model: m, threads: 2, idle_unload: 5m, learning: false}")
	if want := (Search{
		Provider: ProviderLocal, URL: "http://[::1]:8080/v1", Model: "m", Threads: 2, IdleUnload: 5 * time.Minute,
	}); err != nil || s.Search != want {
		t.Errorf("from the file: %+v, %v", s.Search, err)
	}
	for name, value := range map[string]string{
		"EMBEDDING_PROVIDER": "openai", "EMBEDDING_MODEL": "large", "EMBEDDING_THREADS": "3", "EMBEDDING_IDLE_TIMEOUT": "0",
	} {
		t.Setenv("AGENT_DISCOVER_"+name, value)
	}
	t.Setenv("OPENAI_API_KEY", "sk-plain")
	t.Setenv("OPENAI_BASE_URL", "https://plain.example/v1")
	s, err = load(t, "search: {provider: none, model: m, threads: 2}")
	want := Search{
		Provider: ProviderOpenAI, URL: defaultSearchURL, Model: "large", Threads: 3, Learning: true,
		Key: "sk-plain", BaseURL: "https://plain.example/v1",
	}
	if err != nil || s.Search != want {
		t.Errorf("from the environment: %+v, %v", s.Search, err)
	}
	t.Setenv("AGENT_DISCOVER_OPENAI_API_KEY", "sk-ours")
	t.Setenv("AGENT_DISCOVER_OPENAI_BASE_URL", "https://ours.example/v1")
	if s, _ = load(t, ""); s.Search.Key != "sk-ours" || s.Search.BaseURL != "https://ours.example/v1" {
		t.Errorf("general variables override those of Agent Discover: %+v", s.Search)
	}
}

func TestInvalidSearchSettingsAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		"{provider: ollama}":                                    "builtin, none, local or openai",
		"{provider: local, url: 'localhost:11434'}":             "search.url must be an address",
		"{provider: local, url: ''}":                            "search.url must be an address",
		"{provider: local, url: 'http://me:hidden@host'}":       "without user, password",
		"{provider: local, url: 'http://host/?api-key=hidden'}": "without user, password",
		"{provider: openai, url: 'https://gateway.example/v1'}": "AGENT_DISCOVER_OPENAI_BASE_URL",
		"{threads: 0}":       "at least 1",
		"{idle_unload: -1s}": "0 (keep the model in memory) or more",
		"{idle_unload: 60}":  "needs a unit",
		"{learning: maybe}":  "learning",
		"{key: sk-hidden}":   "unknown setting search.key",
	} {
		_, err := load(t, "search: "+text)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: got %v, want an error that contains %q and no secret", text, err, want)
		}
	}
	for name, wrong := range map[string][]string{
		"AGENT_DISCOVER_EMBEDDING_PROVIDER": {"ollama"}, "AGENT_DISCOVER_EMBEDDING_THREADS": {"all", "0"},
		"AGENT_DISCOVER_EMBEDDING_IDLE_TIMEOUT": {"1m", "-1", "99999999999"},
	} {
		for _, value := range wrong {
			t.Run(name+"="+value, func(t *testing.T) {
				t.Setenv(name, value)
				if _, err := load(t, ""); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), name) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
	t.Setenv("OPENAI_BASE_URL", "not an address")
	if _, err := load(t, ""); err != nil {
		t.Errorf("an invalid address of an unused provider: %v", err)
	}
	if _, err := load(t, "search: {provider: openai}"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an invalid address of openai: %v", err)
	}
}
