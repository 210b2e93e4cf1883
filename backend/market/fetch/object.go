package fetch

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

const (
	maxText = 2000 // characters of a text
	maxURL  = 500  // bytes of a URL
)

// Object is a JSON object of a registry. A member of the wrong type counts as missing, so that it does not make the
// whole document useless.
type Object map[string]json.RawMessage

// Text returns the string in a member on one line without hidden characters, cut to 2,000 characters.
func (o Object) Text(name string) string { return line(o[name]) }

// line returns a JSON string on one line without hidden characters, cut to 2,000 characters.
func line(raw json.RawMessage) string { return safetext.Clip(safetext.Label(Whole(raw)), maxText) }

// Whole returns a JSON string unchanged, and "" for another value.
func Whole(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// Exact returns the string in a member unchanged: an invalid name or version must not become valid because characters
// are removed.
func (o Object) Exact(name string) string { return Whole(o[name]) }

// Object returns the object in a member, or nil if the member is not an object.
func (o Object) Object(name string) Object {
	var inner Object
	if json.Unmarshal(o[name], &inner) != nil {
		return nil
	}
	return inner
}

// Objects returns the objects in a member that is a list.
func (o Object) Objects(name string) []Object {
	var items []json.RawMessage
	_ = json.Unmarshal(o[name], &items) // a value that is not a list has no objects
	out := make([]Object, 0, len(items))
	for _, item := range items {
		var inner Object
		if json.Unmarshal(item, &inner) == nil && inner != nil {
			out = append(out, inner)
		}
	}
	return out
}

// Texts returns at most limit strings from a member that is a list, each as Text returns it. A member that is a single
// string counts as a list of one.
func (o Object) Texts(name string, limit int) []string {
	var items []json.RawMessage
	if json.Unmarshal(o[name], &items) != nil {
		items = []json.RawMessage{o[name]}
	}
	var out []string
	for _, item := range items {
		if text := line(item); text != "" && len(out) < limit {
			out = append(out, text)
		}
	}
	return out
}

// Number returns the number in a member without its fraction, and 0 if it is negative, larger than 1e15 or not a
// number.
func (o Object) Number(name string) int64 {
	var n float64
	if json.Unmarshal(o[name], &n) != nil || n < 0 || n > 1e15 {
		return 0
	}
	return int64(n)
}

// Time returns the time in a member in RFC 3339 format, and the zero time if the member is not such a time.
func (o Object) Time(name string) time.Time {
	t, err := time.Parse(time.RFC3339, o.Text(name))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Web returns the https URL of a repository or page that a person can open, and "" if there is none. It knows the
// forms in which packages name repositories: git+https://…, git@host:path, ssh://git@host/path, github:user/name.
func Web(address string) string {
	address = strings.TrimSpace(address)
	if at, path, ok := strings.Cut(address, ":"); ok && strings.HasPrefix(at, "git@") && !strings.HasPrefix(path, "//") {
		address = "https://" + strings.TrimPrefix(at, "git@") + "/" + path
	}
	for _, short := range []struct{ prefix, host string }{
		{"github:", "github.com"}, {"gitlab:", "gitlab.com"}, {"bitbucket:", "bitbucket.org"},
	} {
		if path, ok := strings.CutPrefix(address, short.prefix); ok {
			address = "https://" + short.host + "/" + path
		}
	}
	u, err := url.Parse(strings.TrimPrefix(address, "git+"))
	if err != nil || u.Host == "" || len(address) > maxURL || safetext.Label(address) != address {
		return ""
	}
	switch u.Scheme {
	case "https", "http", "git", "ssh":
	default:
		return ""
	}
	u.Scheme, u.User, u.Path = "https", nil, strings.TrimSuffix(u.Path, ".git")
	if strings.ContainsAny(u.Host, " <>\"'`") {
		return ""
	}
	return u.String()
}
