// Package launch describes how a server is started or reached: its command or URL, its variables and headers, the
// references to secrets in them, and the credentials that they contain in plain text. Package vault fills the
// references in.
package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Launch describes how a server is started or reached. Its texts may contain
// references to secrets.
//
// Hash is the identity of a launch. Everything that was decided about a server
// holds only while its hash stays the same: a person's approval, a link to a
// secret of another server, and the secrets that a setup file declares for it.
type Launch struct {
	Transport string // stdio, or the transport of a remote server
	Command   string
	Args      []string
	Env       map[string]string
	Dir       string // working folder; the user's home folder if empty
	URL       string
	Headers   map[string]string
	Source    string // who configured it
}

// Of returns the launch of a configured server.
func Of(s registry.Server) Launch {
	return Launch{
		Transport: s.Transport, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Dir, URL: s.URL, Headers: s.Headers, Source: s.Source,
	}
}

// With returns a launch with the references to some secrets replaced by their values. A value must not contain a
// reference.
func (l Launch) With(values map[string]string) Launch {
	fill := func(text string) string {
		filled, err := Resolve(text, func(name string) (string, error) {
			if value, known := values[name]; known {
				return value, nil
			}
			return Reference(name), nil
		})
		if err != nil {
			return text // Vault.Fill reports the error
		}
		return filled
	}
	l.Args, l.Env, l.Headers, l.URL = slices.Clone(l.Args), maps.Clone(l.Env), maps.Clone(l.Headers), fill(l.URL)
	for i, text := range l.Args {
		l.Args[i] = fill(text)
	}
	for _, texts := range []map[string]string{l.Env, l.Headers} {
		for name, text := range texts {
			texts[name] = fill(text)
		}
	}
	return l
}

// Remote reports whether the server is reached over a network.
func (l Launch) Remote() bool { return l.Transport != "" && l.Transport != "stdio" }

// Hash returns the SHA-256 of all fields of the launch, in hexadecimal.
func (l Launch) Hash() string {
	env, headers := l.Env, l.Headers
	if env == nil {
		env = map[string]string{}
	}
	if headers == nil {
		headers = map[string]string{}
	}
	// The members always have the same order, and package json sorts maps, so that equal launches have equal bytes.
	// Marshal cannot fail for strings.
	fields := []any{l.Transport, l.Command, append([]string{}, l.Args...), env, l.URL, headers, l.Source}
	if l.Dir != "" { // the hash of a launch without a folder is that of versions without this field
		fields = append(fields, l.Dir)
	}
	canonical, _ := json.Marshal(fields)
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Local is the destination of the secrets of a server that runs on this machine.
const Local = "local"

// Destination returns the place to which a launch sends the server's own secrets: the origin of a remote server's URL,
// or Local.
func (l Launch) Destination() string {
	if !l.Remote() {
		return Local
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" {
		scheme, rest, _ := strings.Cut(l.URL, "://") // a URL with a reference in its host may not parse
		host, _, _ := strings.Cut(rest, "/")
		return strings.ToLower(scheme + "://" + host)
	}
	host := u.Host
	if port := map[string]string{"http": ":80", "https": ":443"}[strings.ToLower(u.Scheme)]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return strings.ToLower(u.Scheme + "://" + host)
}
