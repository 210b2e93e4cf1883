package gateway

import (
	"errors"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
)

// teaches reports whether something is to be learned of this session: a person
// at the command line tries things out.
func (s *Session) teaches() bool { return s.client().Name != ourOwn }

// asked records the answers of one find_tool or find_tools request.
func (s *Session) asked(answers ...learning.Answer) {
	if s.teaches() {
		s.gateway.Learning.Asked(s.id, answers...)
	}
}

// answerTo pairs a query with the tools that it was answered with, the best
// first.
func answerTo(query string, tools []*catalog.Tool) learning.Answer {
	shown := make([]catalog.Key, len(tools))
	for i, tool := range tools {
		shown[i] = tool.Key()
	}
	return learning.Answer{Query: query, Shown: shown}
}

// called tells how a tool answered a call of this session. That a call was
// refused, cancelled, or failed on its way says nothing of the tool.
func (s *Session) called(r proxy.Request, result proxy.Result, err error) {
	if rpc := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &rpc) || !s.teaches() {
		return
	}
	s.gateway.Learning.Called(s.id, catalog.Key{Server: r.Server, Tool: r.Tool}, err == nil && !result.ToolError)
}
