package names

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Subscription is the part of a subscriptions/listen request that concerns one
// server.
type Subscription struct {
	Slug   string
	Params json.RawMessage
}

// Listen divides the params of subscriptions/listen among the servers that its resource URIs and task ids name.
// The params for a server have only its URIs and ids, in the server's own form; all other bytes are those of
// the client. A server that no URI and no id names gets no params, although the client may ask for changes of
// its lists. URIs and ids that do not belong to exactly one server are left out; they are missing in the
// acknowledgement too.
func (s Servers) Listen(params json.RawMessage) []Subscription {
	if !jsonscan.Valid(params) {
		return nil
	}
	var slugs []string // in the order in which they occur
	uris := s.divide(params, &slugs, s.ownURI, "notifications", "resourceSubscriptions")
	tasks := s.divide(params, &slugs, s.ownTask, "notifications", "taskIds")
	out := make([]Subscription, len(slugs))
	for i, slug := range slugs {
		var edits []edit
		for _, list := range []division{uris, tasks} {
			if list.to > 0 {
				edits = append(edits, edit{list.from, list.to, "[" + list.elements[slug] + "]"})
			}
		}
		sortEdits(edits)
		out[i] = Subscription{slug, splice(params, edits)}
	}
	return out
}

// division is an array whose elements are divided among servers.
type division struct {
	from, to int               // position of the array; 0 if there is none
	elements map[string]string // elements of the new array by slug, separated by commas
}

// divide divides the array at a path of member names, and adds the slugs of its
// servers to slugs.
func (s Servers) divide(params []byte, slugs *[]string, own owner, path ...string) division {
	from, to, ok := find(params, '[', path...)
	if !ok {
		return division{}
	}
	d := division{from, to, make(map[string]string)}
	for raw := range jsonrpc.Items(params[from:to]) {
		if raw[0] != '"' {
			continue
		}
		slug, edits, err := own(raw, 0, len(raw))
		if err != nil {
			continue
		}
		if !slices.Contains(*slugs, slug) {
			*slugs = append(*slugs, slug)
		}
		if d.elements[slug] != "" {
			d.elements[slug] += ","
		}
		d.elements[slug] += string(splice(raw, edits))
	}
	return d
}
