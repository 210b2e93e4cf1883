package push

import (
	"fmt"
	"maps"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

const (
	// outputInterval is the shortest time between two messages with lines of output.
	outputInterval = 200 * time.Millisecond
	maxLines       = 200 // lines in a message
	maxFollowed    = 16  // servers that one client follows
)

// sendOutput sends each client the new lines of output of the servers that it follows. Clients that have received the
// lines of a server up to the same number get the same update, which is encoded only once.
func (p *Pusher) sendOutput() {
	type position struct {
		server string
		after  int64
	}
	type update struct {
		message []byte
		end     int64
	}
	updates := make(map[position]update)
	for _, c := range p.all() {
		c.mu.Lock()
		follows := maps.Clone(c.follows)
		c.mu.Unlock()
		for server, after := range follows {
			at := position{server, after}
			next, ok := updates[at]
			if !ok {
				if lines, left := p.output.Output(server, maxLines, after); len(lines) > 0 {
					next = update{
						encodeMessage(outputMessage{"output", server, left, operations.OutputLines(lines)}), lines[len(lines)-1].N,
					}
				}
				updates[at] = next
			}
			if next.message != nil && c.advance(server, next.end) {
				c.send(next.message)
			}
		}
	}
}

// setFollowing carries out a client's request to follow or unfollow the output or the messages of a server. It
// returns a description of the problem with the request, or "" if there is none.
func (p *Pusher) setFollowing(c *client, kind, what, server string) (problem string) {
	switch {
	case server == "":
		return fmt.Sprintf("%s needs the name of a server", kind)
	case what == "messages":
		return p.setWatching(c, kind, server)
	case what != "" && what != "output":
		return "Unknown thing to follow: " + sanitize(what)
	}
	if kind == "unfollow" {
		c.mu.Lock()
		delete(c.follows, server)
		c.mu.Unlock()
		return ""
	}
	if err := c.follow(server, p.output.OutputEnd(server)); err != nil {
		return fault.MessageOf(err)
	}
	return ""
}

// follow makes the client follow a server's lines whose numbers are greater than after.
func (c *client) follow(server string, after int64) error {
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
	c.follows[server] = after
	return nil
}

// advance records that the lines of a server up to the number end are sent to the client. It returns false if the
// client has unfollowed the server.
func (c *client) advance(server string, end int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, still := c.follows[server]; !still {
		return false
	}
	c.follows[server] = end
	return true
}
