package settings

import (
	"net/url"
	"time"
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
	// URL is the address of the embedding server for the provider local, with or
	// without the last path segment. The server has the interface of Ollama or OpenAI.
	URL string
	// Threads is the number of cores that the provider builtin may use in the
	// background.
	Threads int
	// IdleUnload is the time after its last use at which the provider builtin
	// frees its memory; 0 keeps the memory forever.
	IdleUnload time.Duration
	// Learning ranks those tools higher that agents have called after similar queries.
	Learning bool
	// Key and BaseURL are for the provider openai and come only from the
	// environment.
	Key     string
	BaseURL string // empty for OpenAI's public address
}

// defaultSearchURL is the address at which Ollama listens.
const defaultSearchURL = "http://127.0.0.1:11434"

// wrongURL returns what is wrong with URL for the provider, or "".
func (s *Search) wrongURL() string {
	switch {
	case s.Provider == ProviderLocal && !address(s.URL):
		return "must be an address such as " + defaultSearchURL + ", without user, password or query"
	case s.Provider == ProviderOpenAI && s.URL != defaultSearchURL: // texts would be sent to another address than the user expects
		return "is for search.provider local; the address for openai comes from AGENT_DISCOVER_OPENAI_BASE_URL"
	}
	return ""
}

// wrongBaseURL returns what is wrong with BaseURL, or "". It checks BaseURL only if the provider uses it.
func (s *Search) wrongBaseURL() string {
	if s.Provider != ProviderOpenAI || s.BaseURL == "" || address(s.BaseURL) {
		return ""
	}
	return "is openai, and AGENT_DISCOVER_OPENAI_BASE_URL (or OPENAI_BASE_URL) is no address such as https://host/v1, " +
		"without user, password or query"
}

// address reports whether text is the URL of an HTTP server and has no part that
// could hold a credential, so that it can be displayed.
func address(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// Check returns an error for the first invalid setting.
func (s Search) Check() error {
	all := Default()
	all.Search = s
	return all.check().fault("the settings of the search")
}
