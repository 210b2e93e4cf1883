package secrets

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Redactor covers secrets in texts: those it was told, and those whose name
// or shape gives them away. It is immutable and safe for concurrent use.
type Redactor struct{ known *strings.Replacer } // nil when it was told none

// NewRedactor is ForServer without a command line.
func NewRedactor(env map[string]string) *Redactor { return ForServer(env, nil) }

// ForServer returns a redactor that knows the credentials which a server is
// started with: values of variables, of flags, and arguments by themselves.
func ForServer(env map[string]string, args []string) *Redactor {
	var known values
	for name, value := range env {
		if SensitiveName(name) || LooksSecret(value) {
			known.add(value)
		}
	}
	flag := "" // the argument before, where its value may follow
	for _, arg := range args {
		switch name, value, assigns := assignment(arg); {
		case assigns && SensitiveName(name):
			known.add(value)
		case LooksSecret(arg) || SensitiveName(flag) && !strings.HasPrefix(arg, "--"):
			known.add(arg)
		}
		if flag = ""; strings.HasPrefix(arg, "-") {
			flag = arg
		}
	}
	return &Redactor{known: known.replacer()}
}

// assignment takes --name=value, NAME=value and "Name: value" apart.
func assignment(arg string) (name, value string, ok bool) {
	i := strings.IndexAny(arg, "=:")
	if i < 0 {
		return "", "", false
	}
	return arg[:i], strings.TrimSpace(arg[i+1:]), true
}

// values are texts to cover, in every form in which they may be written.
type values []string

func (v *values) add(value string) {
	v.addForms(value)
	if scheme, credential, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
		v.addForms(strings.TrimSpace(credential))
	}
}

// addForms adds a value as it is, and as it stands in JSON. What is short, or
// names a secret instead of being one, is left out.
func (v *values) addForms(value string) {
	if len(value) < minSecret || strings.HasPrefix(value, "${") {
		return
	}
	*v = append(*v, value)
	for _, html := range []bool{false, true} {
		var quoted bytes.Buffer
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(html)
		_ = encoder.Encode(value) // a buffer takes every string
		if inner := strings.Trim(quoted.String(), "\n"); inner[1:len(inner)-1] != value {
			*v = append(*v, inner[1:len(inner)-1])
		}
	}
}

// replacer covers the longest value first: a short one may be a part of it,
// and strings.Replacer prefers what it was given first.
func (v values) replacer() *strings.Replacer {
	if len(v) == 0 {
		return nil
	}
	slices.SortFunc(v, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(v))
	for _, value := range v {
		pairs = append(pairs, value, Cover)
	}
	return strings.NewReplacer(pairs...)
}
