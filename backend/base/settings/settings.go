// Package settings answers what the user configured in config.yaml and in the
// AGENT_DISCOVER_ environment variables. Every setting has a default. Servers are
// configured in the registry, not here.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Settings holds all settings. It does not change once it is loaded.
type Settings struct {
	// Port is the port on which the hub listens on loopback. If it is in use,
	// the hub chooses a free one.
	Port   int
	Agents Agents
	Limits Limits
	Roots  []string // file:// URIs that servers get as their MCP roots
	Log    Log
	Audit  Audit
	Search Search
	// Discovery controls which tools agents find, see and call.
	Discovery Discovery
	// Trust controls what happens to texts that may mislead agents.
	Trust Trust
	// Editors controls which changes the hub makes to AI editors without being asked.
	Editors Editors
	// SessionTools controls whether find_tool adds tools to the lists of clients.
	SessionTools SessionTools
	Results      Results
	OAuth        OAuth
	Market       Market
	// SetupFile is the path of a file that declares servers, which the hub
	// imports when it starts; empty for none. Load makes it absolute.
	SetupFile string
	// WarmPackages makes the hub download the packages that npx and uvx will
	// run, as soon as a person has configured a server that uses them.
	WarmPackages bool
	// AuthOff opens the REST interface on loopback to requests without a token.
	// It comes only from the environment, because a line in a file is easily
	// forgotten.
	AuthOff bool
	// Sampling comes only from the environment, because it holds a key.
	Sampling Sampling

	sources map[string]Origin // where values come from, by key; without those of defaults
}

// Agents controls what an agent may do without the user's approval.
type Agents struct {
	Install string // ask, allow or deny
}

// Editors controls which changes the hub makes to AI editors without being asked.
type Editors struct {
	// AutoRegister adds the Agent Discover entry to newly found editors.
	AutoRegister bool
}

// SessionTools are the clients to whose tool list find_tool adds what it finds, or not,
// whatever they are shown. They are named by their ids in the table of editors.
type SessionTools struct{ On, Off []string }

// Results controls what happens to images, sounds and files in results of tools.
type Results struct {
	// Folder is where agents may save them; empty if they may not. Load makes it
	// absolute.
	Folder string
}

// OAuth controls how people sign in to remote servers.
type OAuth struct {
	// ClientIDDocument is the https URL of a client ID metadata document, which the user
	// hosts; empty if the hub is to register itself where it has no client.
	ClientIDDocument string
}

// Market controls where servers to install are found.
type Market struct {
	// RegistryURL is the address of the official registry of MCP servers, or of one with the
	// same interface; empty if none is asked. It is asked when somebody first searches.
	RegistryURL string
}

// OfficialRegistry is the default of Market.RegistryURL.
const OfficialRegistry = "https://registry.modelcontextprotocol.io"

// Sampling is the model that answers the sampling requests of servers under
// test.
type Sampling struct{ Key, BaseURL, Model string }

// Limits bounds how long the hub waits for servers, how long idle servers keep running,
// and what servers take of the machine.
type Limits struct {
	StartTimeout time.Duration // for a server to start and list its tools
	CallTimeout  time.Duration // for a call without an answer or progress
	IdleStop     time.Duration // from a server's last call until it is stopped
	// RefreshTools is after how long the tools are listed again of a running server that
	// does not announce changes; 0 for never.
	RefreshTools time.Duration
	// Processes is how many processes of servers may run at the same time, not counting
	// those that they start themselves; 0 for any number.
	Processes int
	// ServerMemoryMB is how much memory a server may take with the processes that it
	// has started, in MiB; 0 for any amount.
	ServerMemoryMB int
}

// Log controls the journal of calls.
type Log struct {
	RetentionDays int // 0 keeps entries forever
}

// Retention returns how long the journal keeps an entry; 0 means forever.
func (l Log) Retention() time.Duration { return time.Duration(l.RetentionDays) * 24 * time.Hour }

// Audit controls the audit log.
type Audit struct {
	RetentionDays int // 0 keeps entries forever
}

// Retention returns how long the audit log keeps an entry; 0 means forever.
func (a Audit) Retention() time.Duration { return Log(a).Retention() }

// maxRetention is the largest number of days that Retention accepts: about a
// third of what a time.Duration can hold.
const maxRetention = 36500

// Default returns the settings that apply without config.yaml.
func Default() Settings {
	return Settings{
		Port:         3424,
		Agents:       Agents{Install: "ask"},
		Limits:       Limits{StartTimeout: time.Minute, CallTimeout: time.Minute, IdleStop: 5 * time.Minute, RefreshTools: 30 * time.Second, Processes: 100, ServerMemoryMB: 8192},
		Log:          Log{RetentionDays: 30},
		Audit:        Audit{RetentionDays: 365},
		Search:       defaultSearch(),
		Discovery:    defaultDiscovery(),
		Trust:        defaultTrust(),
		Market:       Market{RegistryURL: OfficialRegistry},
		WarmPackages: true,
	}
}

// Load returns the defaults, overridden by the file and then by AGENT_DISCOVER_
// environment variables. A file that does not exist is not an error. Other
// errors are fault.Invalid and name the line or the key, but no value that may
// be a secret.
func Load(file string) (Settings, error) {
	data, err := paths.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Default(), fault.Wrap(err, fault.Invalid, "could not read %s", file)
	}
	return parse(file, data)
}

// parse is Load for a file with this content.
func parse(file string, data []byte) (s Settings, err error) {
	s = Default()
	d := decode(data, s.keys())
	if err := d.problems.fault(file); err != nil {
		return Default(), err
	}
	if err := s.complete(filepath.Dir(file)); err != nil {
		return Default(), err
	}
	inFile, fromFile := s.check(), s.Values()
	if err := s.environment(); err != nil {
		return Default(), err
	}
	s.sources = make(map[string]Origin)
	for key, value := range s.Values() {
		if d.values[key] != nil {
			s.sources[key] = FromFile
		}
		if !reflect.DeepEqual(value, fromFile[key]) {
			s.sources[key] = FromEnvironment
		}
	}
	var wrong problems
	for _, p := range s.check() {
		if n := d.values[p.Key]; n != nil && slices.Contains(inFile, p) {
			p.Line, p.Column = n.Line, n.Column
		}
		wrong = append(wrong, p)
	}
	if err := wrong.fault(file); err != nil {
		return Default(), err
	}
	return s, nil
}

// complete makes the paths absolute, which are relative to a folder.
func (s *Settings) complete(folder string) (err error) {
	paths := []*string{&s.SetupFile, &s.Results.Folder}
	for i := range s.Discovery.Sources {
		paths = append(paths, &s.Discovery.Sources[i].File)
	}
	for _, path := range paths {
		if *path, err = absolute(folder, *path); err != nil {
			return err
		}
	}
	return nil
}

// keys returns all keys of the file with the variables that they set.
func (s *Settings) keys() map[string]any {
	return map[string]any{
		"port":                     &s.Port,
		"agents.install":           &s.Agents.Install,
		"limits.start_timeout":     &s.Limits.StartTimeout,
		"limits.call_timeout":      &s.Limits.CallTimeout,
		"limits.idle_stop":         &s.Limits.IdleStop,
		"limits.refresh_tools":     &s.Limits.RefreshTools,
		"limits.processes":         &s.Limits.Processes,
		"limits.server_memory_mb":  &s.Limits.ServerMemoryMB,
		"roots":                    &s.Roots,
		"log.retention_days":       &s.Log.RetentionDays,
		"audit.retention_days":     &s.Audit.RetentionDays,
		"search.provider":          &s.Search.Provider,
		"search.model":             &s.Search.Model,
		"search.url":               &s.Search.URL,
		"search.threads":           &s.Search.Threads,
		"search.idle_unload":       &s.Search.IdleUnload,
		"search.learning":          &s.Search.Learning,
		"editors.auto_register":    &s.Editors.AutoRegister,
		"session_tools.on":         &s.SessionTools.On,
		"session_tools.off":        &s.SessionTools.Off,
		"results.folder":           &s.Results.Folder,
		"oauth.client_id_document": &s.OAuth.ClientIDDocument,
		"market.registry_url":      &s.Market.RegistryURL,
		"setup_file":               &s.SetupFile,
		"warm_packages":            &s.WarmPackages,
		"trust.changes":            &s.Trust.Changes,
		"trust.results":            &s.Trust.Results,
		"trust.credentials":        &s.Trust.Credentials,
		"trust.rules":              &s.Trust.Rules,

		"discovery.enabled":              &s.Discovery.Enabled,
		"discovery.startNew":             &s.Discovery.StartNew,
		"discovery.cache.enabled":        &s.Discovery.Cache.Enabled,
		"discovery.cache.ttl":            &s.Discovery.Cache.TTL,
		"discovery.sources":              &s.Discovery.Sources,
		"discovery.toolRules":            &s.Discovery.ToolRules,
		"discovery.toolOverrides":        &s.Discovery.ToolOverrides,
		"discovery.clients":              &s.Discovery.Clients,
		"discovery.approval.destructive": &s.Discovery.Approval.Destructive,
		"discovery.approval.rules":       &s.Discovery.Approval.Rules,
	}
}

// absolute completes a path of the settings: "~/" is the home folder, and other
// relative paths start at folder. An empty path stays empty.
func absolute(folder, path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fault.Wrap(err, fault.Invalid, "could not find the home folder for %q; give the whole path", path)
		}
		return filepath.Join(home, rest), nil
	}
	if path == "" || filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Abs(filepath.Join(folder, path))
}

// ResultsFolder completes a folder that a person has entered for Results. It is absolute,
// starts with "~/", or is empty for none; it need not exist.
func ResultsFolder(entered string) (string, error) {
	folder := strings.TrimSpace(entered)
	if folder == "" {
		return "", nil
	}
	if !filepath.IsAbs(folder) && !strings.HasPrefix(folder, "~/") {
		return "", fault.New(fault.Invalid, "enter the whole path of the folder; it starts with %q or ~/", filepath.VolumeName(os.TempDir())+string(filepath.Separator))
	}
	folder, err := absolute("", folder)
	if err != nil {
		return "", err
	}
	folder = filepath.Clean(folder)
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return "", fault.New(fault.Invalid, "%s is a file; enter a folder", folder)
	}
	return folder, nil
}

// environment overrides the settings with environment variables.
func (s *Settings) environment() error {
	if v := os.Getenv("AGENT_DISCOVER_PORT"); v != "" {
		port, err := strconv.Atoi(v)
		if err != nil {
			return fault.New(fault.Invalid, "AGENT_DISCOVER_PORT is %q; it must be a number", v)
		}
		s.Port = port
	}
	if v := os.Getenv("AGENT_DISCOVER_LOG_RETENTION_DAYS"); v != "" {
		days, err := strconv.Atoi(v)
		if err != nil {
			return fault.New(fault.Invalid, "AGENT_DISCOVER_LOG_RETENTION_DAYS is %q; it must be a whole number of days, 0 to keep log entries forever", v)
		}
		s.Log.RetentionDays = days
	}
	if v := os.Getenv("AGENT_DISCOVER_SETUP_FILE"); v != "" {
		var err error
		if s.SetupFile, err = absolute(".", v); err != nil {
			return err
		}
	}
	if v := os.Getenv("AGENT_DISCOVER_REGISTRY_URL"); v == "off" {
		s.Market.RegistryURL = ""
	} else if v != "" {
		s.Market.RegistryURL = v
	}
	s.Sampling = Sampling{
		Key:     cmp.Or(os.Getenv("AGENT_DISCOVER_OPENAI_API_KEY"), os.Getenv("OPENAI_API_KEY")),
		BaseURL: os.Getenv("AGENT_DISCOVER_OPENAI_BASE_URL"), Model: os.Getenv("AGENT_DISCOVER_SAMPLING_MODEL"),
	}
	if v := os.Getenv("AGENT_DISCOVER_ROOTS"); v != "" {
		s.Roots = nil
		for _, root := range strings.Split(v, ",") {
			if root = strings.TrimSpace(root); root != "" {
				s.Roots = append(s.Roots, root)
			}
		}
	}
	switch v := os.Getenv("AGENT_DISCOVER_AUTH"); v {
	case "", "on", "off":
		s.AuthOff = v == "off"
	default:
		return fault.New(fault.Invalid, "AGENT_DISCOVER_AUTH is %q; it must be on or off", v)
	}
	if err := s.Discovery.environment(); err != nil {
		return err
	}
	return s.Search.environment()
}

// check returns the settings of file or environment whose values are out of range.
func (s *Settings) check() (out problems) {
	wrong := func(is bool, key, format string, args ...any) {
		if is {
			out = append(out, Problem{Key: key, Text: key + " " + fmt.Sprintf(format, args...)})
		}
	}
	wrong(s.Port < 0 || s.Port > 65535, "port", "is %d; it must be from 0 (any free one) to 65535", s.Port)
	wrong(!slices.Contains([]string{"ask", "allow", "deny"}, s.Agents.Install), "agents.install", "is %q; it must be ask, allow or deny", s.Agents.Install)
	wrong(slices.ContainsFunc(s.SessionTools.On, func(id string) bool { return slices.Contains(s.SessionTools.Off, id) }),
		"session_tools.on", "and session_tools.off name the same client")
	wrong(slices.ContainsFunc(s.Roots, func(root string) bool { return !strings.HasPrefix(root, "file://") }),
		"roots", "must be file:// URIs, not %q", s.Roots)
	for key, limit := range map[string]time.Duration{"start_timeout": s.Limits.StartTimeout, "call_timeout": s.Limits.CallTimeout, "idle_stop": s.Limits.IdleStop} {
		wrong(limit <= 0, "limits."+key, "must be more than 0")
	}
	wrong(s.Limits.RefreshTools < 0 || s.Limits.RefreshTools > 0 && s.Limits.RefreshTools < time.Second, "limits.refresh_tools",
		"must be 0s (never) or at least 1s")
	wrong(s.Limits.Processes < 0, "limits.processes", "must be 0 (no limit) or more")
	wrong(s.Limits.ServerMemoryMB < 0, "limits.server_memory_mb", "must be 0 (no limit) or more")
	wrong(s.OAuth.ClientIDDocument != "" && !isClientID(s.OAuth.ClientIDDocument), "oauth.client_id_document",
		"must be the https:// URL of a document, with a path and without user, query, fragment or dots between slashes")
	wrong(s.Market.RegistryURL != "" && !address(s.Market.RegistryURL), "market.registry_url",
		"(AGENT_DISCOVER_REGISTRY_URL) must be an address such as https://registry.example.com, without user, password or query; \"\" switches it off")
	wrong(s.Log.RetentionDays < 0 || s.Log.RetentionDays > maxRetention, "log.retention_days",
		"(AGENT_DISCOVER_LOG_RETENTION_DAYS) is %d; it must be from 0 (keep log entries forever) to %d", s.Log.RetentionDays, maxRetention)
	wrong(s.Audit.RetentionDays < 0 || s.Audit.RetentionDays > maxRetention, "audit.retention_days",
		"must be from 0 (keep the audit log forever) to %d", maxRetention)
	s.Trust.check(wrong)
	if err := s.Search.Check(); err != nil {
		key, _, _ := strings.Cut(fault.MessageOf(err), " ")
		out = append(out, Problem{Key: key, Text: fault.MessageOf(err)})
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// isClientID reports whether a text is a URL that authorization servers accept as the id of a
// client (draft-ietf-oauth-client-id-metadata-document, section 3).
func isClientID(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsAny(text, "?# \\") {
		return false
	}
	return strings.Trim(u.Path, "/") != "" && !slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return part == "." || part == ".." })
}
