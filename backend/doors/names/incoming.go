package names

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Servers finds the servers that names from a client belong to. Known is required. If Owners is nil, URIs without a
// slug belong to no server. If Prompt is nil, prompts belong to no server.
type Servers struct {
	// Known reports whether a slug belongs to a server that the client may reach.
	Known func(slug string) bool
	// Owners returns the slugs of the servers that have a URI or URI template.
	Owners func(uri string) []string
	// Prompt returns the server of the prompt that a client calls shown, and the prompt's name on that server.
	// It returns an error if there is no such prompt.
	Prompt func(shown string) (slug, name string, err error)
}

// uri returns the server of a URI or URI template from a client, and the URI as the server knows it. A URI without a
// slug does not come from the hub but, for example, from the text of a result. Such a URI belongs to the only server
// that has it; if no server or several servers have it, the error is an *OwnerError.
func (s Servers) uri(shown string) (slug, uri string, err error) {
	if slug, from, to, ok := split(shown, false, s.Known); ok {
		return slug, shown[:from] + shown[to:], nil
	}
	var owners []string
	if s.Owners != nil {
		owners = s.Owners(shown)
	}
	if len(owners) == 1 {
		return owners[0], shown, nil
	}
	return "", "", newOwnerError(shown, owners, shownURI)
}

// Incoming returns the params of a request or notification from a client as the server knows them, and the slug of this
// server. The slug is empty if the params name no server, as in a request for a list. Params may also be a client's
// answer to a request of a server. If a name does not belong to exactly one server, the error is an *OwnerError.
//
// As in Outgoing, all bytes other than names stay as they are, and params that need no change or are not valid JSON are
// returned as they are. Incoming does not change the names of tools and prompts in tools/call and prompts/get; package
// resolve finds their servers. Do not call Incoming for subscriptions/listen, which may name several servers.
func (s Servers) Incoming(method string, params json.RawMessage) (slug string, out json.RawMessage, err error) {
	if !jsonscan.Valid(params) {
		return "", params, nil
	}
	var edits []edit
	switch method {
	case "resources/read", "resources/subscribe", "resources/unsubscribe", "resources/directory/read", "skills/get":
		slug, edits, err = own(s.ownURI, params, "uri")
	case "tasks/get", "tasks/result", "tasks/update", "tasks/cancel":
		slug, edits, err = own(s.ownTask, params, "taskId")
	case "completion/complete":
		switch ref := jsonrpc.Get(params, "ref"); jsonrpc.GetString(ref, "type") {
		case "ref/resource":
			slug, edits, err = own(s.ownURI, params, "ref", "uri")
		case "ref/prompt":
			slug, edits, err = own(s.ownPrompt, params, "ref", "name")
		}
	}
	if err != nil {
		return "", params, err
	}
	// The related task may also be a task of the client itself, whose id has no slug.
	related, tasks, err := own(s.ownTask, params, "_meta", relatedTask, "taskId")
	if err == nil && (slug == "" || slug == related) {
		slug, edits = related, append(edits, tasks...)
	}
	if len(edits) == 0 {
		return slug, params, nil
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	return slug, splice(params, edits), nil
}

// owner is a function for the JSON string data[at:end]. It returns the slug of the server that the string
// names, and the edits that give the string the form that the server knows.
type owner func(data []byte, at, end int) (slug string, edits []edit, err error)

// own calls an owner with the string at a path of member names. It returns zero values if there is no string.
func own(of owner, data []byte, path ...string) (slug string, edits []edit, err error) {
	at, end, ok := find(data, '"', path...)
	if !ok {
		return "", nil, nil
	}
	return of(data, at, end)
}

// find returns the position of the value at a path of member names; ok is false unless the value begins with
// the given byte.
func find(data []byte, begin byte, path ...string) (from, to int, ok bool) {
	to = len(data)
	for _, name := range path {
		start, end := jsonscan.Find(data[from:to], name)
		if start < 0 {
			return 0, 0, false
		}
		from, to = from+start, from+end
	}
	return from, to, data[from] == begin
}

func (s Servers) ownURI(data []byte, at, end int) (slug string, edits []edit, err error) {
	if slug, from, to, ok := split(data[at+1:end-1], true, s.Known); ok {
		return slug, []edit{{at + 1 + from, at + 1 + to, ""}}, nil
	}
	shown, _ := jsonscan.String(data[at:end])
	slug, _, err = s.uri(shown)
	return slug, nil, err
}

func (s Servers) ownTask(data []byte, at, end int) (slug string, edits []edit, err error) {
	slug, to, ok := slugAt(data[at+1:end-1], 0, '+', true)
	if !ok || !s.Known(slug) {
		shown, _ := jsonscan.String(data[at:end])
		return "", nil, newOwnerError(shown, nil, shownTaskID)
	}
	return slug, []edit{{at + 1, at + 1 + to, ""}}, nil
}

func (s Servers) ownPrompt(data []byte, at, end int) (slug string, edits []edit, err error) {
	if s.Prompt == nil {
		return "", nil, nil
	}
	shown, _ := jsonscan.String(data[at:end])
	slug, name, err := s.Prompt(shown)
	if err != nil || name == shown {
		return slug, nil, err
	}
	return slug, []edit{{at, end, string(jsonrpc.Quote(name))}}, nil
}
