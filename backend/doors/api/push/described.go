package push

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// limitsText documents when the hub closes a WebSocket. Its arguments are maxMessage and maxClients.
const limitsText = "Messages of one type arrive in the order of their events. A message of a client may have at most %d bytes; a longer " +
	"one closes the WebSocket with code 1009. Over %d WebSockets, another one is closed with 1013, and so is a client that reads too " +
	"slowly, which should connect again. The hub closes with 1001 when it stops and with 1008 when the session of a browser ends. It " +
	"pings each client, and drops one that does not answer."

// stateMessage describes the messages that stateCache.build writes.
type stateMessage struct {
	Type    string         `json:"type" enum:"state"`
	Version string         `json:"version,omitempty" doc:"Version of the hub. Only in a message with the whole state."`
	Delta   bool           `json:"delta,omitempty" doc:"True in a message after a change; missing in a message with the whole state."`
	Names   []string       `json:"names,omitempty" doc:"Names of all servers, when servers contains only those that changed (?deltas=changed)."`
	Servers []stateServer  `json:"servers" doc:"All servers, or those that changed."`
	Active  []activeServer `json:"active" doc:"The servers that are always listed, with their tools."`
}

// stateServer is a server in messages of type state. The stateCache encodes it without Tools and ToolsRev, and adds one
// of the two, depending on the client.
type stateServer struct {
	operations.Server
	SecretNames []string                  `json:"secret_names,omitempty" doc:"Names of the server's secrets."`
	Metrics     *operations.ServerMetrics `json:"metrics,omitempty" doc:"Statistics of calls; left out for a server that was never called."`
	Tools       []pushedTool              `json:"tools,omitempty" doc:"Left out with ?tools=none."`
	ToolsRev    uint64                    `json:"tools_rev,omitempty" doc:"Number that changes when the tools change. Only with ?tools=none."`
}

type pushedTool struct {
	ID          int64           `json:"id"`
	ServerID    int64           `json:"server_id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema" doc:"JSON schema of the arguments, or null."`
}

// activeServer describes an element of the array active, as row.writeActive writes it.
type activeServer struct {
	Name  string            `json:"name"`
	Tools []json.RawMessage `json:"tools,omitempty" doc:"Objects with the tools as the server listed them."`
}

func (stateMessage) about() string {
	return "The configured servers: all at the start and after refresh, and again after each change."
}

// requestMessage describes the messages that client.handle understands.
type requestMessage struct {
	Type   string `json:"type" enum:"refresh,follow,unfollow" doc:"refresh: the hub sends the whole state. follow: the hub begins to send the standard error or the JSON-RPC messages of a server. unfollow: the hub stops sending them."`
	Server string `json:"server,omitempty" doc:"Name of the server to follow or unfollow."`
	What   string `json:"what,omitempty" enum:"output,messages" doc:"Stream to follow: output (the default) for the lines of standard error, or messages for the JSON-RPC messages in both directions. While nobody follows the messages of a server, only the messages of handshakes are recorded."`
}

func (requestMessage) about() string { return "A request of the client." }

// described contains a value of each type of message that the hub sends.
var described = []message{
	stateMessage{},
	logMessage{},
	notificationMessage{},
	progressMessage{},
	askedMessage{},
	answeredMessage{},
	outputMessage{},
	exchangeMessage{},
	statusMessage{},
	learnedMessage{},
	editorsMessage{},
	tokensMessage{},
	toolsetsMessage{},
	trustMessage{},
	jobMessage{},
	jobOutputMessage{},
	mirrorMessage{},
	updatesMessage{},
	configMessage{},
	toolsMessage{},
	errorMessage{},
}

// Message documents a type of message on the WebSocket.
type Message struct {
	Name, Description string
	FromClient        bool
	Type              reflect.Type
}

// Messages returns the documentation of all messages, and of the limits of the WebSocket.
func Messages() (limits string, all []Message) {
	for _, m := range described {
		kind := reflect.TypeOf(m)
		field, _ := kind.FieldByName("Type")
		name, _, _ := strings.Cut(field.Tag.Get("enum"), ",")
		all = append(all, Message{Name: name, Description: m.about(), Type: kind})
	}
	request := requestMessage{}
	all = append(all, Message{Name: "request", Description: request.about(), FromClient: true, Type: reflect.TypeOf(request)})
	return fmt.Sprintf(limitsText, maxMessage, maxClients), all
}
