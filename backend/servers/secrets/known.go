package secrets

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
)

// Redactor covers secrets in texts: those it was told, and those whose name
// or shape gives them away. It is immutable and safe for concurrent use.
type Redactor struct {
	known *strings.Replacer // nil when it was told none
	reach int               // length of the longest form that is known, in bytes
}

// NewRedactor is ForServer without a command line.
func NewRedactor(env map[string]string) *Redactor { return ForServer(env, nil) }

// ForServer is ForLaunch for a server that is started on this machine.
func ForServer(env map[string]string, args []string) *Redactor {
	return ForLaunch(Launch{Env: env, Args: args})
}

// ForLaunch returns a redactor that knows the credentials in a server's
// configuration: values of variables, of flags and headers, arguments by
// themselves, and those in its URL.
func ForLaunch(l Launch) *Redactor { return knownOf(l).redactor() }

func knownOf(l Launch) forms {
	var known forms
	for _, c := range credentials(l) {
		known.add(c.value())
		if plain := unescaped(c.value()); c.where == "url" {
			known.add(plain)
		}
	}
	return known
}

// Head returns the first n bytes of a text, covered, and whether there is more.
// It looks at n+Reach+1 bytes at most. No half of a secret stands at the cut.
func (r *Redactor) Head(text string, n int) (head string, cut bool) {
	reach := r.Reach()
	if cut = len(text) > n+reach; cut {
		text = text[:n+reach]
	}
	head = r.Text(text)
	if cut { // covers have moved the end nearer, where half a secret may stand
		head = head[:max(len(head)-reach, 0)]
	}
	if len(head) > n {
		head, cut = head[:n], true
	}
	return strings.ToValidUTF8(head, ""), cut
}

// Reach is how much of a text, beyond its part that is shown, must be seen so
// that no secret is cut in two; in bytes.
func (r *Redactor) Reach() int {
	if r == nil {
		return minReach
	}
	return max(r.reach, minReach)
}

const minReach = 256

// assignment takes --name=value, NAME=value and "Name: value" apart. The colon
// of a reference assigns nothing.
func assignment(arg string) (name, value string, ok bool) {
	i := strings.IndexAny(arg, "=:")
	if i < 0 || strings.Contains(arg[:i], "${") {
		return "", "", false
	}
	return arg[:i], strings.TrimSpace(arg[i+1:]), true
}

// forms are texts to cover, in every form in which they may be written.
type forms []string

// add adds what may be a credential. What is short, or names a secret instead
// of being one, is left out.
func (f *forms) add(value string) {
	for _, part := range []string{value, credentialOf(value)} {
		if len(part) >= minSecret && !strings.HasPrefix(part, "${") {
			f.addForms(part)
		}
	}
}

// addSecret adds what is a secret, however it looks, and the lines of a long
// one: a key is often shown line by line.
func (f *forms) addSecret(value string) {
	f.addForms(value)
	if part := credentialOf(value); part != value && len(part) >= minGiven {
		f.addForms(part)
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= 2*minSecret && line != value {
			f.addForms(line)
		}
	}
}

// credentialOf returns what follows the scheme of an authorization.
func credentialOf(value string) string {
	if scheme, credential, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
		return strings.TrimSpace(credential)
	}
	return value
}

// addForms adds a value as it is, as it stands in a URL and in Go's quotes, and
// as it stands in JSON, also in JSON within a text within JSON.
func (f *forms) addForms(value string) {
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

// inJSON returns the ways in which encoders write a string, without the quotes:
// the plain one first, then with signs escaped that mean something in pages,
// with slashes escaped, all beyond ASCII, or both of these.
func inJSON(value string) []string {
	encoded := make([]string, 2)
	for i := range encoded {
		var quoted bytes.Buffer
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(i == 1)
		_ = encoder.Encode(value) // a buffer takes every string
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

// redactor covers the longest form first: a short one may be a part of it,
// and strings.Replacer prefers what it was given first.
func (f forms) redactor() *Redactor {
	if len(f) == 0 {
		return nil
	}
	slices.SortFunc(f, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(f))
	for _, form := range f {
		pairs = append(pairs, form, Redacted)
	}
	return &Redactor{known: strings.NewReplacer(pairs...), reach: len(f[0])}
}
