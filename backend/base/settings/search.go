package settings

import (
	"cmp"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Who makes the vectors by which tools are found by their meaning.
const (
	ProviderBuiltin = "builtin" // a model inside the hub; nothing leaves the machine
	ProviderNone    = "none"    // nobody: tools are found by their words alone
	ProviderLocal   = "local"   // a server that the user runs
	ProviderOpenAI  = "openai"
)

// Providers are all of them.
var Providers = []string{ProviderBuiltin, ProviderNone, ProviderLocal, ProviderOpenAI}

// Search says how tools are found.
type Search struct {
	Provider string `koanf:"provider"` // builtin, none, local or openai
	Model    string `koanf:"model"`    // of local and openai; empty for their usual one
	// URL is where local answers: Ollama's or OpenAI's interface, whole or
	// without its last part.
	URL string `koanf:"url"`
	// Threads is how many cores builtin may use in the background.
	Threads int `koanf:"threads"`
	// IdleUnload is how long builtin keeps its memory after its last use; 0 for
	// ever.
	IdleUnload time.Duration `koanf:"idle_unload"`
	// Learning lets what agents choose and call change what they find next.
	Learning bool `koanf:"learning"`
	// Key and BaseURL are those of openai. They are taken from the environment
	// alone.
	Key     string `koanf:"-"`
	BaseURL string `koanf:"-"` // OpenAI's own when empty
}

func defaultSearch() Search {
	return Search{Provider: ProviderBuiltin, URL: "http://127.0.0.1:11434", Threads: 1, IdleUnload: time.Minute, Learning: true}
}

// maxIdleSeconds is a number of seconds that a time.Duration can hold.
const maxIdleSeconds = 1 << 31

func (s *Search) environment() error {
	s.Provider = cmp.Or(os.Getenv("AGENT_DISCOVER_EMBEDDING_PROVIDER"), s.Provider)
	s.Model = cmp.Or(os.Getenv("AGENT_DISCOVER_EMBEDDING_MODEL"), s.Model)
	s.Key = cmp.Or(os.Getenv("AGENT_DISCOVER_OPENAI_API_KEY"), os.Getenv("OPENAI_API_KEY"))
	s.BaseURL = cmp.Or(os.Getenv("AGENT_DISCOVER_OPENAI_BASE_URL"), os.Getenv("OPENAI_BASE_URL"))
	if v := os.Getenv("AGENT_DISCOVER_EMBEDDING_THREADS"); v != "" {
		threads, err := strconv.Atoi(v)
		if err != nil {
			return fault.New(fault.Invalid, "AGENT_DISCOVER_EMBEDDING_THREADS is %q; it must be a number of cores", v)
		}
		s.Threads = threads
	}
	if v := os.Getenv("AGENT_DISCOVER_EMBEDDING_IDLE_TIMEOUT"); v != "" {
		seconds, err := strconv.Atoi(v)
		if err != nil || seconds > maxIdleSeconds {
			return fault.New(fault.Invalid, "AGENT_DISCOVER_EMBEDDING_IDLE_TIMEOUT is %q; it must be a whole number of seconds, 0 to keep the model in memory", v)
		}
		s.IdleUnload = time.Duration(seconds) * time.Second
	}
	return nil
}

// Check reports what cannot work as it is.
func (s *Search) Check() error {
	switch s.Provider {
	case ProviderBuiltin, ProviderNone:
	case ProviderLocal:
		if !address(s.URL) {
			return fault.New(fault.Invalid, "search.url must be an address such as http://127.0.0.1:11434, without user, password or query")
		}
	case ProviderOpenAI:
		if s.URL != defaultSearch().URL { // the user means texts to go there, and they would go elsewhere
			return fault.New(fault.Invalid, "search.url is for search.provider local; the address for openai comes from AGENT_DISCOVER_OPENAI_BASE_URL")
		}
		if s.BaseURL != "" && !address(s.BaseURL) {
			return fault.New(fault.Invalid, "AGENT_DISCOVER_OPENAI_BASE_URL (or OPENAI_BASE_URL) must be an address such as https://host/v1, without user, password or query")
		}
	default:
		return fault.New(fault.Invalid, "search.provider (AGENT_DISCOVER_EMBEDDING_PROVIDER) is %q; it must be builtin, none, local or openai", s.Provider)
	}
	switch {
	case s.Threads < 1:
		return fault.New(fault.Invalid, "search.threads (AGENT_DISCOVER_EMBEDDING_THREADS) is %d; it must be at least 1", s.Threads)
	case s.IdleUnload < 0:
		return fault.New(fault.Invalid, "search.idle_unload (AGENT_DISCOVER_EMBEDDING_IDLE_TIMEOUT) must be 0 (keep the model in memory) or more")
	}
	return nil
}

// address reports whether a text is the address of an HTTP server that may be
// shown: nothing in it is a credential.
func address(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}
