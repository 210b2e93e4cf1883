package push

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestTheSumChangesWithTheIDsAndDefinitionsOfTools(t *testing.T) {
	tool := func(id int64, definition string, tokens int) *catalog.Tool {
		return &catalog.Tool{ID: id, Name: "t", Definition: json.RawMessage(definition), Tokens: tokens}
	}
	sum := sumOf([]*catalog.Tool{tool(1, `{"name":"t"}`, 0)})
	if counted := sumOf([]*catalog.Tool{tool(1, `{"name":"t"}`, 7)}); counted != sum || sum > 1<<53-1 {
		t.Errorf("sum = %d, and %d once the tokens are counted", sum, counted)
	}
	for name, tools := range map[string][]*catalog.Tool{
		"no tool":            nil,
		"another definition": {tool(1, `{"name":"t","x":1}`, 0)},
		"another id":         {tool(2, `{"name":"t"}`, 0)},
		"two tools":          {tool(1, `{"name":"t"}`, 0), tool(1, `{"name":"t"}`, 0)},
	} {
		if sumOf(tools) == sum {
			t.Errorf("%s: the sum is the same", name)
		}
	}
}

func TestAChangeOfTheStateIsSentAfterItIsOffered(t *testing.T) {
	cache := &stateCache{revision: 1}
	c := &client{woken: make(chan struct{}, 1), onChange: delta, greeted: true, has: 1}
	cache.revision++ // the cache has changed, but offer is not called yet
	if data, _ := c.next(cache); data != nil {
		t.Fatalf("before the offer, the client is sent %s", data)
	}
	c.offer()
	if data, _ := c.next(cache); data == nil {
		t.Error("after the offer, the client is sent nothing")
	}
}
