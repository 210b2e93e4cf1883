package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// cell returns s for a table: line feeds and tabs, which would break the row
// and its columns, are escaped too.
func cell(s string) string {
	return safetext.Prose(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s))
}

// commandLine shows how a server is started, each argument told from the next.
func commandLine(command string, args []string) string {
	words := []string{shown(command)}
	for _, arg := range args {
		words = append(words, shown(arg))
	}
	return strings.Join(words, " ")
}

func shown(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n\"'\\") || strings.ContainsFunc(word, safetext.Hidden) {
		return safetext.Visible(strconv.Quote(word))
	}
	return word
}

// covered returns servers without the credentials in their configuration: lists
// are pasted into reports. One server's own page shows them.
func covered(servers []resources.Server) []resources.Server {
	out := slices.Clone(servers)
	for i, s := range out {
		known := redactorOf(s)
		out[i].Env, out[i].Headers = coveredValues(s.Env, known), coveredValues(s.Headers, known)
		out[i].Args = make([]string, len(s.Args))
		for j, arg := range s.Args {
			out[i].Args[j] = known.Text(arg)
		}
		if s.Homepage != nil {
			address := known.Text(*s.Homepage)
			out[i].Homepage = &address
		}
	}
	return out
}

func redactorOf(s resources.Server) *secrets.Redactor {
	return secrets.ForLaunch(secrets.Launch{Env: s.Env, Args: s.Args, Headers: s.Headers, URL: text(s.Homepage)})
}

func coveredValues(values map[string]string, known *secrets.Redactor) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		if secrets.SensitiveName(name) && value != "" {
			value = secrets.Redacted
		}
		out[name] = known.Text(value)
	}
	return out
}

// assignments lists variables or headers with the values of sensitive ones
// covered.
func assignments(values map[string]string, sign string) []string {
	var none *secrets.Redactor
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := shown(none.Text(values[name]))
		if secrets.SensitiveName(name) && values[name] != "" {
			value = secrets.Redacted
		}
		list = append(list, shown(name)+sign+value)
	}
	return list
}

// target says what a server is, with its credentials covered: its command, or
// the address of a remote one.
func target(s resources.Server) string {
	redactor := redactorOf(s)
	if s.Command == nil {
		return redactor.Text(text(s.Homepage))
	}
	return redactor.Text(strings.Join(append(assignments(s.Env, "="), commandLine(*s.Command, s.Args)), " "))
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
