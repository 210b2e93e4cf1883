package gateway

import (
	"errors"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// lessons passes the queries and calls of one session to the search, which learns from them. It ignores the command
// line, where people try queries out.
type lessons struct {
	learner *learning.Learning
	client  *clientInfo
}

// asked records the answers to the queries of one find_tool or find_tools
// request.
func (l *lessons) asked(answers ...learning.Answer) {
	if !l.client.isCommandLine() {
		l.learner.Asked(l.client.session, answers...)
	}
}

// called records whether a tool call succeeded. Calls that were refused, were
// cancelled or did not reach the server are not recorded: they prove nothing
// about the tool.
func (l *lessons) called(r call.Request, result call.Result, err error) {
	if rpc := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &rpc) || l.client.isCommandLine() {
		return
	}
	l.learner.Called(l.client.session, catalog.Key{Server: r.Server, Tool: r.Tool}, err == nil && !result.ToolError)
}
