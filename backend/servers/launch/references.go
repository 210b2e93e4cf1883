package launch

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

// referenceOpen is the beginning of a reference ${secret:NAME}.
const referenceOpen = "${secret:"

// HasReference reports whether a text contains a reference to a secret, even a malformed one.
func HasReference(text string) bool { return strings.Contains(text, referenceOpen) }

// Reference returns the reference ${secret:NAME}, which Vault.Fill replaces with the
// value of the secret.
func Reference(name string) string { return referenceOpen + name + "}" }

// ParseURL parses the URL of a remote server, in which each reference such as ${PORT} counts as 1: their values are known
// only when the server is started.
func ParseURL(address string) (*url.URL, error) {
	return url.Parse(anyReference.ReplaceAllString(address, "1"))
}

var anyReference = lazyregexp.New(`\$\{[^{}]*\}`)

// References returns the names in the references of a text. A reference to a
// secret of another server has the form OWNER/NAME.
func References(text string) []string {
	var names []string
	_, _ = Resolve(text, func(name string) (string, error) { // after an error, names has the references before the malformed one
		names = append(names, name)
		return "", nil
	})
	return names
}

// References returns the names in the references of a launch, sorted.
func (l Launch) References() []string {
	texts := append(slices.Clone(l.Args), l.URL)
	texts = slices.AppendSeq(slices.AppendSeq(texts, maps.Values(l.Env)), maps.Values(l.Headers))
	var names []string
	for _, text := range texts {
		names = append(names, References(text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Resolve returns text with every reference replaced with the result of value
// for the name in it. A malformed reference is a fault.Invalid.
func Resolve(text string, value func(name string) (string, error)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, referenceOpen)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" {
			return "", fault.New(fault.Invalid, "a reference must have the form %s", Reference("NAME"))
		}
		secret, err := value(name)
		if err != nil {
			return "", err
		}
		out.WriteString(secret)
		text = after
	}
}
