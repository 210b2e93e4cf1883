package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// ServerMessage is the API's view of a JSON-RPC message between the hub and a server.
type ServerMessage struct {
	N         int64  `json:"n" doc:"Number of the message. Numbers increase with each message of a server, even across restarts of the hub."`
	At        string `json:"at" doc:"Time at which the message was sent or received, in UTC."`
	Direction string `json:"direction" enum:"sent,received" doc:"sent: by the hub to the server. received: from the server."`
	ID        string `json:"id,omitempty" doc:"Identifier of the request, as JSON; missing for notifications."`
	Method    string `json:"method,omitempty" doc:"Method of the request or notification; missing for responses."`
	Size      int    `json:"size" doc:"Size of the whole message, in bytes."`
	Text      string `json:"text" doc:"The message as it was sent, cut off after 128 kB. Known secrets are masked."`
	Cut       bool   `json:"cut,omitempty" doc:"Whether text contains only the beginning of the message."`
}

// ServerMessages returns the API's views of messages.
func ServerMessages(messages []upstream.Message) []ServerMessage {
	out := make([]ServerMessage, len(messages))
	for i, m := range messages {
		direction := "received"
		if m.Sent {
			direction = "sent"
		}
		out[i] = ServerMessage{m.N, Timestamp(m.At), direction, m.ID, m.Method, m.Size, m.Text, m.Cut}
	}
	return out
}

type messagesInput struct {
	ServerInput
	After int64 `query:"after" doc:"Only messages whose number is greater than this one."`
}

type serverMessagesReply struct {
	Messages []ServerMessage `json:"messages" nullable:"false" doc:"Recorded messages, oldest first: the messages of the last handshake, and those exchanged while a WebSocket client followed the server's messages. All messages of transient servers are recorded. At most 1000 messages and 4 MB are kept."`
	More     bool            `json:"more" doc:"Whether there are further messages. To get them, send the number of the last message as the parameter after."`
}

// maxReplyText limits the messages in one response, in bytes.
const maxReplyText = 512 << 10

func (of inspected) messages(_ context.Context, in *messagesInput) (*route.Reply[serverMessagesReply], error) {
	v, err := of.known(in.ID)
	if err != nil {
		return nil, of.missing(err)
	}
	list, _, more := of.Messages(v.Name, in.After, maxReplyText)
	return route.OK(serverMessagesReply{ServerMessages(list), more})
}
