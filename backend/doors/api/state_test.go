package api

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

func TestTheSumOfToolsChangesWithThem(t *testing.T) {
	tool := func(id int64, definition string, tokens int) *catalog.Tool {
		return &catalog.Tool{ID: id, Name: "t", Definition: json.RawMessage(definition), Tokens: tokens}
	}
	one := sumOf([]*catalog.Tool{tool(1, `{"name":"t"}`, 0)})
	if again := sumOf([]*catalog.Tool{tool(1, `{"name":"t"}`, 7)}); again != one || one > 1<<53-1 {
		t.Errorf("the same tool, counted, has %d, then %d", one, again)
	}
	for name, tools := range map[string][]*catalog.Tool{
		"none":               nil,
		"another definition": {tool(1, `{"name":"t","x":1}`, 0)},
		"another number":     {tool(2, `{"name":"t"}`, 0)},
		"two":                {tool(1, `{"name":"t"}`, 0), tool(1, `{"name":"t"}`, 0)},
	} {
		if sumOf(tools) == one {
			t.Errorf("%s has the same sum", name)
		}
	}
}

func TestAChangeThatIsNotOfferedYetIsNotTakenForSent(t *testing.T) {
	b := &board{rev: 1}
	c := &client{woken: make(chan struct{}, 1), state: delta, greeted: true, has: 1}
	b.rev++ // somebody has looked at what changed, and is about to offer it
	if data, _ := c.next(b); data != nil {
		t.Fatalf("it was sent %s and asked for nothing", data)
	}
	c.offer()
	if data, _ := c.next(b); data == nil {
		t.Error("the change is lost")
	}
}
