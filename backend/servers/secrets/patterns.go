package secrets

import (
	"regexp"
	"strings"
)

// Redacted is the text that replaces a secret.
const Redacted = "[redacted]"

// minSecret is the minimum length of a credential that is recognized by its name or
// shape. Shorter values look like ordinary words.
const minSecret = 6

var (
	// knownShape matches tokens with a prefix by which their issuers make them
	// recognizable.
	knownShape = regexp.MustCompile(`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)?[-_A-Za-z0-9]{16,}` +
		`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[-_A-Za-z0-9]{16,}` +
		`|\bxox[abeoprs]-[-A-Za-z0-9]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[-_A-Za-z0-9]{30,}` +
		`|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[-_A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{32,}` +
		`|\beyJ[-_A-Za-z0-9]{8,}\.eyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}`)

	bearer   = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[-_.~+/=A-Za-z0-9]{8,}`)
	inURL    = regexp.MustCompile(`([a-z][-+.a-z0-9]*://[^/\s:@]*:)[^/\s@]+@`)
	keyBlock = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

	// assigned matches "api_key": "value" and api_key=value. The first group
	// also matches the beginning of a reference ${secret:NAME}, which must not
	// be redacted.
	assigned = regexp.MustCompile(`(\$\{|"?)([-_.A-Za-z0-9]{2,64})("?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|\$\{[^}]*\}|[^\s,;&"'{}\[\]]+)`)

	// flagged matches --token value, and "--token", "value" in a JSON list of
	// arguments.
	flagged = regexp.MustCompile(`(^|[\s"'=\[(,;])(--?[A-Za-z][-_.A-Za-z0-9]{1,63})` +
		`(?:(\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'-][^\s"']*)|("\s*,\s*")((?:[^"\\-]|\\.)(?:[^"\\]|\\.)*))`)
)

// sensitiveWords are the words and pairs of words that occur in names of
// credentials.
var sensitiveWords = map[string]bool{
	"token": true, "secret": true, "password": true, "passwd": true, "passphrase": true,
	"pwd": true, "pat": true, "credential": true, "credentials": true, "apikey": true,
	"authorization": true, "auth": true, "cookie": true, "dsn": true,
	"api key": true, "access key": true, "private key": true, "session key": true,
	"connection string": true, "pass word": true,
}

// SensitiveName reports whether a variable, header or argument with this name
// usually contains a credential. It compares whole words, separated by
// punctuation or capital letters, so that PATH does not count as PAT. The word
// "key" counts only at the end of a longer name such as STRIPE_KEY, because any
// map may have a member named "key".
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

// splitName returns the words of a name such as API_KEY or apiKey, in lower
// case.
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

// Text returns text with every secret replaced by Redacted. It runs a regular
// expression only if the text contains one of the expression's hints. Searching
// for hints takes a hundredth of the time, and most texts contain none.
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
		text = assigned.ReplaceAllStringFunc(text, redactAssigned)
		text = flagged.ReplaceAllStringFunc(text, redactFlagged)
	}
	if seen&aURL != 0 && strings.Contains(text, "@") {
		text = inURL.ReplaceAllString(text, "${1}"+Redacted+"@")
	}
	if seen&aShape != 0 {
		text = knownShape.ReplaceAllString(text, Redacted)
	}
	return text
}

func redactAssigned(match string) string {
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

func redactFlagged(match string) string {
	parts := flagged.FindStringSubmatch(match)
	before, name, space, word, comma, item := parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]
	if value := word + item; !SensitiveName(name) || len(value) < minSecret || strings.HasPrefix(value, "${") {
		return match
	}
	return before + name + space + comma + Redacted
}
