package updates

import (
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// startsDifferently reports whether a version would run another program than the installed one, or the same program
// with other arguments, or with new values of variables that no person has entered. A different version number does
// not count. Of a remote server, only the transport and the origin of the address count.
func (v *version) startsDifferently(answers map[string][]string) bool {
	was, is := v.install.Configured, installer.ConfiguredOf(v.plan.Server)
	if was.Transport == "" {
		was = installer.ConfiguredOf(v.server)
	}
	switch v.plan.Option.Kind {
	case plan.Remote:
		return was.Transport != is.Transport || origin(was.URL) != origin(is.URL)
	case string(listing.KindMCPB): // the file of the bundle decides everything else, and the listing has its checksum
		return was.Transport != is.Transport || hostname(was.Package) != hostname(is.Package)
	}
	entered := make(map[string]bool)
	for _, texts := range answers {
		for _, text := range texts {
			entered[text] = true
		}
	}
	for name, text := range is.Env {
		before, had := was.Env[name]
		names := launch.References(text) // a person has entered the value of a secret
		isSecret := len(names) == 1 && text == launch.Reference(names[0])
		if (!had || before != text) && !entered[text] && !isSecret {
			return true
		}
	}
	return was.Transport != is.Transport || was.Package != is.Package || !slices.Equal(words(was), words(is))
}

// words returns the command line of a configuration without version numbers.
func words(c installer.Configured) []string {
	out := append([]string{c.Command}, c.Args...)
	for i, word := range out {
		if c.Version != "" && strings.Contains(word, c.Package) {
			out[i] = strings.ReplaceAll(word, c.Version, "")
		}
	}
	return out
}

// origin returns the scheme, the host and the port of an address.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Hostname())
}
