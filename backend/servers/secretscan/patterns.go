// Package secretscan recognizes credentials by their names, by the forms in which issuers make tokens, and by their
// places in texts, and replaces them. It knows no values of secrets; package redact does.
package secretscan

import (
	"iter"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

// Redacted is the text that replaces a secret.
const Redacted = "[redacted]"

// MinLength is the minimum length of a credential that is recognized by its name or
// shape. Shorter values look like ordinary words.
const MinLength = 6

// ConnectionPasswords is a regular expression for the names of passwords in connection strings, in lower case.
const ConnectionPasswords = `(?:password|pwd|passwd|accountkey|sharedaccesskey|sharedaccesssignature|shared access key|accesskey|` +
	`secretkey|user password)`

// connection matches a connection string with a password, such as
// Server=db;Password=value;.
var connection = lazyregexp.New(`(?i)(?:^|;)\s*` + ConnectionPasswords + `\s*=\s*[^;\s]{4,}`)

// sensitiveWords are the words and pairs of words that occur in names of
// credentials.
var sensitiveWords = map[string]bool{
	"token": true, "secret": true, "creds": true, "jwt": true, "password": true, "passwd": true, "passphrase": true,
	"pwd": true, "pat": true, "credential": true, "credentials": true, "apikey": true,
	"authorization": true, "auth": true, "cookie": true, "dsn": true,
	"api key": true, "access key": true, "private key": true, "session key": true,
	"connection string": true, "conn string": true, "conn str": true, "pass word": true, "pass phrase": true,
}

// SensitiveName reports whether a variable, header or argument with this name usually contains a credential. It
// compares whole words, separated by punctuation or capital letters, so that PATH does not count as PAT, and the ends
// of words such as mytoken. The words "key" and "pass" count only at the end of a longer name such as STRIPE_KEY and
// DB_PASS, because "key" is also a common member of maps, and "pass" a common result of tests.
func SensitiveName(name string) bool {
	if namesVariable(name) {
		return false
	}
	last, count := "", 0
	for word := range wordsOf(name) {
		if sensitiveWords[word] || count > 0 && sensitiveWords[last+" "+word] ||
			slices.ContainsFunc(sensitiveEnds, func(end string) bool { return strings.HasSuffix(word, end) }) {
			return true
		}
		last = word
		count++
	}
	return count > 1 && (last == "key" || last == "pass")
}

// namesVariable reports whether the value of a field is the name of an environment variable, as that of Codex's
// bearer_token_env_var is.
func namesVariable(name string) bool {
	words := slices.Collect(wordsOf(name))
	return len(words) > 2 && words[len(words)-2] == "env" && words[len(words)-1] == "var"
}

// sensitiveEnds are the ends of words in names of credentials.
var sensitiveEnds = []string{"token", "secret", "password", "passwd", "apikey", "accesskey", "secretkey", "privatekey", "connectionstring"}

// LastWord returns the last word of a name such as API_KEY or apiKey, in lower case.
// It returns "" if the name has no words.
func LastWord(name string) (last string) {
	for last = range wordsOf(name) {
	}
	return last
}

// wordsOf returns the words of a name such as API_KEY or apiKey, in lower case.
func wordsOf(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := range len(name) {
			end, next := -1, i
			switch c := name[i]; {
			case c == '-' || c == '_' || c == '.' || c == ' ':
				end, next = i, i+1
			case c >= 'A' && c <= 'Z' && i > start && name[i-1] >= 'a' && name[i-1] <= 'z':
				end = i
			}
			if end < 0 {
				continue
			}
			if end > start && !yield(strings.ToLower(name[start:end])) {
				return
			}
			start = next
		}
		if start < len(name) {
			yield(strings.ToLower(name[start:]))
		}
	}
}

// HasCredential reports whether a value has the shape of a credential.
func HasCredential(value string) bool {
	s := scanner{text: value}
	s.bearers()
	s.urls()
	return len(s.spans) > 0 || HasToken(value) || connection.MatchString(value) || strings.Contains(value, "PRIVATE KEY-----")
}

// Redact replaces every credential that is recognized in a text by Redacted. Valid
// JSON stays valid. It searches for a kind of credential only if the text contains
// one of its hints: most texts contain none, and searching for hints takes less time.
func Redact(text string) string {
	seen := hints.in(text)
	if seen == 0 {
		return text
	}
	hidden, references := hideReferences(text)
	if len(references) > 0 && isJSON(text) && !isJSON(hidden) { // an apparent reference extends over several strings
		hidden, references = text, nil
	}
	s := scanner{text: hidden}
	return showReferences(Replace(hidden, s.recognized(seen)), references)
}

// isScheme reports whether a word is an authentication scheme that a credential follows.
func isScheme(word string) bool {
	return strings.EqualFold(word, "bearer") || strings.EqualFold(word, "basic")
}

// IssuedCredential reports whether a value is certainly a credential. It is one if it
// contains a private key, or a token with a digit and with the form by which its issuer
// makes tokens recognizable.
func IssuedCredential(value string) (issued bool) {
	s := scanner{text: value}
	s.tokens(func(from, to int) bool {
		issued = strings.ContainsAny(value[from:to], "0123456789")
		return !issued
	})
	s.blocks()
	return issued || len(s.spans) > 0
}

// WithoutScheme returns the value of an Authorization header without the scheme Bearer or Basic, and any other value
// unchanged.
func WithoutScheme(value string) string {
	if scheme, credential, ok := strings.Cut(value, " "); ok && isScheme(scheme) {
		return strings.TrimSpace(credential)
	}
	return value
}
