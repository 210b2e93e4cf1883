package jsonrpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// echo answers every request with its params.
type echo struct{}

func (echo) Request(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
	return params, nil
}
func (echo) Notification(string, json.RawMessage)   {}
func (echo) Bad(_ []byte, err error) *jsonrpc.Error { return nil }

// Two connections talk over a pipe. The params arrive and return byte for byte:
// the large number keeps all its digits, and the white space stays.
func Example() {
	ours, theirs := net.Pipe()
	client := jsonrpc.NewConn(ours, ours, echo{}, jsonrpc.Options{})
	server := jsonrpc.NewConn(theirs, theirs, echo{}, jsonrpc.Options{})
	var running sync.WaitGroup
	running.Go(func() { _ = client.Run(context.Background()) })
	running.Go(func() { _ = server.Run(context.Background()) })

	result, err := client.Call(context.Background(), jsonrpc.Call{
		Method: "tools/call",
		Params: json.RawMessage(`{"name": "count", "n":9007199254740993}`),
	})
	fmt.Println(string(result), err)
	fmt.Println(jsonrpc.GetString(result, "name"))

	_ = ours.Close() // ends both connections
	running.Wait()
	// Output:
	// {"name": "count", "n":9007199254740993} <nil>
	// count
}
