package gateway

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// translation translates between the names and URIs of servers and the forms in which clients are shown them.
type translation struct {
	registry *registry.Registry
	catalog  *catalog.Catalog
	features *features.Keeper
	slugs    *slugs
}

// Shown returns a result of a server, or the params of its notification or request, with the names and URIs that
// clients are shown. It does not change URIs that are equal to bare.
func (t *translation) Shown(server, method string, message json.RawMessage, bare string) json.RawMessage {
	s, err := t.registry.Get(server)
	if err != nil {
		return message // removed meanwhile
	}
	return names.OutgoingExcept(bare, t.slugs.of(s), method, message)
}

// Incoming returns the params of a client's request, or of its answer to a server, with the server's own names
// and URIs, and the name of the server. The name is empty if the params name no server. Only servers for which
// serves returns true are considered, or all if serves is nil.
func (t *translation) Incoming(
	serves func(server string) bool, method string, params json.RawMessage,
) (server string, own json.RawMessage, err error) {
	switch method {
	case "prompts/get":
		name := jsonrpc.GetString(params, "name")
		if name == "" {
			return "", nil, nil
		}
		server, prompt, err := t.resolvePrompt(name, serves)
		return server, jsonrpc.Set(params, "name", jsonrpc.Quote(prompt)), err
	case "resources/read", "resources/subscribe", "resources/unsubscribe", "completion/complete",
		"sampling/createMessage", "elicitation/create", "tasks/get", "tasks/result", "tasks/cancel", "tasks/update":
	default:
		return "", params, nil
	}
	n := t.among(serves)
	slug, own, err := names.Servers{Known: n.known, Owners: n.owners, Prompt: n.prompt}.Incoming(method, params)
	if unowned, ok := errors.AsType[*names.OwnerError](err); ok {
		return "", nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", unowned)
	}
	if err != nil {
		return "", nil, err
	}
	return n.servers[slug].Name, own, nil
}

// naming finds the usable server that a request names.
type naming struct {
	*translation
	servers map[string]registry.Server // by slug
	serves  func(server string) bool   // reports whether a server is considered; nil for all
}

func (t *translation) among(serves func(server string) bool) naming {
	n := naming{t, make(map[string]registry.Server), serves}
	for _, server := range t.registry.List() {
		if server.Usable() == nil && (serves == nil || serves(server.Name)) {
			n.servers[t.slugs.of(server)] = server
		}
	}
	return n
}

func (n naming) known(slug string) bool {
	_, known := n.servers[slug]
	return known
}

// owners returns the slugs of the servers that a URI may belong to. These are the servers that list a resource with
// this URI, a template that the URI may be an expansion of, or a tool whose view has this URI.
func (n naming) owners(uri string) (owners []string) {
	for slug, server := range n.servers {
		if n.owns(server.Name, uri) {
			owners = append(owners, slug)
		}
	}
	return owners
}

func (n naming) owns(server, uri string) bool {
	for _, resource := range n.features.Of(server, features.Resources) {
		if jsonrpc.GetString(resource, "uri") == uri {
			return true
		}
	}
	for _, template := range n.features.Of(server, features.Templates) {
		text := jsonrpc.GetString(template, "uriTemplate")
		if text == uri || matchesTemplate(text, uri) {
			return true
		}
	}
	return strings.HasPrefix(uri, "ui://") && slices.ContainsFunc(n.catalog.Snapshot().Of(server), func(t *catalog.Tool) bool {
		return names.ViewURI(t.Definition) == uri
	})
}

// expression matches one expression of a URI template (RFC 6570).
var expression = regexp.MustCompile(`\{[^{}]*\}`)

// matchesTemplate reports whether a URI may be an expansion of a template. The
// values of variables are not checked.
func matchesTemplate(template, uri string) bool {
	literal := expression.Split(template, -1)
	if len(literal) == 1 {
		return false
	}
	for i, part := range literal {
		literal[i] = regexp.QuoteMeta(part)
	}
	pattern, err := regexp.Compile("^" + strings.Join(literal, ".*") + "$")
	return err == nil && pattern.MatchString(uri)
}

func (n naming) prompt(shown string) (slug, name string, err error) {
	server, name, err := n.resolvePrompt(shown, n.serves)
	if err != nil {
		return "", "", err
	}
	s, err := n.registry.Get(server)
	if err == nil {
		err = s.Usable()
	}
	return n.slugs.of(s), name, err
}

// resolvePrompt returns the server of a prompt and the prompt's name on that server. It considers only servers for
// which serves returns true, or all if serves is nil.
func (t *translation) resolvePrompt(shown string, serves func(server string) bool) (server, name string, err error) {
	exists := func(server string) bool {
		_, err := t.registry.Get(server)
		return err == nil && (serves == nil || serves(server))
	}
	ways := resolve.Split(shown, "__", exists)
	for _, way := range ways {
		if t.listsPrompt(way.Server, way.Name) {
			return way.Server, way.Name, nil
		}
	}
	if len(ways) > 0 {
		return ways[0].Server, ways[0].Name, nil
	}
	var owners, candidates []string
	for _, server := range t.registry.List() {
		if server.Usable() == nil && exists(server.Name) && t.listsPrompt(server.Name, shown) {
			owners, candidates = append(owners, server.Name), append(candidates, names.Full(server.Name, shown))
		}
	}
	if len(owners) == 1 {
		return owners[0], shown, nil
	}
	return "", "", jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", &names.OwnerError{Name: shown, Candidates: candidates})
}

func (t *translation) listsPrompt(server, name string) bool {
	return slices.ContainsFunc(t.features.Of(server, features.Prompts), func(definition json.RawMessage) bool {
		return jsonrpc.GetString(definition, "name") == name
	})
}
