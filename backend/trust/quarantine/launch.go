package quarantine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Launch describes how a server is started or reached, without credentials.
type Launch struct {
	Transport string   `json:"transport"`
	Command   string   `json:"command,omitempty"`
	Args      []string `json:"args,omitempty"`
	Env       []string `json:"env,omitempty"` // as NAME=value, sorted
	Dir       string   `json:"cwd,omitempty"`
	URL       string   `json:"url,omitempty"`
	Headers   []string `json:"headers,omitempty"` // as NAME: value, sorted
	Package   string   `json:"package,omitempty"` // name and version
}

// LaunchOf returns the launch of a configured server. Credentials and references to
// secrets are all written as "${…}", so that the launch stays the same when a credential
// is moved to the keychain.
func LaunchOf(s registry.Server) Launch {
	mask := mask(launch.Literals(launch.Of(s)))
	l := Launch{
		Transport: s.Transport, Command: s.Command, Dir: s.Dir, Env: mask.pairs(s.Env, "="), URL: mask.text(s.URL),
		Headers: mask.pairs(s.Headers, ": "),
	}
	for _, arg := range s.Args {
		l.Args = append(l.Args, mask.text(arg))
	}
	if s.Package.Name != "" {
		l.Package = strings.TrimSuffix(s.Package.Name+" "+s.Package.Version, " ")
	}
	return l
}

// mask holds the credentials in a configuration, so that its methods can replace them.
type mask []launch.Literal

// text returns a text of the configuration with "${…}" instead of credentials and
// references.
func (m mask) text(text string) string {
	for _, literal := range m {
		text = strings.ReplaceAll(text, literal.Value, anySecret)
	}
	return reference.ReplaceAllLiteralString(text, anySecret)
}

// pairs returns variables or headers with masked values, sorted by name. Each is written
// as its name, between and its value.
func (m mask) pairs(values map[string]string, between string) (pairs []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := m.text(values[name])
		if secretscan.SensitiveName(name) && value != "" {
			value = anySecret
		}
		pairs = append(pairs, name+between+value)
	}
	return pairs
}

const anySecret = "${…}"

var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// Hash returns the SHA-256 of the launch in hexadecimal. Approvals of items are valid only
// for one hash.
func (l Launch) Hash() string {
	canonical, _ := json.Marshal(l) // encoding strings cannot fail
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// LaunchChange is a difference between two launches.
type LaunchChange struct {
	Field  string `json:"field" doc:"The part of the launch that has changed: command, args, env, cwd, url, headers, transport or package."`
	Before string `json:"before" doc:"The value before the change, on one line. Credentials are shown as ${…}."`
	After  string `json:"after"`
}

// Changes returns how l differs from to, a later launch.
func (l Launch) Changes(to Launch) []LaunchChange {
	changes := []LaunchChange{}
	for _, f := range []struct{ name, before, after string }{
		{"transport", l.Transport, to.Transport},
		{"command", l.Command, to.Command},
		{"args", words(l.Args), words(to.Args)},
		{"env", words(l.Env), words(to.Env)},
		{"cwd", l.Dir, to.Dir},
		{"url", l.URL, to.URL},
		{"headers", words(l.Headers), words(to.Headers)},
		{"package", l.Package, to.Package},
	} {
		if f.before != f.after {
			changes = append(changes, LaunchChange{f.name, f.before, f.after})
		}
	}
	return changes
}

// words joins words into one line. It quotes those that are empty or contain white space
// or quotes.
func words(list []string) string {
	out := make([]string, len(list))
	for i, word := range list {
		if out[i] = word; word == "" || strings.ContainsAny(word, " \t\n\"") {
			quoted, _ := json.Marshal(word) // encoding strings cannot fail
			out[i] = string(quoted)
		}
	}
	return strings.Join(out, " ")
}
