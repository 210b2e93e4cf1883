package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

type outputInput struct {
	ServerInput
	Lines int `query:"lines" minimum:"1" maximum:"500" default:"500" doc:"Maximum number of lines."`
}

// OutputLine is the API's view of a line that a server's process wrote to standard error.
type OutputLine struct {
	N    int64  `json:"n" doc:"Number of the line. Numbers increase with each line of a server, even across restarts of the hub. Messages on the WebSocket use the same numbers."`
	At   string `json:"at" doc:"Time at which the line was written, in UTC."`
	Text string `json:"text" doc:"The line, cut off after 8 kB. Known secrets are masked."`
}

// OutputLines returns the API's views of lines of output.
func OutputLines(lines []upstream.Line) []OutputLine {
	out := make([]OutputLine, len(lines))
	for i, l := range lines {
		out[i] = OutputLine{l.N, Timestamp(l.At), l.Text}
	}
	return out
}

type outputReply struct {
	Lines []OutputLine `json:"lines" doc:"The last lines, oldest first. Remote servers have none."`
}

// output returns the last lines of standard error, also of a process that has ended.
func (of inspected) output(_ context.Context, in *outputInput) (*route.Reply[outputReply], error) {
	v, err := of.known(in.ID)
	if err != nil {
		return nil, of.missing(err)
	}
	lines, _ := of.Output(v.Name, in.Lines, 0)
	return route.OK(outputReply{OutputLines(lines)})
}
