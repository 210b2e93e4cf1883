package secrets

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// referenceOpen begins a reference ${secret:NAME}.
const referenceOpen = "${secret:"

// Reference returns the text that stands for a secret.
func Reference(name string) string { return referenceOpen + name + "}" }

// Resolve returns text with every reference replaced by what value gives for
// its name. Text without one comes back as it is.
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
