package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// roles are the roles that this program can play when it starts itself.
var roles = map[string]func(args []string) error{
	"play-echo":      func([]string) error { return serve(json.RawMessage("[" + echoTool + "]")) },
	"play-tools":     playTools,
	"play-gateway":   func([]string) error { return serve(json.RawMessage("[" + largeTool + "," + progressTool + "]")) },
	"play-relay":     playRelay,
	"play-relay-hub": playRelayHub,
	"play-registry":  playRegistry,
	"play-mirror":    playMirror,
}

const (
	maxLine  = 128 << 20 // bytes
	pageSize = 100       // tools per page of tools/list
	// progressSteps is the number of notifications that the tool progress sends, with a pause of progressPause before
	// each.
	progressSteps = 50
	progressPause = 4 * time.Millisecond

	largeTool    = `{"name":"large","description":"Returns a large text","inputSchema":{"type":"object"}}`
	progressTool = `{"name":"progress","description":"Notifies of its progress","inputSchema":{"type":"object"}}`

	echoTool = `{"name":"echo","description":"Echoes back the input string",` +
		`"inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}`
)

// playTools runs an MCP server with the tools in a file, a JSON object with the member "tools".
func playTools(args []string) error {
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	return serve(jsonrpc.Get(data, "tools"))
}

// serve runs a minimal MCP server on standard input and output that answers each line at once.
func serve(list json.RawMessage) error {
	var tools []json.RawMessage
	if err := json.Unmarshal(list, &tools); err != nil {
		return err
	}
	lines := jsonrpc.NewLineReader(os.Stdin, maxLine)
	var out []byte
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		m, err := jsonrpc.Parse(line)
		if err != nil || !m.IsRequest() {
			continue
		}
		result, failure := answer(&m, tools)
		out = jsonrpc.AppendResponse(out[:0], m.ID, result, failure)
		if _, err := os.Stdout.Write(out); err != nil {
			return err
		}
	}
}

func answer(m *jsonrpc.Message, tools []json.RawMessage) (json.RawMessage, *jsonrpc.Error) {
	switch m.Method {
	case "initialize":
		return json.RawMessage(
			`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`,
		), nil
	case "tools/list":
		return page(tools, jsonrpc.GetString(m.Params, "cursor")), nil
	case "tools/call":
		return callTool(m.Params)
	}
	return nil, jsonrpc.NewError(-32601, "Method not found: %s", m.Method)
}

func callTool(params json.RawMessage) (json.RawMessage, *jsonrpc.Error) {
	var prefix, text []byte
	switch jsonrpc.GetString(params, "name") {
	case "large":
		text = append(largeText(), '"')
	case "progress":
		notifyOften(jsonrpc.Get(jsonrpc.Get(params, "_meta"), "progressToken"))
		text = []byte(`done"`)
	default:
		message := jsonrpc.Get(jsonrpc.Get(params, "arguments"), "message")
		if len(message) < 2 {
			return nil, jsonrpc.NewError(-32602, "no message")
		}
		prefix, text = []byte("Echo: "), message[1:] // including the closing quote
	}
	result := make([]byte, 0, len(text)+64)
	result = append(result, `{"content":[{"type":"text","text":"`...)
	result = append(append(result, prefix...), text...)
	return append(result, `}]}`...), nil
}

// notifyOften sends progress notifications with the time at which they are sent, in nanoseconds.
func notifyOften(token json.RawMessage) {
	for i := range progressSteps {
		time.Sleep(progressPause)
		now := strconv.FormatInt(time.Now().UnixNano(), 10)
		params := object("progressToken", token, "progress", json.RawMessage(strconv.Itoa(i+1)), "message", jsonrpc.Quote(now))
		_, _ = os.Stdout.Write(jsonrpc.AppendRequest(nil, nil, "notifications/progress", params)) // if it fails, so does the answer
	}
}

func page(tools []json.RawMessage, cursor string) json.RawMessage {
	from, _ := strconv.Atoi(cursor) // the first page has no cursor
	from = max(0, min(from, len(tools)))
	to := min(from+pageSize, len(tools))
	result := struct {
		Tools []json.RawMessage `json:"tools"`
		Next  string            `json:"nextCursor,omitempty"`
	}{Tools: tools[from:to]}
	if to < len(tools) {
		result.Next = strconv.Itoa(to)
	}
	data, _ := json.Marshal(result) // cannot fail: it was decoded from JSON
	return data
}

// playRelayHub takes the place of the hub: it accepts one connection and copies bytes between it and a child. It prints
// its address.
func playRelayHub(args []string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	child := exec.Command(args[0], args[1:]...)
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	go func() {
		_ = copyBytes(in, conn) // returns when the client has closed its connection
		_ = in.Close()
	}()
	return errors.Join(copyBytes(conn, out), child.Wait())
}

// playRelay takes the place of the companion.
func playRelay(args []string) error {
	conn, err := net.Dial("tcp", args[0])
	if err != nil {
		return err
	}
	go func() {
		_ = copyBytes(conn, os.Stdin) // returns when the client has closed its end
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	return copyBytes(os.Stdout, conn)
}

// copyBytes copies through user memory, as a program that inspects the bytes must. io.Copy would let the kernel move them,
// which is slower for short lines.
func copyBytes(to io.Writer, from io.Reader) error {
	_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 64<<10))
	return err
}
