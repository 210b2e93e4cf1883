package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	maxOutput = 500 // lines in an answer; more are not kept
	// outputEvery is how long lines may wait to be pushed, so that those of one
	// moment are one message.
	outputEvery = 200 * time.Millisecond
	maxPushed   = 200 // lines in a message
	maxFollowed = 16  // servers of one client
)

type outputInput struct {
	ID    string `path:"id"`
	Lines int    `query:"lines" minimum:"1" maximum:"500" default:"500" doc:"how many at most, the last ones"`
}

// OutputLine is a line that a server's process wrote to its standard error, as
// the API shows it.
type OutputLine struct {
	N    int64  `json:"n" doc:"rises with each line of a server, also when the hub starts anew; the same line has the same number in a pushed message"`
	At   string `json:"at" doc:"when it was written, UTC"`
	Text string `json:"text" doc:"secrets are covered; what is over 8 kB is left out"`
}

type outputReply struct {
	Lines []OutputLine `json:"lines" doc:"oldest first"`
}

func (t target) outputRoute(api huma.API) {
	route(api, http.MethodGet, t.path+"/output", "What its process last wrote to standard error", t.output)
}

// output is there for a process that has ended, too; a remote server has none.
func (t target) output(_ context.Context, in *outputInput) (*reply[outputReply], error) {
	v, err := t.known(in.ID)
	if err != nil {
		return nil, t.missing(err)
	}
	lines, _ := t.Upstream.Output(v.Name, min(in.Lines, maxOutput), 0)
	return ok(outputReply{outputLines(lines)})
}

func outputLines(lines []upstream.Line) []OutputLine {
	out := make([]OutputLine, len(lines))
	for i, l := range lines {
		out[i] = OutputLine{l.N, stampOf(l.At), l.Text}
	}
	return out
}

// outputMessage tells new lines; left is how many were too many.
func outputMessage(server string, lines []upstream.Line, left int64) any {
	return struct {
		Type   string       `json:"type"`
		Server string       `json:"serverName"`
		Left   int64        `json:"left_out,omitempty"`
		Lines  []OutputLine `json:"lines"`
	}{"output", server, left, outputLines(lines)}
}

// tellOutput sends the lines that were written since to everybody who follows
// their server.
func (p *pusher) tellOutput() {
	type place struct {
		server string
		after  int64
	}
	type news struct {
		message []byte
		end     int64
	}
	made := make(map[place]news)
	for _, c := range p.all() {
		for server, after := range c.followed() {
			at := place{server, after}
			said, ok := made[at]
			if !ok {
				if lines, left := p.Upstream.Output(server, maxPushed, after); len(lines) > 0 {
					said = news{encode(outputMessage(server, lines, left)), lines[len(lines)-1].N}
				}
				made[at] = said
			}
			if said.message != nil && c.hasRead(server, said.end) {
				c.send(said.message)
			}
		}
	}
}

// follow sends a client the lines of a server from now on.
func (c *client) follow(server string, end int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, already := c.follows[server]; already {
		return nil
	}
	if len(c.follows) >= maxFollowed {
		return fault.New(fault.Busy, "%d servers are followed already; unfollow one first", maxFollowed)
	}
	if c.follows == nil {
		c.follows = make(map[string]int64)
	}
	c.follows[server] = end
	return nil
}

func (c *client) unfollow(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.follows, server)
}

func (c *client) followed() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.follows)
}

// hasRead notes how far a client has got with a server; false when it does not
// follow it any more.
func (c *client) hasRead(server string, end int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, still := c.follows[server]; !still {
		return false
	}
	c.follows[server] = end
	return true
}

// all returns the clients that are there now.
func (p *pusher) all() []*client {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.clients))
}

// attend serves a client's follow and unfollow, and returns what is wrong.
func (p *pusher) attend(c *client, kind, server string) (problem string) {
	if server == "" {
		return fmt.Sprintf("%s needs the name of a server", kind)
	}
	if kind == "unfollow" {
		c.unfollow(server)
		return ""
	}
	if err := c.follow(server, p.Upstream.OutputEnd(server)); err != nil {
		return fault.MessageOf(err)
	}
	return ""
}
