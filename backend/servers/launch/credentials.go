package launch

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Literal is a credential that is part of a server's configuration in plain text.
type Literal struct {
	Where string // place in the configuration: env.NAME, args[3], headers.NAME or url
	Name  string // suggested name for a secret with this value
	Value string // the credential itself, which must not be shown
	// Text returns the text at the place Where with the credential replaced by a reference to the secret of the given
	// name.
	Text func(name string) string
}

// Literals returns the credentials in a configuration, in the order of its
// variables, arguments, headers and URL. It leaves out short values, paths of
// files, and values that contain references.
func Literals(l Launch) []Literal {
	var out []Literal
	for _, c := range credentials(l) {
		if len(c.value()) < secretscan.MinLength || strings.Contains(c.value(), "${") || c.namesFile() {
			continue
		}
		out = append(out, Literal{Where: c.where, Name: c.secretName(l.Remote()), Value: c.value(), Text: c.with})
	}
	return out
}

// Plaintext returns the places of the credentials in a server's configuration:
// env.NAME, args[3], headers.NAME or url. It returns each place once. The
// result is never nil.
func Plaintext(env map[string]string, args []string, headers map[string]string, address string) []string {
	places := []string{}
	for _, literal := range Literals(Launch{Env: env, Args: args, Headers: headers, URL: address}) {
		places = append(places, literal.Where)
	}
	return slices.Compact(places)
}

// MinCertain is the minimum length, in bytes, at which a value counts as certain if only the name of its variable,
// flag, header or parameter suggests that it is a credential.
const MinCertain = 10

// Credentials returns the values of the credentials in a launch, for redacting them. A value is doubtful if it is the
// path of a file, or if it is short and only its name suggests a credential, so that it may be an ordinary word.
func (l Launch) Credentials() (certain, doubtful []string) {
	for _, c := range credentials(l) {
		values := []string{c.value()}
		if plain := unescaped(c.value()); c.where == "url" {
			values = append(values, plain)
		}
		for _, value := range values {
			switch {
			case len(value) < secretscan.MinLength || strings.HasPrefix(value, "${") || secretscan.IsReference(value):
			case (len(value) >= MinCertain || secretscan.HasCredential(value)) && !c.namesFile():
				certain = append(certain, value)
			default:
				doubtful = append(doubtful, value)
			}
		}
	}
	return certain, doubtful
}

// credential is a part of a server's configuration that is a credential,
// judging by its name or shape.
type credential struct {
	where    string // place of the text, as in Literal.Where
	name     string // name of the variable, flag, header or parameter
	text     string // whole text of the place
	from, to int    // range of the credential in text
}

func (c credential) value() string { return c.text[c.from:c.to] }

// with returns c.text with the credential replaced by a reference to the secret of the given name.
func (c credential) with(name string) string {
	return c.text[:c.from] + Reference(name) + c.text[c.to:]
}

var filePath = lazyregexp.New(`^(/|~|\.{1,2}/|[A-Za-z]:[\\/]).*\.[A-Za-z0-9]{1,8}$`)

// namesFile reports whether the value is the path of a file that contains the
// credential.
func (c credential) namesFile() bool {
	switch secretscan.LastWord(c.name) {
	case "path", "file", "dir", "directory", "folder":
		return true
	}
	return filePath.MatchString(c.value())
}

// APIKey is the name of the secret that a remote server gets as its bearer token.
const APIKey = "API_KEY"

// HeaderOf returns the name of the header in which a remote server gets a secret, and the authentication scheme that
// precedes the value.
func HeaderOf(secret string) (header, scheme string) {
	switch secret {
	case APIKey:
		return "Authorization", "Bearer "
	case "AUTHORIZATION":
		return "Authorization", ""
	}
	return secret, ""
}

// MaxSecretName is the maximum length of a secret's name, in characters.
const MaxSecretName = 128

// secretName returns the suggested name of a secret for the credential. A stdio server gets each of its secrets as an
// environment variable, and a remote server as a header, under the name of the secret. So a credential in a variable or
// an argument of a stdio server, or in a header of a remote one, keeps its name. Any other credential gets a name with
// a prefix and a colon, so that it does not become a header.
func (c credential) secretName(remote bool) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == '}' || r == 0x7f {
			return '-'
		}
		return r
	}, strings.TrimLeft(c.name, "-"))
	kind, _, _ := strings.Cut(c.where, ".")
	kind, _, _ = strings.Cut(kind, "[")
	if name == "" {
		name = c.where
	}
	native := !remote && (kind == "env" || kind == "args") || remote && kind == "headers" && name != APIKey
	if !native {
		name = kind + ":" + name
	}
	return strings.ToValidUTF8(name[:min(len(name), MaxSecretName)], "")
}

// credentials returns the parts of a configuration that are credentials,
// judging by their names or shapes.
func credentials(l Launch) []credential {
	var out []credential
	for _, place := range []struct {
		kind  string
		texts map[string]string
	}{{"env", l.Env}, {"headers", l.Headers}} {
		if place.kind == "headers" {
			out = append(out, argumentCredentials(l.Args)...)
		}
		for _, name := range slices.Sorted(maps.Keys(place.texts)) {
			text, where := place.texts[name], place.kind+"."+name
			if secretscan.SensitiveName(name) || secretscan.HasCredential(text) || !describes(name) && isRandom(text) {
				out = append(out, credential{where, name, text, 0, len(text)})
			} else if at := urlCredentials(text); isURL(text) && len(at) > 0 {
				out = append(out, credential{where, name, text, 0, len(text)})
			}
		}
	}
	return append(out, urlCredentials(l.URL)...)
}

func argumentCredentials(args []string) []credential {
	var out []credential
	flag := "" // the previous argument if it is a flag, whose value may follow
	for i, arg := range args {
		where := fmt.Sprintf("args[%d]", i)
		switch name, value, assigns := assignment(arg); {
		case assigns && secretscan.SensitiveName(name):
			from := strings.LastIndex(arg, value)
			out = append(out, credential{where, name, arg, from, from + len(value)})
		case secretscan.HasCredential(arg) || secretscan.SensitiveName(flag) && !strings.HasPrefix(arg, "--"):
			out = append(out, credential{where, flag, arg, 0, len(arg)})
		case assigns && !describes(name) && isRandom(value):
			from := strings.LastIndex(arg, value)
			out = append(out, credential{where, name, arg, from, from + len(value)})
		case isURL(arg):
			for _, c := range urlCredentials(arg) {
				c.where = where
				out = append(out, c)
			}
		default:
			if at := headerText.FindStringSubmatchIndex(arg); at != nil && secretscan.SensitiveName(arg[at[2]:at[3]]) {
				out = append(out, credential{where, arg[at[2]:at[3]], arg, at[4], at[5]})
			}
		}
		if flag = ""; strings.HasPrefix(arg, "-") {
			flag = arg
		}
	}
	return out
}

// assignment splits --name=value, NAME=value and "Name: value". It returns
// false for other texts. A colon or "=" inside a reference does not count.
func assignment(arg string) (name, value string, ok bool) {
	i := strings.IndexAny(arg, "=:")
	if i < 0 || strings.Contains(arg[:i], "${") {
		return "", "", false
	}
	return arg[:i], strings.TrimSpace(arg[i+1:]), true
}

// headerText matches a header in an argument, such as X-Api-Key: value.
var headerText = lazyregexp.New(`^([A-Za-z][-A-Za-z0-9]+):\s*(\S.*)$`)

func isURL(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "wss://")
}

// describing are the last words of setting names, such as id, whose values may look random but identify something and
// are no credentials.
var describing = map[string]bool{
	"id": true, "ids": true, "uuid": true, "guid": true, "hash": true, "sha": true, "sha256": true, "sha512": true, "digest": true,
	"checksum": true, "integrity": true, "version": true, "ref": true, "commit": true, "revision": true, "tag": true, "path": true,
	"dir": true, "directory": true, "folder": true, "file": true, "name": true, "host": true, "image": true, "arn": true, "public": true,
	"fingerprint": true, "cert": true, "certificate": true, "pem": true, "crt": true, "project": true, "organization": true, "org": true,
	"account": true, "address": true, "contract": true, "wallet": true, "dsa": true, "email": true, "model": true,
}

// describes reports whether the value of a setting with this name identifies something and is no credential, even if
// the value looks random.
func describes(name string) bool {
	return describing[secretscan.LastWord(strings.TrimLeft(name, "-"))]
}

var (
	randomText = lazyregexp.New(`^[-_+/=.~A-Za-z0-9]{24,}$`)
	hexText    = lazyregexp.New(`^[0-9a-fA-F]{32,}$`)
	uuidText   = lazyregexp.New(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
)

// isRandom reports whether a value looks generated: it has many different characters, and changes between small
// letters, capital letters and digits more often than a path, a host or a sentence does. A UUID does not count,
// because it is rarely a credential.
func isRandom(value string) bool {
	if hexText.MatchString(value) {
		return entropy(value) > 3
	}
	if !randomText.MatchString(value) || uuidText.MatchString(value) || strings.HasPrefix(value, "/") || strings.HasPrefix(value, ".") {
		return false
	}
	switches, digits, last := 0, 0, 0
	for i := range len(value) {
		class := 0
		switch c := value[i]; {
		case c >= 'a' && c <= 'z':
			class = 1
		case c >= 'A' && c <= 'Z':
			class = 2
		case c >= '0' && c <= '9':
			class, digits = 3, digits+1
		default:
			continue
		}
		if last != 0 && class != last {
			switches++
		}
		last = class
	}
	return digits > 0 && switches*3 >= len(value) && entropy(value) > 3.8
}

// entropy returns the information in a text, in bits per character.
func entropy(text string) float64 {
	var count [256]int
	for i := range len(text) {
		count[text[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(text))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

var (
	userInfo  = lazyregexp.New(`^[A-Za-z][-+.A-Za-z0-9]*://([^/?#@]*)@`)
	parameter = lazyregexp.New(`[?&]([^=&#]*)=([^&#]*)`)
	segment   = lazyregexp.New(`/([^/?#]+)`)
)

// urlCredentials returns the parts of a URL that are credentials. These may be the password or the user name, values of
// parameters, and segments of the path.
func urlCredentials(address string) []credential {
	var out []credential
	add := func(name string, from, to int) { out = append(out, credential{"url", name, address, from, to}) }
	begin := 0
	if at := userInfo.FindStringSubmatchIndex(address); at != nil {
		// A colon inside a reference does not separate the user from the password.
		plain := secretscan.ReplaceReferences(address[at[2]:at[3]],
			func(reference string) string { return strings.Repeat("-", len(reference)) })
		end, _, has := strings.Cut(plain, ":")
		switch user := address[at[2] : at[2]+len(end)]; {
		case has:
			add("password", at[2]+len(user)+1, at[3])
		case secretscan.HasCredential(user):
			add("user", at[2], at[3])
		}
		begin = at[1]
	} else if i := strings.Index(address, "://"); i >= 0 {
		begin = i + len("://")
	}
	query := len(address)
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		query = i
	}
	for _, at := range segment.FindAllStringSubmatchIndex(address[min(begin, query):query], -1) {
		if from, to := at[2]+begin, at[3]+begin; secretscan.HasCredential(address[from:to]) ||
			isRandom(address[from:to]) && !hexText.MatchString(address[from:to]) {
			add("segment", from, to)
		}
	}
	if segments := segment.FindAllStringSubmatchIndex(address[min(begin, query):query], -1); len(out) == 0 && len(segments) > 0 &&
		secretscan.HasToken(address[:query]) {
		last := segments[len(segments)-1] // the secret part of a webhook's address
		add("segment", last[2]+begin, last[3]+begin)
	}
	for _, at := range parameter.FindAllStringSubmatchIndex(address, -1) {
		name, value := unescaped(address[at[2]:at[3]]), unescaped(address[at[4]:at[5]])
		if secretscan.SensitiveName(name) || inQuery[strings.ToLower(name)] || secretscan.HasCredential(value) ||
			!describes(name) && isRandom(value) {
			add(name, at[4], at[5])
		}
	}
	return out
}

// inQuery are names whose values are credentials if they are parameters of a URL, but not elsewhere.
var inQuery = map[string]bool{"key": true, "sig": true, "signature": true, "code": true, "pass": true}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}
