package importer

import (
	"maps"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Launch is the command or connection of a server, for the person who decides whether to import it.
// It shows every text in full, except words that can only be a credential. A text that could
// contain a command, an option or a path is never redacted.
type Launch struct {
	Command string            `json:"command"`
	Args    []string          `json:"args" nullable:"false"`
	Env     map[string]string `json:"env" nullable:"false"`
	Dir     string            `json:"cwd,omitempty"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers" nullable:"false"`
}

// Preview is the information that a person has to see before the server is added.
type Preview struct {
	Launch Launch          `json:"launch" doc:"The program or URL of the server."`
	Risk   risk.Assessment `json:"risk" doc:"The risk of starting the server."`
}

func previewOf(s table.Server) Preview {
	l := Launch{
		Command: s.Command, Args: append([]string{}, s.Args...), Env: notNil(maps.Clone(s.Env)), Dir: s.Dir, URL: s.URL,
		Headers: notNil(maps.Clone(s.Headers)),
	}
	for _, literal := range literals(s.Transport, s.Args, s.Env, s.URL, s.Headers) {
		kind, name, _ := strings.Cut(literal.Where, ".")
		cover := func(text string) string { return strings.ReplaceAll(text, literal.Value, secretscan.Redacted) }
		switch {
		case kind == "env" && !risk.Steers(name) && (isWord(literal.Value) || isRandom(literal.Value)):
			l.Env[name] = cover(l.Env[name])
		case kind == "env" && !risk.Steers(name):
			l.Env[name] = coverParts(l.Env[name])
		case kind == "headers":
			l.Headers[name] = cover(l.Headers[name])
		case kind == "url":
			l.URL = cover(l.URL)
		default:
			coverArgument(&l, literal)
		}
	}
	// Assess the redacted texts, because a warning may quote them.
	s.Args, s.Env, s.URL, s.Headers = l.Args, l.Env, l.URL, l.Headers
	return Preview{Launch: l, Risk: risk.AssessImport(newServer("", "", s))}
}

// coverArgument redacts a credential in an argument if the credential looks random, or if it is a single word in an
// option or after an option with the name of a credential. Otherwise it calls coverParts, because the argument may be
// a package or a path.
func coverArgument(l *Launch, literal launch.Literal) {
	for n, arg := range l.Args {
		if literal.Where != argument(n) {
			continue
		}
		option := n > 0 && strings.HasPrefix(l.Args[n-1], "-") && secretscan.SensitiveName(l.Args[n-1]) || strings.HasPrefix(arg, "-")
		switch {
		case option && isWord(literal.Value), isRandom(literal.Value):
			l.Args[n] = strings.ReplaceAll(arg, literal.Value, secretscan.Redacted)
		default:
			l.Args[n] = coverParts(arg)
		}
	}
}

// coverParts redacts the parts of a text that can only be credentials: a password in a URL, a word
// after "Password=", and random words outside of a host name.
func coverParts(text string) string {
	text = passwordInURL.ReplaceAllString(text, "${1}"+secretscan.Redacted+"@")
	text = webhook.ReplaceAllString(text, "${1}"+secretscan.Redacted)
	text = passwordSet.ReplaceAllString(text, "${1}"+secretscan.Redacted)
	from, out := 0, ""
	if at := hostEnd.FindStringIndex(text); at != nil {
		from, out = at[1], text[:at[1]]
	}
	return out + randomPart.ReplaceAllStringFunc(text[from:], func(part string) string {
		if isRandom(part) {
			return secretscan.Redacted
		}
		return part
	})
}

var (
	// word matches a text without the characters that commands and paths need.
	word = lazyregexp.New(`^[A-Za-z0-9_+=~%|!?*^-]+$`)
	// random matches at least 16 characters that occur in generated credentials. The slash occurs
	// in base64.
	random        = lazyregexp.New(`^[A-Za-z0-9_.+/=~-]{16,}$`)
	issued        = lazyregexp.New(`^(gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_.-]{16,}$`)
	hexadecimal   = lazyregexp.New(`^[0-9a-fA-F-]{32,}$`)
	passwordInURL = lazyregexp.New(`([A-Za-z][-+.A-Za-z0-9]*://[^/\s:@]*:)[A-Za-z0-9_+=~%!?*^.-]+@`)
	// webhook matches the address of a Slack webhook up to its secret part.
	webhook = lazyregexp.New(`(hooks\.slack\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/]+`)
	// passwordSet matches a password in a connection string.
	passwordSet = lazyregexp.New(`(?i)((?:^|[;&?\s])(?:` + secretscan.ConnectionPasswords +
		`|secret|token|api_?key)\s*=\s*)[A-Za-z0-9_+=~%!?*^/-]+(?:$|;)`)
	hostEnd     = lazyregexp.New(`://[^/?#\s]*`)
	randomPart  = lazyregexp.New(`[A-Za-z0-9_.+~-]{16,}`)
	extensionAt = lazyregexp.New(`\.[A-Za-z]{1,5}$`)
)

func isWord(text string) bool { return word.MatchString(text) }

// isRandom reports whether a text can only be a generated credential: no path,
// package or command has as many changes between letters and digits.
func isRandom(text string) bool {
	if !random.MatchString(text) && !issued.MatchString(text) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") ||
		strings.HasPrefix(text, "~") || strings.HasPrefix(text, "-") ||
		strings.Contains(text, "//") || extensionAt.MatchString(text) {
		return false
	}
	if hexadecimal.MatchString(text) || issued.MatchString(text) {
		return true
	}
	upper, lower, digit := false, false, 0
	for _, r := range text {
		upper, lower = upper || r >= 'A' && r <= 'Z', lower || r >= 'a' && r <= 'z'
		if r >= '0' && r <= '9' {
			digit++
		}
	}
	return upper && lower && digit > 1 || digit*4 > len(text)
}
