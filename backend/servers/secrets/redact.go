// Package secrets answers what must never be seen. It keeps values where only
// this user gets at them, gives them to the servers that they belong to, and
// covers them in texts that this product writes itself (log, journal, events,
// errors). A result on its way from a server to the asking session is not its
// business.
//
//	Vault ── keychain (the system's) · overlong (sealed, its key in the keychain) · locker (a file under a passphrase)
//	  └ Fill → Given → Redactor
//
// Names are in the store and values never are. Nothing here returns a value
// but Fill, to whoever starts a server.
package secrets

import (
	"regexp"
	"strings"
)

// Redacted replaces a secret in a text.
const Redacted = "[redacted]"

// minSecret is the length below which a value is too short to be told from
// ordinary text.
const minSecret = 6

var (
	// Shapes that name themselves: what issues them gave them a prefix for
	// exactly this purpose.
	knownShape = regexp.MustCompile(`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)?[-_A-Za-z0-9]{16,}` +
		`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[-_A-Za-z0-9]{16,}` +
		`|\bxox[abeoprs]-[-A-Za-z0-9]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[-_A-Za-z0-9]{30,}` +
		`|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[-_A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{32,}` +
		`|\beyJ[-_A-Za-z0-9]{8,}\.eyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}`)

	bearer   = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[-_.~+/=A-Za-z0-9]{8,}`)
	inURL    = regexp.MustCompile(`([a-z][-+.a-z0-9]*://[^/\s:@]*:)[^/\s@]+@`)
	keyBlock = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

	// "api_key": "value", api_key=value; a reference ${secret:NAME} is told
	// apart by its beginning.
	assigned = regexp.MustCompile(`(\$\{|"?)([-_.A-Za-z0-9]{2,64})("?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|\$\{[^}]*\}|[^\s,;&"'{}\[\]]+)`)

	// --token value, and "--token", "value" in a list of arguments.
	flagged = regexp.MustCompile(`(^|[\s"'=\[(,;])(--?[A-Za-z][-_.A-Za-z0-9]{1,63})` +
		`(?:(\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'-][^\s"']*)|("\s*,\s*")((?:[^"\\-]|\\.)(?:[^"\\]|\\.)*))`)
)

// sensitiveWords are words, or pairs of words, that name a credential.
var sensitiveWords = map[string]bool{
	"token": true, "secret": true, "password": true, "passwd": true, "passphrase": true,
	"pwd": true, "pat": true, "credential": true, "credentials": true, "apikey": true,
	"authorization": true, "auth": true, "cookie": true, "dsn": true,
	"api key": true, "access key": true, "private key": true, "session key": true,
	"connection string": true, "pass word": true,
}

// SensitiveName reports whether a variable, header or argument of this name
// holds a credential by custom. Names are taken apart at signs and at capital
// letters, so that PATH is not a PAT. A key is one of something: STRIPE_KEY
// holds a credential, and key alone any key of any map.
func SensitiveName(name string) bool {
	words := splitName(name)
	if n := len(words); n > 1 && words[n-1] == "key" {
		return true
	}
	for i, word := range words {
		if sensitiveWords[word] || i > 0 && sensitiveWords[words[i-1]+" "+word] {
			return true
		}
		for _, end := range []string{"token", "secret", "password", "apikey"} {
			if strings.HasSuffix(word, end) {
				return true
			}
		}
	}
	return false
}

func splitName(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '-' || c == '_' || c == '.' || c == ' ':
			cut(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && name[i-1] >= 'a' && name[i-1] <= 'z':
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return words
}

// LooksSecret reports whether a value has the shape of a credential.
func LooksSecret(value string) bool {
	return knownShape.MatchString(value) || bearer.MatchString(value) ||
		inURL.MatchString(value) || strings.Contains(value, "PRIVATE KEY-----")
}

// Text returns text with every secret covered. Looking for the words that an
// expression needs costs a hundredth of running it, and most texts have none.
func (r *Redactor) Text(text string) string {
	if r != nil && r.known != nil {
		text = r.known.Replace(text)
	}
	seen := hints.in(text)
	if seen&aBlock != 0 {
		text = keyBlock.ReplaceAllString(text, Redacted)
	}
	if seen&aScheme != 0 {
		text = bearer.ReplaceAllString(text, "$1 "+Redacted)
	}
	if seen&aName != 0 {
		text = assigned.ReplaceAllStringFunc(text, coverAssigned)
		text = flagged.ReplaceAllStringFunc(text, coverFlagged)
	}
	if seen&aURL != 0 && strings.Contains(text, "@") {
		text = inURL.ReplaceAllString(text, "${1}"+Redacted+"@")
	}
	if seen&aShape != 0 {
		text = knownShape.ReplaceAllString(text, Redacted)
	}
	return text
}

func coverAssigned(match string) string {
	parts := assigned.FindStringSubmatch(match)
	if !SensitiveName(parts[2]) || len(parts[4]) < minSecret || parts[1] == "${" || strings.HasPrefix(parts[4], "${") {
		return match
	}
	covered := Redacted
	if strings.HasPrefix(parts[4], `"`) {
		covered = `"` + Redacted + `"`
	}
	return parts[1] + parts[2] + parts[3] + covered
}

func coverFlagged(match string) string {
	parts := flagged.FindStringSubmatch(match)
	before, name, space, word, comma, item := parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]
	if value := word + item; !SensitiveName(name) || len(value) < minSecret || strings.HasPrefix(value, "${") {
		return match
	}
	return before + name + space + comma + Redacted
}
