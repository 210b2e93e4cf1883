package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/doors/api"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// visible shows what would steer a terminal, or hide or turn round a text,
// instead of doing it. Ends of lines and tabs stay.
func visible(s string) string {
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for i, r := range s {
		switch {
		case !steers(r):
			b.WriteRune(r)
		case r == utf8.RuneError && s[i] != "\uFFFD"[0]:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == utf8.RuneError:
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

func steers(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d': // scripts and emoji need the joiners
		return false
	case utf8.RuneError, '\u2028', '\u2029':
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}

// cell is a text in a table: it stays in its row and its column.
func cell(s string) string {
	return visible(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s))
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
	if word == "" || strings.ContainsAny(word, " \t\n\"'\\") || strings.IndexFunc(word, steers) >= 0 {
		return strconv.Quote(word)
	}
	return word
}

// covered returns servers without the credentials in their configuration: lists
// are pasted into reports. One server's own page shows them.
func covered(servers []api.Server) []api.Server {
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

func redactorOf(s api.Server) *secrets.Redactor {
	return secrets.ForLaunch(secrets.Launch{Env: s.Env, Args: s.Args, Headers: s.Headers, URL: text(s.Homepage)})
}

func coveredValues(values map[string]string, known *secrets.Redactor) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		if secrets.SensitiveName(name) && value != "" {
			value = secrets.Cover
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
			value = secrets.Cover
		}
		list = append(list, shown(name)+sign+value)
	}
	return list
}

// target says what a server is, with its credentials covered: its command, or
// the address of a remote one.
func target(s api.Server) string {
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
