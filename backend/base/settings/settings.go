// Package settings answers what the user decided, beyond servers: the numbers
// and switches of config.yaml, with defaults for all of them. What it
// writes is one value in its place: comments and order are the user's.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Settings are the user's decisions. A value is immutable once loaded.
type Settings struct {
	// Port is where the hub listens on loopback; when it is taken the hub
	// takes a free one.
	Port   int      `koanf:"port"`
	Agents Agents   `koanf:"agents"`
	Limits Limits   `koanf:"limits"`
	Roots  []string `koanf:"roots"` // URIs that shared servers are told as roots
	Log    Log      `koanf:"log"`
	Search Search   `koanf:"search"`
	// Editors says what is done about AI editors unasked.
	Editors Editors `koanf:"editors"`
	// SetupFile declares servers that the hub brings in at its start; empty for
	// none. It is absolute once loaded.
	SetupFile string `koanf:"setup_file"`
	// WarmPackages lets the hub download what npx and uvx will run, as soon as
	// a person has configured a server with them.
	WarmPackages bool `koanf:"warm_packages"`
	// AuthOff opens the REST interface on loopback to who has no token. Only
	// the environment says so: a file is easily forgotten.
	AuthOff bool `koanf:"-"`
	// Sampling is taken from the environment alone: it holds a key.
	Sampling Sampling `koanf:"-"`
}

// Agents says what an agent may do on its own.
type Agents struct {
	Install string `koanf:"install"` // ask, allow or deny
}

// Editors says what is done about AI editors unasked.
type Editors struct {
	// AutoRegister puts our entry into editors that are found from now on.
	AutoRegister bool `koanf:"auto_register"`
}

// Sampling is the model that answers transient servers.
type Sampling struct{ Key, BaseURL, Model string }

// Limits are times and sizes.
type Limits struct {
	StartTimeout time.Duration `koanf:"start_timeout"` // of a server, until its tools are listed
	CallTimeout  time.Duration `koanf:"call_timeout"`  // of a call, without progress
	IdleStop     time.Duration `koanf:"idle_stop"`     // of a server, after its last call
}

// Log says what becomes of the log of calls.
type Log struct {
	RetentionDays int `koanf:"retention_days"` // 0 keeps it for ever
}

// Retention returns how long a record is kept; 0 for ever.
func (l Log) Retention() time.Duration { return time.Duration(l.RetentionDays) * 24 * time.Hour }

// maxRetention is a number of days that a time.Duration can hold.
const maxRetention = 36500

// Default returns the settings of a machine without config.yaml.
func Default() Settings {
	return Settings{
		Port:         3424,
		Agents:       Agents{Install: "ask"},
		Limits:       Limits{StartTimeout: time.Minute, CallTimeout: time.Minute, IdleStop: 5 * time.Minute},
		Log:          Log{RetentionDays: 30},
		Search:       defaultSearch(),
		WarmPackages: true,
	}
}

// Load reads the file over the defaults and the AGENT_DISCOVER_ variables over
// the file. No file is no error; a wrong one is a fault.Invalid that names the
// line or the key.
func Load(file string) (Settings, error) {
	s := Default()
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, fault.Wrap(err, fault.Invalid, "%s cannot be read", file)
	}
	k := koanf.New(".")
	if err := k.Load(rawbytes.Provider(data), yaml.Parser()); err != nil {
		return s, fault.New(fault.Invalid, "%s is not valid YAML: %s", file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	decode := koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: &s, ErrorUnused: true, WeaklyTypedInput: false, TagName: "koanf",
		DecodeHook: mapstructure.ComposeDecodeHookFunc(wantUnit, mapstructure.StringToTimeDurationHookFunc()),
	}}
	if err := k.UnmarshalWithConf("", &s, decode); err != nil {
		return Default(), fault.New(fault.Invalid, "%s: %s", file, plain(err))
	}
	if s.SetupFile, err = absolute(filepath.Dir(file), s.SetupFile); err != nil {
		return Default(), err
	}
	if err := s.environment(); err != nil {
		return Default(), err
	}
	return s, s.check(file)
}

// absolute completes a path as a person writes it: one in the home folder, or
// beside a file of theirs. An empty one stays empty.
func absolute(folder, path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fault.Wrap(err, fault.Invalid, "no home folder is known for %q; give the whole path", path)
		}
		return filepath.Join(home, rest), nil
	}
	if path == "" || filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Abs(filepath.Join(folder, path))
}

// wantUnit refuses a time that is a bare number: nobody means nanoseconds.
func wantUnit(from, to reflect.Type, value any) (any, error) {
	if to == reflect.TypeFor[time.Duration]() && from.Kind() != reflect.String {
		return nil, fmt.Errorf("%v needs a unit, as in 30s or 5m", value)
	}
	return value, nil
}

// plain takes the decoder's own words out of an error.
func plain(err error) string {
	text := err.Error()
	if _, keys, ok := strings.Cut(text, "has invalid keys: "); ok {
		return "unknown settings: " + keys
	}
	_, detail, ok := strings.Cut(text, ":\n\n")
	if !ok {
		return text
	}
	return strings.TrimSpace(detail)
}

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
			return fault.New(fault.Invalid, "AGENT_DISCOVER_LOG_RETENTION_DAYS is %q; it must be a whole number of days, 0 to keep the log for ever", v)
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
		s.AuthOff = v == "off" // whatever the file says
	default:
		return fault.New(fault.Invalid, "AGENT_DISCOVER_AUTH is %q; it must be on or off", v)
	}
	return s.Search.environment()
}

func (s *Settings) check(file string) error {
	switch {
	case s.Port < 0 || s.Port > 65535:
		return fault.New(fault.Invalid, "port is %d; it must be from 0 (any free one) to 65535", s.Port)
	case s.Agents.Install != "ask" && s.Agents.Install != "allow" && s.Agents.Install != "deny":
		return fault.New(fault.Invalid, "%s: agents.install is %q; it must be ask, allow or deny", file, s.Agents.Install)
	case slices.ContainsFunc(s.Roots, func(root string) bool { return !strings.HasPrefix(root, "file://") }):
		return fault.New(fault.Invalid, "every root must be a file:// URI, not %q", s.Roots)
	case s.Limits.StartTimeout <= 0 || s.Limits.CallTimeout <= 0 || s.Limits.IdleStop <= 0:
		return fault.New(fault.Invalid, "%s: every time under limits must be more than 0", file)
	case s.Log.RetentionDays < 0 || s.Log.RetentionDays > maxRetention:
		return fault.New(fault.Invalid, "log.retention_days (AGENT_DISCOVER_LOG_RETENTION_DAYS) is %d; it must be from 0 (keep the log for ever) to %d", s.Log.RetentionDays, maxRetention)
	}
	return s.Search.Check()
}
