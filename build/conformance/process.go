package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// server is a running server that speaks stdio, and the streams that wait for its messages.
type server struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	ended chan struct{}
	write sync.Mutex

	mu      sync.Mutex
	last    int
	streams []*stream                   // in the order in which they were opened
	headers map[string]mcpheader.Params // the arguments that headers repeat, by tool
}

// stream carries the messages of the server that belong to one HTTP response.
type stream struct {
	id       json.RawMessage // id of the request at the server; nil for a stream that GET opens
	own      json.RawMessage // the id that the client has given the request
	token    json.RawMessage // the progress token of the request; nil if it has none
	method   string
	messages chan []byte
}

// queued is the maximum number of messages in a stream that its client has not read yet.
const queued = 4096

const lineLimit = 64 << 20

func start(command, env []string) (*server, error) {
	s := &server{cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{}), headers: make(map[string]mcpheader.Params)}
	s.cmd.Env, s.cmd.Stderr, s.cmd.WaitDelay = env, os.Stderr, time.Second
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.in = in
	go s.read(out)
	return s, nil
}

// close ends the server and waits for it.
func (s *server) close() {
	_ = s.in.Close()
	select {
	case <-s.ended:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

func (s *server) read(out io.Reader) {
	defer close(s.ended)
	lines := jsonrpc.NewLineReader(out, lineLimit)
	for {
		line, err := lines.Next()
		if err != nil {
			_ = s.cmd.Wait() // how it ended does not matter
			return
		}
		line = bytes.Clone(line)
		if m, err := jsonrpc.Parse(line); err == nil {
			s.route(m, line)
		}
	}
}

// open returns the stream for the answer to a request. If renamed is set, the request gets an id that no other client
// uses.
func (s *server) open(m jsonrpc.Message, renamed bool) *stream {
	st := &stream{
		id: m.ID, own: m.ID, token: mcpversion.ReadMeta(m.Params).ProgressToken,
		method: m.Method, messages: make(chan []byte, queued),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if renamed {
		s.last++
		st.id = jsonrpc.Quote("adapter-" + strconv.Itoa(s.last))
	}
	s.streams = append(s.streams, st)
	return st
}

func (s *server) drop(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.streams {
		if other == st {
			s.streams = append(s.streams[:i:i], s.streams[i+1:]...)
			return
		}
	}
}

// send writes a line to the server.
func (s *server) send(line []byte) error {
	s.write.Lock()
	defer s.write.Unlock()
	_, err := s.in.Write(append(bytes.TrimRight(line, "\n"), '\n'))
	return err
}

// route passes a message to the stream to which it belongs; see streamOf.
func (s *server) route(m jsonrpc.Message, line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.streamOf(m)
	if st == nil {
		return // its client has left
	}
	if m.Method == "" {
		s.learn(st.method, m.Result)
		line = jsonrpc.Set(line, "id", st.own)
	} else if mcpversion.ReadMeta(m.Params).SubscriptionID != nil {
		meta := jsonrpc.Set(jsonrpc.Get(m.Params, "_meta"), mcpversion.KeySubscriptionID, st.own)
		line = jsonrpc.Set(line, "params", jsonrpc.Set(m.Params, "_meta", meta))
	}
	select {
	case st.messages <- line:
	default:
	}
}

// learn stores, for each tool in a result of tools/list, the arguments that clients repeat in headers. The caller holds
// mu.
func (s *server) learn(method string, result json.RawMessage) {
	if method != "tools/list" {
		return
	}
	for tool := range jsonrpc.Items(jsonrpc.Get(result, "tools")) {
		params, err := mcpheader.ReadParams(jsonrpc.Get(tool, "inputSchema"))
		if err == nil {
			s.headers[jsonrpc.GetString(tool, "name")] = params
		}
	}
}

// checkArguments checks the headers that repeat arguments of a call, if the server has listed the tool.
func (s *server) checkArguments(h http.Header, m jsonrpc.Message) *jsonrpc.Error {
	if m.Method != "tools/call" {
		return nil
	}
	s.mu.Lock()
	params := s.headers[jsonrpc.GetString(m.Params, "name")]
	s.mu.Unlock()
	return params.Check(h, jsonrpc.Get(m.Params, "arguments"))
}

// streamOf returns the stream for a message, found by the message's id, subscription or progress token. Any other
// message belongs to the newest request that waits for its answer. If no request waits, it belongs to the stream that
// GET has opened.
func (s *server) streamOf(m jsonrpc.Message) *stream {
	if m.Method == "" {
		return s.find(func(st *stream) bool { return bytes.Equal(st.id, m.ID) })
	}
	if id := mcpversion.ReadMeta(m.Params).SubscriptionID; id != nil {
		return s.find(func(st *stream) bool { return bytes.Equal(st.id, id) })
	}
	if token := jsonrpc.Get(m.Params, "progressToken"); token != nil {
		return s.find(func(st *stream) bool { return bytes.Equal(st.token, token) })
	}
	if st := s.find(func(st *stream) bool { return st.id != nil && st.method != "subscriptions/listen" }); st != nil {
		return st
	}
	return s.find(func(st *stream) bool { return st.id == nil })
}

// find returns the newest stream that matches.
func (s *server) find(matches func(*stream) bool) *stream {
	for i := len(s.streams) - 1; i >= 0; i-- {
		if matches(s.streams[i]) {
			return s.streams[i]
		}
	}
	return nil
}
