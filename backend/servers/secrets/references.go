package secrets

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// referenceOpen is the beginning of a reference ${secret:NAME}.
const referenceOpen = "${secret:"

// Reference returns the reference ${secret:NAME}, which Fill replaces with the
// value of the secret.
func Reference(name string) string { return referenceOpen + name + "}" }

// resolve returns text with every reference replaced with the result of value
// for the name in it. A malformed reference is a fault.Invalid.
func resolve(text string, value func(name string) (string, error)) (string, error) {
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
