package push

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxExchange is how many bytes of servers' messages are in one message to a client.
const maxExchange = 256 << 10

// watch is what a client has got of a server's messages.
type watch struct {
	after int64 // number of the last message sent
	stop  func()
}

// passMessages sends messages of servers until ctx ends. It has a goroutine of its own, because secrets are masked when
// messages are read, and that takes time for long texts.
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

// sendMessages sends new messages of servers to the clients that follow them. Clients that have received the same
// messages so far share a message.
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
		events.Publish(p.bus, upstream.Exchanged{Server: rest}) // sends the rest after the interval
	}
}

// setWatching carries out a client's request to follow or unfollow the messages of a server. It returns what is wrong
// with the request; "" if nothing. A client that follows gets the messages that are recorded already.
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

// watchServer adds a server to those whose messages the client follows.
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

// unwatchAll ends the recording for a client that has left.
func (c *client) unwatchAll() {
	for server := range c.watched() {
		c.unwatch(server)
	}
}

// watched returns the number of the last message sent, by server.
func (c *client) watched() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]int64, len(c.watches))
	for server, w := range c.watches {
		out[server] = w.after
	}
	return out
}

// advanceWatch records that the client is sent a server's messages up to end. It returns false when the client has
// stopped following them.
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
