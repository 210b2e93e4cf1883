// Package redact replaces the values of secrets in texts that this program writes
// itself: logs, records, events and errors. Results of tool calls are not redacted on
// their way from a server to its client.
//
// KnownSecrets finds secrets by fingerprints, so that it need not know the values of stored secrets. Each form in which
// a secret may appear has a fingerprint: the form's length, a keyed hash of its last bytes, and an HMAC of the whole
// form. A search slides a window over the text, and computes an HMAC only where the window's hash equals that of a
// fingerprint. The store contains the encrypted fingerprints beside the names of secrets, so that a secret is redacted
// from the start of the hub although nobody has read its value.
package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Redactor replaces secrets in texts: those that it was made for, and credentials
// that are recognized by their name or shape. It is safe for concurrent use. A nil
// Redactor replaces only the recognized credentials.
type Redactor struct {
	index  func() *index
	server string // server whose texts are redacted; anyServer for all
}

// ForLaunch returns a redactor for the credentials in a server's configuration:
// in variables, arguments, headers and the URL.
func ForLaunch(l launch.Launch) *Redactor {
	var k KnownSecrets
	k.AddLaunch("one", l)
	return k.everything()
}

// Text returns text with every secret replaced by secretscan.Redacted. Valid JSON
// stays valid.
func (r *Redactor) Text(text string) string {
	if r != nil {
		text = r.index().cover(text, r.server, 0)
	}
	return secretscan.Redact(text)
}

// Name redacts a name that a server has chosen, such as the name of a tool. It does not redact secrets that are shorter
// than launch.MinCertain, because they may be ordinary names.
func (r *Redactor) Name(name string) string {
	if r != nil {
		name = r.index().cover(name, r.server, launch.MinCertain)
	}
	return secretscan.Redact(name)
}

// Head returns at most n bytes from the beginning of the redacted text, and whether the redacted text is longer. It
// needs at most the first n+Reach+1 bytes of text. A secret of which only the beginning would fit into n bytes is
// redacted, too.
func (r *Redactor) Head(text string, n int) (head string, cut bool) {
	if cut = len(text) > n+reach; cut {
		text = text[:n+reach]
	}
	head = r.Text(text)
	if cut { // the last Reach bytes may contain the first part of a secret
		head = head[:max(len(head)-reach, 0)]
	}
	if len(head) > n {
		head, cut = head[:n], true
	}
	return strings.ToValidUTF8(head, ""), cut
}

// Reach returns the number of bytes after a position that the redactor must see to recognize a secret which begins
// before the position. Of a longer secret, the redactor then recognizes the first part.
func (r *Redactor) Reach() int { return reach }

const reach = 256

// forms lists texts to redact: values as they are, and escaped as in URLs, in Go and in JSON.
type forms []string

// addSecret adds the value of a secret, the value without an authentication scheme such as Bearer, and each line that
// is long enough, because programs often print keys line by line.
func (f *forms) addSecret(value string) {
	f.addEncodings(value)
	if trimmed := strings.TrimSpace(value); trimmed != value { // files often end with a line break, which programs drop
		f.addEncodings(trimmed)
	}
	if part := secretscan.WithoutScheme(value); part != value && len(part) >= minValue {
		f.addEncodings(part)
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= 2*secretscan.MinLength {
			f.addEncodings(line)
		}
	}
}

// addEncodings adds a value unencoded, escaped for a URL, quoted as in Go, and encoded
// as JSON up to three times, because JSON often contains JSON in a string.
func (f *forms) addEncodings(value string) {
	list := []string{value, url.QueryEscape(value), url.PathEscape(value), unquoted(strconv.Quote(value))}
	for _, once := range inJSON(value) {
		list = append(list, once)
		for _, twice := range inJSON(once) {
			list = append(list, twice, inJSON(twice)[0])
		}
	}
	for _, form := range list {
		if !slices.Contains(*f, form) {
			*f = append(*f, form)
		}
	}
}

// inJSON returns a string in the forms in which common JSON encoders write it, without the quotes. Some encoders escape
// only the characters that JSON requires. Others also escape <, > and &, or slashes, or non-ASCII characters, or both
// slashes and non-ASCII characters.
func inJSON(value string) []string {
	encoded := make([]string, 2)
	for i := range encoded {
		var quoted bytes.Buffer
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(i == 1)
		_ = encoder.Encode(value) // cannot fail for a string and a buffer
		encoded[i] = unquoted(strings.Trim(quoted.String(), "\n"))
	}
	plain := encoded[0]
	slashes := strings.ReplaceAll(plain, "/", `\/`)
	return slices.Compact(append(encoded, slashes, inASCII(plain), inASCII(slashes)))
}

func inASCII(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch a, z := utf16.EncodeRune(r); {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case a == unicode.ReplacementChar:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x\u%04x`, a, z)
		}
	}
	return b.String()
}

func unquoted(text string) string { return text[1 : len(text)-1] }
