package cli

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// metaReply calls a tool of the surface meta and decodes its reply into out. text is the
// reply as the hub sent it.
func (p *program) metaReply(ctx context.Context, tool string, arguments, out any) (text string, err error) {
	s, err := p.sessionOn(ctx, surfaces.Meta)
	if err != nil {
		return "", err
	}
	defer s.close()
	raw, err := json.Marshal(arguments)
	if err != nil {
		return "", err
	}
	result, err := s.callTool(ctx, tool, raw)
	if err != nil {
		return "", failedCall(err)
	}
	text = textOf(result)
	if string(jsonrpc.Get(result, "isError")) == "true" {
		return "", metaFailure(json.RawMessage(text))
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return "", fault.New(fault.Failed, "%s", text)
	}
	return text, nil
}

// metaFailure returns the error for a failure of a tool of the surface meta.
func metaFailure(reply json.RawMessage) error {
	failure := jsonrpc.Get(reply, "error")
	kind := fault.Failed
	switch jsonrpc.GetString(failure, "code") {
	case "TOOL_VALIDATION_ERROR":
		kind = fault.Invalid
	case "TOOL_NOT_FOUND":
		kind = fault.NotFound
	case "TOOL_DISABLED", "CONFIGURATION_ERROR":
		kind = fault.Denied
	}
	return fault.New(kind, "%s", jsonrpc.GetString(failure, "message"))
}
