package gateway

import (
	"errors"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// teaches reports whether the searcher learns from this session. It does not
// learn from the command line, where people try queries out.
func (s *Session) teaches() bool { return s.client().Name != commandLineClient }

// asked records the answers to the queries of one find_tool or find_tools
// request.
func (s *Session) asked(answers ...learning.Answer) {
	if s.teaches() {
		s.gateway.learning.Asked(s.id, answers...)
	}
}

// answerTo returns an answer: a query and the tools in the reply to it, best
// first.
func answerTo(query string, tools []*catalog.Tool) learning.Answer {
	shown := make([]catalog.Key, len(tools))
	for i, tool := range tools {
		shown[i] = tool.Key()
	}
	return learning.Answer{Query: query, Shown: shown}
}

// called records whether a tool call succeeded. Calls that were refused, were
// cancelled or did not reach the server are not recorded: they prove nothing
// about the tool.
func (s *Session) called(r call.Request, result call.Result, err error) {
	if rpc := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &rpc) || !s.teaches() {
		return
	}
	s.gateway.learning.Called(s.id, catalog.Key{Server: r.Server, Tool: r.Tool}, err == nil && !result.ToolError)
}
