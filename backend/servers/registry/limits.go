package registry

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Timeouts are time limits of one server. A limit of 0 means that of the settings.
type Timeouts struct {
	// Start is how long a starting server may be silent before it has listed its tools: settings limits.start_timeout.
	Start time.Duration `json:"start_ns,omitempty"`
	// Call is how long a call may have neither an answer nor progress: settings limits.call_timeout.
	Call time.Duration `json:"call_ns,omitempty"`
}

// maxTimeout is the longest time limit of a server.
const maxTimeout = 24 * time.Hour

// ParseTimeout reads a time limit such as 90s or 5m. It returns 0 for an empty text. The error is a fault.Invalid.
func ParseTimeout(text string) (time.Duration, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit.Truncate(time.Millisecond) != limit || limit > maxTimeout {
		return 0, invalidTimeout(text)
	}
	return limit, nil
}

func invalidTimeout(text string) error {
	return fault.New(fault.Invalid,
		"invalid time limit %q: use a number with a unit, such as 90s or 5m, up to 24h; leave it empty for the limit of the settings", text)
}

// FormatTimeout returns a time limit as ParseTimeout reads it, such as 5m; "" for 0.
func FormatTimeout(limit time.Duration) string {
	text := limit.String()
	switch {
	case limit == 0:
		return ""
	case limit%time.Hour == 0:
		return strings.TrimSuffix(text, "0m0s")
	case limit%time.Minute == 0:
		return strings.TrimSuffix(text, "0s")
	}
	return text
}

// Check returns a fault.Invalid unless both limits are possible.
func (t Timeouts) Check() error {
	for _, limit := range []time.Duration{t.Start, t.Call} {
		if limit < 0 || limit > maxTimeout {
			return invalidTimeout(limit.String())
		}
	}
	return nil
}

// CheckDir returns a fault.Invalid if dir cannot be the working folder of a server. It can be empty, which means the
// home folder, an absolute path, or a path that begins with ~/ or a reference to a variable.
func CheckDir(dir string) error {
	switch {
	case strings.ContainsFunc(dir, func(r rune) bool { return r < ' ' }):
		return fault.New(fault.Invalid, "invalid working folder: it contains control characters")
	case strings.Contains(dir, "${secret:"):
		return fault.New(fault.Invalid, "invalid working folder %q: a path cannot contain a secret, because other programs can read it", dir)
	case dir == "", dir == "~", inHome(dir), filepath.IsAbs(dir), strings.HasPrefix(dir, "/"), strings.HasPrefix(dir, "${env:"):
		return nil
	}
	return fault.New(fault.Invalid,
		"invalid working folder %q: use an absolute path, or one that begins with ~/ or ${env:NAME}; it does not depend on where the hub was "+
			"started", dir)
}

// inHome reports whether a path begins with the short form of the home folder.
func inHome(path string) bool {
	return strings.HasPrefix(path, "~/") || filepath.Separator == '\\' && strings.HasPrefix(path, `~\`)
}

// DirIn returns a working folder whose variables are filled in as an absolute path; home is the user's home folder.
func DirIn(dir, home string) string {
	switch {
	case dir == "" || dir == "~":
		return home
	case inHome(dir):
		return filepath.Join(home, dir[2:])
	}
	return dir
}

// Check returns a fault.Invalid if a field of the server has a value that no server can have. CheckName checks the name,
// and TransportFor the transport.
func (s Server) Check() error {
	return errors.Join(CheckIsolation(s.Isolation), CheckAccount(s.Account), CheckSandbox(s.Sandbox), CheckDir(s.Dir), s.Timeouts.Check())
}
