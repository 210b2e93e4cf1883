package operations

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

type pageInput struct {
	ServerInput
	Cursor string `query:"cursor" doc:"nextCursor of the previous page."`
}

func (of inspected) resources(ctx context.Context, in *pageInput) (*route.Raw, error) {
	return of.list(ctx, in, "resources/list", "resources")
}

func (of inspected) templates(ctx context.Context, in *pageInput) (*route.Raw, error) {
	return of.list(ctx, in, "resources/templates/list", "resourceTemplates")
}

func (of inspected) prompts(ctx context.Context, in *pageInput) (*route.Raw, error) {
	return of.list(ctx, in, "prompts/list", "prompts")
}

// list sends a list request to a server. It returns the named member of the result, and nextCursor if the server sent
// it.
func (of inspected) list(ctx context.Context, in *pageInput, method, member string) (*route.Raw, error) {
	var params json.RawMessage
	if in.Cursor != "" {
		params = jsonrpc.Set(nil, "cursor", jsonrpc.Quote(in.Cursor))
	}
	result, err := of.ask(ctx, in.ID, inspector.Query{Method: method, Params: params})
	if err != nil {
		return nil, err
	}
	items := jsonrpc.Get(result, member)
	if items == nil {
		items = json.RawMessage("[]")
	}
	body := jsonrpc.Set(nil, member, items)
	if cursor := jsonrpc.Get(result, "nextCursor"); cursor != nil {
		body = jsonrpc.Set(body, "nextCursor", cursor)
	}
	return route.RawJSON(body)
}

type uriFields struct {
	URI string `json:"uri" doc:"URI of the resource."`
}

// resourceURI checks that requests to the server are allowed, and returns the URI in the body.
func (of inspected) resourceURI(in *serverBody[uriFields]) (string, error) {
	if _, err := of.ready(in.ID); err != nil {
		return "", err
	}
	body, err := in.Decode()
	if err != nil {
		return "", err
	}
	if body.URI == "" {
		return "", route.BadRequest("uri is required")
	}
	return body.URI, nil
}

func (of inspected) readResource(ctx context.Context, in *serverBody[uriFields]) (*route.Raw, error) {
	uri, err := of.resourceURI(in)
	if err != nil {
		return nil, err
	}
	result, err := of.ask(ctx, in.ID, inspector.Query{Method: "resources/read", Params: jsonrpc.Set(nil, "uri", jsonrpc.Quote(uri))})
	if err != nil {
		return nil, err
	}
	return route.RawJSON(result)
}

func (of inspected) subscribe(ctx context.Context, in *serverBody[uriFields]) (*route.Reply[done], error) {
	return of.setSubscription(ctx, in, "resources/subscribe")
}

func (of inspected) unsubscribe(ctx context.Context, in *serverBody[uriFields]) (*route.Reply[done], error) {
	return of.setSubscription(ctx, in, "resources/unsubscribe")
}

func (of inspected) setSubscription(ctx context.Context, in *serverBody[uriFields], method string) (*route.Reply[done], error) {
	uri, err := of.resourceURI(in)
	if err != nil {
		return nil, err
	}
	if _, err := of.ask(ctx, in.ID, inspector.Query{Method: method, Params: jsonrpc.Set(nil, "uri", jsonrpc.Quote(uri))}); err != nil {
		return nil, err
	}
	return route.OK(done{true})
}
