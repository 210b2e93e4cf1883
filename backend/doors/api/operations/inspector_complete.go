package operations

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

type completeFields struct {
	Prompt    string          `json:"prompt,omitempty" doc:"Name of the prompt that has the argument."`
	Template  string          `json:"template,omitempty" doc:"Instead of prompt, URI template that has the variable."`
	Argument  string          `json:"argument" doc:"Name of the argument or variable."`
	Value     string          `json:"value,omitempty" doc:"Beginning of the value, as entered so far."`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"Object with the values of the other arguments or variables, as strings."`
}

// complete returns a server's suggestions for an argument of a prompt or a variable of a resource template.
func (of inspected) complete(ctx context.Context, in *serverBody[completeFields]) (*route.Raw, error) {
	if _, err := of.ready(in.ID); err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if (body.Prompt == "") == (body.Template == "") {
		return nil, route.BadRequest("either prompt or template is required")
	}
	if body.Argument == "" {
		return nil, route.BadRequest("argument is required")
	}
	ref := jsonrpc.Set(jsonrpc.Set(nil, "type", jsonrpc.Quote("ref/prompt")), "name", jsonrpc.Quote(body.Prompt))
	if body.Template != "" {
		ref = jsonrpc.Set(jsonrpc.Set(nil, "type", jsonrpc.Quote("ref/resource")), "uri", jsonrpc.Quote(body.Template))
	}
	argument := jsonrpc.Set(jsonrpc.Set(nil, "name", jsonrpc.Quote(body.Argument)), "value", jsonrpc.Quote(body.Value))
	params := jsonrpc.Set(jsonrpc.Set(nil, "ref", ref), "argument", argument)
	if others := string(body.Arguments); others != "" && others != "null" && others != "{}" {
		params = jsonrpc.Set(params, "context", jsonrpc.Set(nil, "arguments", body.Arguments))
	}
	result, err := of.ask(ctx, in.ID, inspector.Query{Method: "completion/complete", Params: params})
	if err != nil {
		return nil, err
	}
	completion := jsonrpc.Get(result, "completion")
	if jsonrpc.Get(completion, "values") == nil {
		completion = jsonrpc.Set(orObject(nil), "values", json.RawMessage("[]"))
	}
	return route.RawJSON(completion)
}
