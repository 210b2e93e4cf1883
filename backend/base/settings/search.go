package settings

import (
	"cmp"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// The embedding providers, which compute the vectors for search by meaning.
const (
	ProviderBuiltin = "builtin" // a model inside the hub; no text leaves the machine
	ProviderNone    = "none"    // no vectors: tools are searched by their words alone
	ProviderLocal   = "local"   // an embedding server that the user runs
	ProviderOpenAI  = "openai"
)

// Providers lists all embedding providers.
var Providers = []string{ProviderBuiltin, ProviderNone, ProviderLocal, ProviderOpenAI}

// Search configures the search for tools.
type Search struct {
	Provider string // builtin, none, local or openai
	Model    string // model of the providers local and openai; empty for the default model
	// URL is the address of the provider local, with or without the last path
	// segment. Its server has the interface of Ollama or OpenAI.
	URL string
	// Threads is the number of cores that the provider builtin may use in the
	// background.
	Threads int
	// IdleUnload is the time after its last use at which the provider builtin
	// frees its memory; 0 keeps the memory forever.
	IdleUnload time.Duration
	// Learning ranks tools higher that agents called after similar queries.
	Learning bool
	// Key and BaseURL are for the provider openai and come only from the
	// environment.
	Key     string
	BaseURL string // empty for OpenAI's public address
}

func defaultSearch() Search {
	return Search{Provider: ProviderBuiltin, URL: "http://127.0.0.1:11434", Threads: 1, IdleUnload: time.Minute, Learning: true}
}

// maxIdleSeconds is the largest accepted timeout; a time.Duration can hold it.
const maxIdleSeconds = 1 << 31

// environment overrides the settings with environment variables.
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

// Check returns an error for the first invalid setting.
func (s *Search) Check() error {
	switch s.Provider {
	case ProviderBuiltin, ProviderNone:
	case ProviderLocal:
		if !address(s.URL) {
			return fault.New(fault.Invalid, "search.url must be an address such as http://127.0.0.1:11434, without user, password or query")
		}
	case ProviderOpenAI:
		if s.URL != defaultSearch().URL { // texts would be sent to another address than the user expects
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

// address reports whether text is the URL of an HTTP server and has no part that
// could hold a credential, so that it can be displayed.
func address(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}
