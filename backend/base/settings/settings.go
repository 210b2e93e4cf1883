// Package settings answers what the user configured in config.yaml and in the
// AGENT_DISCOVER_ environment variables. Every setting has a default. Servers are
// configured in the registry, not here.
package settings

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
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
	Search Search
	// Editors controls which changes the hub makes to AI editors without being asked.
	Editors Editors
	// SessionTools controls whether find_tool adds tools to the lists of clients.
	SessionTools SessionTools
	Results      Results
	OAuth        OAuth
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

// Sampling is the model that answers the sampling requests of servers under
// test.
type Sampling struct{ Key, BaseURL, Model string }

// Limits bounds how long the hub waits for servers, how long idle servers keep running,
// and what servers take of the machine.
type Limits struct {
	StartTimeout time.Duration // for a server to start and list its tools
	CallTimeout  time.Duration // for a call without an answer or progress
	IdleStop     time.Duration // from a server's last call until it is stopped
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

// maxRetention is the largest number of days that Retention accepts: about a
// third of what a time.Duration can hold.
const maxRetention = 36500

// Default returns the settings that apply without config.yaml.
func Default() Settings {
	return Settings{
		Port:         3424,
		Agents:       Agents{Install: "ask"},
		Limits:       Limits{StartTimeout: time.Minute, CallTimeout: time.Minute, IdleStop: 5 * time.Minute, Processes: 100, ServerMemoryMB: 8192},
		Log:          Log{RetentionDays: 30},
		Search:       defaultSearch(),
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
	if err := decode(data, s.keys()); err != nil {
		return Default(), fault.New(fault.Invalid, "%s: %s", file, err)
	}
	if s.SetupFile, err = absolute(filepath.Dir(file), s.SetupFile); err != nil {
		return Default(), err
	}
	if s.Results.Folder, err = absolute(filepath.Dir(file), s.Results.Folder); err != nil {
		return Default(), err
	}
	if err := s.environment(); err != nil {
		return Default(), err
	}
	return s, s.check(file)
}

// keys returns all keys of the file with the variables that they set.
func (s *Settings) keys() map[string]any {
	return map[string]any{
		"port":                     &s.Port,
		"agents.install":           &s.Agents.Install,
		"limits.start_timeout":     &s.Limits.StartTimeout,
		"limits.call_timeout":      &s.Limits.CallTimeout,
		"limits.idle_stop":         &s.Limits.IdleStop,
		"limits.processes":         &s.Limits.Processes,
		"limits.server_memory_mb":  &s.Limits.ServerMemoryMB,
		"roots":                    &s.Roots,
		"log.retention_days":       &s.Log.RetentionDays,
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
		"setup_file":               &s.SetupFile,
		"warm_packages":            &s.WarmPackages,
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
	return s.Search.environment()
}

// check reports the first setting of file or environment whose value is out of
// range.
func (s *Settings) check(file string) error {
	switch {
	case s.Port < 0 || s.Port > 65535:
		return fault.New(fault.Invalid, "port is %d; it must be from 0 (any free one) to 65535", s.Port)
	case s.Agents.Install != "ask" && s.Agents.Install != "allow" && s.Agents.Install != "deny":
		return fault.New(fault.Invalid, "%s: agents.install is %q; it must be ask, allow or deny", file, s.Agents.Install)
	case slices.ContainsFunc(s.SessionTools.On, func(id string) bool { return slices.Contains(s.SessionTools.Off, id) }):
		return fault.New(fault.Invalid, "%s: session_tools.on and session_tools.off name the same client", file)
	case slices.ContainsFunc(s.Roots, func(root string) bool { return !strings.HasPrefix(root, "file://") }):
		return fault.New(fault.Invalid, "every root must be a file:// URI, not %q", s.Roots)
	case s.Limits.StartTimeout <= 0 || s.Limits.CallTimeout <= 0 || s.Limits.IdleStop <= 0:
		return fault.New(fault.Invalid, "%s: every time under limits must be more than 0", file)
	case s.Limits.Processes < 0 || s.Limits.ServerMemoryMB < 0:
		return fault.New(fault.Invalid, "%s: limits.processes and limits.server_memory_mb must be 0 (no limit) or more", file)
	case s.OAuth.ClientIDDocument != "" && !isClientID(s.OAuth.ClientIDDocument):
		return fault.New(fault.Invalid, "%s: oauth.client_id_document must be the https:// URL of a document, with a path and without user, query, fragment or dots between slashes", file)
	case s.Log.RetentionDays < 0 || s.Log.RetentionDays > maxRetention:
		return fault.New(fault.Invalid, "log.retention_days (AGENT_DISCOVER_LOG_RETENTION_DAYS) is %d; it must be from 0 (keep log entries forever) to %d", s.Log.RetentionDays, maxRetention)
	}
	return s.Search.Check()
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
