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
	"reflect"
	"slices"
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

	sources map[string]Origin // the origins of values by their keys; has no entries for defaults
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

// SessionTools lists clients by their ids in the table of editors. find_tool always
// adds the tools that it finds to the tool lists of the clients in On, and never to
// those of the clients in Off.
type SessionTools struct{ On, Off []string }

// Results controls what happens to images, sounds and files in results of tools.
type Results struct {
	// Folder is the folder to which agents may save images, sounds and files from
	// results; empty if they may not save any. Load makes the path absolute.
	Folder string
}

// OAuth controls how people sign in to remote servers.
type OAuth struct {
	// ClientIDDocument is the https URL of a client ID metadata document, which the user
	// hosts. If it is empty, the hub registers itself with authorization servers for
	// which it has no client id.
	ClientIDDocument string
}

// Market controls where the hub looks for servers to install.
type Market struct {
	// RegistryURL is the address of the official registry of MCP servers, or of one with the
	// same interface; empty to use no registry. The hub sends no request before somebody
	// searches for servers.
	RegistryURL string
}

// OfficialRegistry is the default of Market.RegistryURL.
const OfficialRegistry = "https://registry.modelcontextprotocol.io"

// Sampling is the model that answers the sampling requests of servers under
// test.
type Sampling struct{ Key, BaseURL, Model string }

// Limits bounds how long the hub waits for servers, how long idle servers keep running,
// and how many processes and how much memory servers use.
type Limits struct {
	StartTimeout time.Duration // for a server to start and list its tools
	CallTimeout  time.Duration // for a call without an answer or progress
	IdleStop     time.Duration // from a server's last call until it is stopped
	// RefreshTools is the time after which the hub lists the tools of a running server
	// again, if the server does not announce changes; 0 for never.
	RefreshTools time.Duration
	// Processes is how many server processes may run at the same time, not counting the
	// child processes of servers; 0 for any number.
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
	RetentionDays int  // 0 keeps entries forever
	Required      bool // refuse calls that cannot be recorded
}

// Retention returns how long the audit log keeps an entry; 0 means forever.
func (a Audit) Retention() time.Duration { return Log{a.RetentionDays}.Retention() }

// maxRetention is the largest number of days that Retention accepts: about a
// third of what a time.Duration can hold.
const maxRetention = 36500

// Load returns the defaults, overridden by the file and then by AGENT_DISCOVER_
// environment variables. A file that does not exist is not an error. Other
// errors are fault.Invalid and name the line or the key, but no value that may
// be a secret.
func Load(file string) (Settings, error) {
	data, err := paths.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Default(), fault.Wrap(err, fault.Invalid, "could not read %s: %s", file, paths.Reason(err))
	}
	return parse(file, data)
}

// parse is like Load, but takes the content of the file from data.
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

// complete makes the paths in the settings absolute; they may be relative to folder.
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

// ResultsFolder returns the absolute path of a folder that a person has entered for
// Results. entered must be an absolute path or start with "~/"; the folder need not
// exist. If entered is empty, the result is empty too.
func ResultsFolder(entered string) (string, error) {
	folder := strings.TrimSpace(entered)
	if folder == "" {
		return "", nil
	}
	if !filepath.IsAbs(folder) && !strings.HasPrefix(folder, "~/") {
		return "", fault.New(fault.Invalid, "enter the whole path of the folder; it starts with %q or ~/",
			filepath.VolumeName(os.TempDir())+string(filepath.Separator))
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

// environment overrides the settings with environment variables: with the variables in Table, and with the variables
// for settings that the file does not have.
func (s *Settings) environment() error {
	if err := s.overrides(); err != nil {
		return err
	}
	key := cmp.Or(os.Getenv("AGENT_DISCOVER_OPENAI_API_KEY"), os.Getenv("OPENAI_API_KEY"))
	s.Sampling = Sampling{Key: key, BaseURL: os.Getenv("AGENT_DISCOVER_OPENAI_BASE_URL"), Model: os.Getenv("AGENT_DISCOVER_SAMPLING_MODEL")}
	s.Search.Key = key
	s.Search.BaseURL = cmp.Or(os.Getenv("AGENT_DISCOVER_OPENAI_BASE_URL"), os.Getenv("OPENAI_BASE_URL"))
	auth := true
	if v := os.Getenv("AGENT_DISCOVER_AUTH"); v != "" {
		if err := assign(&auth, "AGENT_DISCOVER_AUTH", v); err != nil {
			return err
		}
	}
	s.AuthOff = !auth
	return nil
}

// isClientID reports whether a text is a URL that authorization servers accept as the id of a
// client (draft-ietf-oauth-client-id-metadata-document, section 3).
func isClientID(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsAny(text, "?# \\") {
		return false
	}
	return strings.Trim(u.Path, "/") != "" && !slices.ContainsFunc(strings.Split(u.Path, "/"),
		func(part string) bool { return part == "." || part == ".." })
}
