package gateway

import (
	"encoding/json"
	"sync"
)

// changes notifies the client of a session when the lists that the client was shown, or the resources and tasks that it
// listens to, have changed. It is safe for concurrent use.
type changes struct {
	client *clientInfo
	list   *toolList
	peer   Peer
	moved  func() // called when the tool list has changed
	outbox outbox
	over   chan struct{} // closed at the end of run

	mu        sync.Mutex
	listeners map[*listener]bool
}

// run sends the client notifications until the client has left.
func (c *changes) run() {
	defer close(c.over)
	for {
		select {
		case <-c.outbox.wake:
			c.announceTools()
			_ = c.outbox.send(c.peer) // an error ends the connection
		case <-c.peer.Done():
			return
		}
	}
}

// announce sends a notification without waiting.
func (c *changes) announce(method string, params json.RawMessage) {
	c.outbox.put(notification{method: method, params: params})
}

// announceTools sends notifications/tools/list_changed if the list of the
// session's tools has changed.
func (c *changes) announceTools() {
	c.mu.Lock()
	listens := len(c.listeners) > 0
	c.mu.Unlock()
	if (c.client.isReady() || listens) && c.list.changed() {
		c.moved()
		c.announceList("notifications/tools/list_changed")
	}
}

// announceList tells the client that a list has changed. A legacy client gets one notification, a modern client one on
// each listen request that asks for it.
func (c *changes) announceList(method string) {
	if c.client.isReady() && c.promised(method) {
		c.announce(method, nil)
	}
	for _, l := range c.listenersOf(method) {
		l.announce(method, nil)
	}
}

// announceLists calls announceList for all lists other than the list of tools.
func (c *changes) announceLists() {
	for _, l := range shownLists {
		c.announceList(l.changed)
	}
}

// promised reports whether the hub's answer to initialize said that a list may change. method is the
// notification of its changes.
func (c *changes) promised(method string) bool {
	for _, list := range listFlags {
		if list.method == method {
			return offers(c.client.offeredCapability(list.capability), "listChanged")
		}
	}
	return false
}

// add adds a listen request. It returns false if too many are open.
func (c *changes) add(l *listener) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.listeners) >= maxListens {
		return false
	}
	if c.listeners == nil {
		c.listeners = make(map[*listener]bool)
	}
	c.list.noteFirst()
	c.listeners[l] = true
	return true
}

func (c *changes) remove(l *listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.listeners, l)
}

// listenersOf returns the listen requests that want a notification of a changed list.
func (c *changes) listenersOf(method string) (to []*listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := range c.listeners {
		if l.lists[method] {
			to = append(to, l)
		}
	}
	return to
}
