package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// target returns a server's command line with its environment, or the URL of a remote
// server. Credentials are redacted, because people paste lists into reports. Of a server that
// waits for approval, proposal shows everything.
func target(s operations.Server) string {
	redactor := redactorOf(s)
	if s.Command == nil {
		return redactor.Text(text(s.Homepage))
	}
	return redactor.Text(strings.Join(append(assignments(s.Env, "="), commandLine(*s.Command, s.Args)), " "))
}

// commandLine returns a command and its arguments separated by spaces, each
// quoted where necessary.
func commandLine(command string, args []string) string {
	words := []string{quoted(command)}
	for _, arg := range args {
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}

// quoted returns word, with quotes if it is empty or contains spaces, quotes or
// characters that are not visible.
func quoted(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n\"'\\") || strings.ContainsFunc(word, safetext.Hidden) {
		return safetext.Visible(strconv.Quote(word))
	}
	return word
}

// assignments returns variables or headers in the order of their names, with
// sensitive values redacted. The sign separates a name from its value.
func assignments(values map[string]string, sign string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := quoted(secretscan.Redact(values[name]))
		if secretscan.SensitiveName(name) && values[name] != "" && !secretscan.IsReference(values[name]) {
			value = secretscan.Redacted
		}
		list = append(list, quoted(name)+sign+value)
	}
	return list
}

// redactServers returns copies of servers without the credentials in their
// configuration, because people paste lists into reports.
func redactServers(servers []operations.Server) []operations.Server {
	out := slices.Clone(servers)
	for i, s := range out {
		known := redactorOf(s)
		out[i].Env, out[i].Headers = redactValues(s.Env, known), redactValues(s.Headers, known)
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

func redactorOf(s operations.Server) *redact.Redactor {
	return redact.ForLaunch(launch.Launch{Env: s.Env, Args: s.Args, Headers: s.Headers, URL: text(s.Homepage)})
}

func redactValues(values map[string]string, known *redact.Redactor) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		if secretscan.SensitiveName(name) && value != "" && !secretscan.IsReference(value) {
			value = secretscan.Redacted
		}
		out[name] = known.Text(value)
	}
	return out
}
