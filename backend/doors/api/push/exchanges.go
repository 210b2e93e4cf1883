package push

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxExchange limits the JSON-RPC messages of a server that are sent to a client in one WebSocket message, in bytes.
const maxExchange = 256 << 10

// watch says which JSON-RPC messages of a server a client has received.
type watch struct {
	after int64 // number of the last message sent
	stop  func()
}

// passMessages sends the JSON-RPC messages of servers to clients until ctx ends. It runs in its own goroutine,
// because it masks secrets in the messages, which takes time for long texts.
func (p *Pusher) passMessages(ctx context.Context, limit *pace) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-limit.moved:
			limit.step(false, p.sendMessages)
		case <-limit.due:
			limit.step(true, p.sendMessages)
		}
	}
}

// sendMessages sends each client the new JSON-RPC messages of the servers that it follows. Clients that have received
// the messages of a server up to the same number get the same update, which is encoded only once.
func (p *Pusher) sendMessages() {
	type position struct {
		server string
		after  int64
	}
	type update struct {
		message []byte
		end     int64
	}
	updates, rest := make(map[position]update), ""
	for _, c := range p.all() {
		for server, after := range c.watched() {
			at := position{server, after}
			next, ok := updates[at]
			if !ok {
				list, missed, more := p.output.Messages(server, after, maxExchange)
				if len(list) > 0 {
					next = update{
						encodeMessage(exchangeMessage{"messages", server, missed, operations.ServerMessages(list)}), list[len(list)-1].N,
					}
				}
				if more {
					rest = server
				}
				updates[at] = next
			}
			if next.message != nil && c.advanceWatch(server, next.end) {
				c.send(next.message)
			}
		}
	}
	if rest != "" {
		events.Publish(p.bus, upstream.Exchanged{Server: rest}) // makes passMessages send the rest after the interval
	}
}

// setWatching carries out a client's request to follow or unfollow the messages of a server. A client that begins to
// follow gets the recorded messages first. setWatching returns a description of the problem with the request, or ""
// if there is none.
func (p *Pusher) setWatching(c *client, kind, server string) (problem string) {
	c.unwatch(server)
	if kind == "unfollow" {
		return ""
	}
	stop, err := p.output.Watch(server)
	if err == nil {
		err = c.watchServer(server, stop)
	}
	if err != nil {
		return fault.MessageOf(err)
	}
	events.Publish(p.bus, upstream.Exchanged{Server: server})
	return ""
}

// watchServer makes the client follow the messages of a server. unwatch calls stop, which ends their recording. If
// the client follows too many servers, watchServer calls stop itself and returns an error.
func (c *client) watchServer(server string, stop func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.watches) >= maxFollowed {
		stop()
		return fault.New(fault.Busy, "the messages of %d servers are followed already; unfollow one first", maxFollowed)
	}
	if c.watches == nil {
		c.watches = make(map[string]watch)
	}
	c.watches[server] = watch{0, stop}
	return nil
}

func (c *client) unwatch(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.watches[server]; ok {
		w.stop()
		delete(c.watches, server)
	}
}

// watched returns, by server, the number of the last message that the hub has sent to the client.
func (c *client) watched() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]int64, len(c.watches))
	for server, w := range c.watches {
		out[server] = w.after
	}
	return out
}

// advanceWatch records that the messages of a server up to the number end are sent to the client. It returns false if
// the client has unfollowed them.
func (c *client) advanceWatch(server string, end int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, still := c.watches[server]
	if still {
		w.after = end
		c.watches[server] = w
	}
	return still
}
