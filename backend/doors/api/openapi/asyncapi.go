package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Message describes a type of message on the WebSocket.
type Message struct {
	Name, Description string
	FromClient        bool
	Type              reflect.Type
}

// Channel describes the WebSocket.
type Channel struct {
	Limits   string // when the hub closes a WebSocket
	Messages []Message
}

// object is a JSON object of the AsyncAPI document.
type object = map[string]any

// asyncDocument returns the AsyncAPI document of the WebSocket. It has its own schemas, so the OpenAPI document does
// not change.
func (c Channel) asyncDocument(version string) object {
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	messages, all := object{}, object{}
	byDirection := map[bool][]object{}
	for _, m := range c.Messages {
		all[m.Name] = object{
			"name": m.Name, "summary": m.Description, "contentType": "application/json", "payload": schemas.Schema(m.Type, true, ""),
		}
		messages[m.Name] = object{"$ref": "#/components/messages/" + m.Name}
		byDirection[m.FromClient] = append(byDirection[m.FromClient], object{"$ref": "#/channels/events/messages/" + m.Name})
	}
	channel := object{"$ref": "#/channels/events"}
	flag := func(value, doc string) object {
		return object{"type": "string", "enum": []string{value}, "description": doc}
	}
	return object{
		"asyncapi": "3.0.0",
		"info":     object{"title": "Agent Discover events", "version": version, "description": "The WebSocket of the hub. " + c.Limits},
		"channels": object{"events": object{
			"address": "/ws", "description": "Open it at / or /ws with the token or with a ticket.", "messages": messages,
			"bindings": object{"ws": object{"method": "GET", "query": object{"type": "object", "properties": object{
				"deltas": flag("changed", "After a change, send only the servers that changed, and the names of all."),
				"tools":  flag("none", "Send no tools, but tools_rev."),
				"hub":    flag("1", "Send the status of the hub."),
				"ticket": object{"type": "string", "description": "A ticket for the purpose socket, instead of the token."},
			}}}},
		}},
		"operations": object{
			"pushEvents": object{"action": "send", "channel": channel, "messages": byDirection[false]},
			"request":    object{"action": "receive", "channel": channel, "messages": byDirection[true]},
		},
		"components": object{"messages": all, "schemas": schemas.Map()},
	}
}

// show returns the section about the WebSocket for the documentation page. It adds the schemas of the messages to
// schemas.
func (c Channel) show(schemas huma.Registry) docChannel {
	shown := docChannel{Limits: c.Limits}
	for _, m := range c.Messages {
		schema := schemas.Schema(m.Type, false, "")
		shown.Messages = append(shown.Messages, docMessage{m.Name, m.Description, m.FromClient, fieldsOf(schema)})
	}
	return shown
}
