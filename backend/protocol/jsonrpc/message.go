// Package jsonrpc reads and writes newline-delimited JSON-RPC 2.0, as MCP uses it on
// stdio and on the companion's socket.
//
//	bytes → LineReader → Parse → Conn.Call / Handler → AppendResponse → bytes
//
// Params, results and errors are kept as the bytes that arrived. Unknown members,
// integers beyond 2^53 and future content types therefore pass unchanged. This is
// why no JSON-RPC or MCP library is used: the known libraries decode messages into
// their own types, which drops unknown members and changes how numbers and strings
// are written.
//
// The package handles only two MCP methods, notifications/cancelled and
// notifications/progress, because they refer to requests. A bad line does not end
// a connection: reading continues with the next line.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// Message is one JSON-RPC message. The raw fields alias the line it was parsed
// from; copy them to keep them longer than the line.
type Message struct {
	ID     json.RawMessage // nil in a notification
	Method string          // empty in a response
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// IsRequest reports whether the message is a request, which needs an answer.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

// IsResponse reports whether the message answers a request.
func (m *Message) IsResponse() bool { return m.Method == "" && m.ID != nil }

// Parse reads one line. An error is an *Error that can be sent as the answer:
// CodeParseError if the line is not JSON in UTF-8, CodeInvalidRequest if it is
// JSON but not a JSON-RPC message. With CodeInvalidRequest the message may still
// have an id.
func Parse(line []byte) (Message, error) {
	var m Message
	if !jsonscan.Walk(line, func(key []byte, start, end int) { m.member(key, line[start:end:end]) }) {
		return Message{}, &Error{Code: CodeParseError, Message: "Parse error"}
	}
	if i := jsonscan.Space(line, 0); i >= len(line) || line[i] != '{' {
		return Message{}, invalid("Invalid Request: a message must be a JSON object")
	}
	if m.ID != nil && m.Error == nil && !strings.ContainsRune(`"-0123456789`, rune(m.ID[0])) {
		return Message{}, invalid("Invalid Request: id must be a string or a number")
	}
	if m.Method == "" && m.Result == nil && m.Error == nil {
		return m, invalid("Invalid Request: neither a method nor a result nor an error")
	}
	return m, nil
}

func (m *Message) member(key, value []byte) {
	switch string(key) {
	case "id":
		m.ID = value
	case "method":
		m.Method, _ = String(value)
	case "params":
		m.Params = value
	case "result":
		m.Result = value
	case "error":
		if m.Error = value; string(value) == "null" { // some servers send both members
			m.Error = nil
		}
	}
}

func invalid(text string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: text}
}

// Error is a JSON-RPC error object. An Error from ParseError keeps the peer's
// bytes, so that it is passed on unchanged.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`

	raw    json.RawMessage
	redact func(string) string
}

// Redact makes the texts that this program writes about the error, such as that of ErrorText, pass through redact. An
// error that is passed on as it came is unchanged.
func (e *Error) Redact(redact func(text string) string) { e.redact = redact }

// Written returns a text about the error as this program may write it; see Redact.
func (e *Error) Written(text string) string {
	if e.redact == nil {
		return text
	}
	return e.redact(text)
}

// Redacted returns the error with message and data as this program may write them; see Redact. Data that is no longer
// JSON then is left out. An error that need not be redacted is returned itself.
func (e *Error) Redacted() *Error {
	if e.redact == nil {
		return e
	}
	redacted := &Error{Code: e.Code, Message: e.redact(e.Message)}
	if e.Data != nil {
		if data := []byte(e.redact(string(e.Data))); Valid(data) {
			redacted.Data = data
		}
	}
	return redacted
}

// Error codes of JSON-RPC 2.0, section 5.1.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// ErrorText returns the text that MCP clients show for an *Error; ok is false if the
// chain of err contains no *Error.
func ErrorText(err error) (text string, ok bool) {
	answer, ok := errors.AsType[*Error](err)
	if !ok {
		return "", false
	}
	return answer.Written(fmt.Sprintf("MCP error %d: %s", answer.Code, answer.Message)), true
}

// NewError returns an error object with a formatted message.
func NewError(code int64, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// ErrorOf returns the error object that answers a request whose handler has returned
// err: err itself if it is an *Error, and otherwise an internal error with its text.
// It returns nil if err is nil.
func ErrorOf(err error) *Error {
	rpc, ok := errors.AsType[*Error](err)
	if err != nil && !ok {
		rpc = &Error{Code: CodeInternalError, Message: err.Error()}
	}
	return rpc
}

// ParseError reads an error object that a peer sent. It keeps raw, so the caller
// must not change those bytes.
func ParseError(raw json.RawMessage) *Error {
	e := &Error{raw: raw}
	if err := json.Unmarshal(raw, e); err != nil {
		e.Code, e.Message = CodeInternalError, "the error object is malformed: "+string(raw)
	}
	return e
}

func (e *Error) Error() string { return e.Message }

// Raw returns the object as JSON. For an Error from ParseError, it returns the bytes
// that ParseError read.
func (e *Error) Raw() json.RawMessage {
	if e.raw != nil {
		return e.raw
	}
	data, err := json.Marshal(e)
	if err != nil { // Data was not JSON
		data, _ = json.Marshal(Error{Code: e.Code, Message: e.Message})
	}
	return data
}

// AppendRequest appends a request line to dst; with a nil id, a notification.
func AppendRequest(dst []byte, id json.RawMessage, method string, params json.RawMessage) []byte {
	dst = slices.Grow(dst, len(id)+len(method)+len(params)+64)
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	if id != nil {
		dst = append(dst, `"id":`...)
		dst = append(append(dst, id...), ',')
	}
	dst = append(dst, `"method":`...)
	dst = appendString(dst, method)
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, "}\n"...)
}

// long is the size in bytes from which a body is written separately: copying it
// into the line would cost more than another write.
const long = 128 << 10

// requestParts returns the parts of a request line, without copying long params.
// tail is the end of the params and may be nil.
func requestParts(id json.RawMessage, method string, params json.RawMessage, tail []byte) [][]byte {
	if len(params) < long && tail == nil {
		return [][]byte{AppendRequest(nil, id, method, params)}
	}
	head := bytes.TrimSuffix(AppendRequest(nil, id, method, nil), []byte("}\n"))
	return [][]byte{append(head, `,"params":`...), params, append(tail, "}\n"...)}
}

// ResponseParts returns the parts of a response line, as AppendResponse writes it,
// without copying a long result.
func ResponseParts(id, result json.RawMessage, err *Error) [][]byte {
	if err != nil || len(result) < long {
		return [][]byte{AppendResponse(nil, id, result, err)}
	}
	head := bytes.TrimSuffix(AppendResponse(nil, id, nil, nil), []byte("}\n"))
	return [][]byte{head, result, []byte("}\n")}
}

// AppendResponse appends a response line to dst, with err if it is not nil and
// otherwise with result.
func AppendResponse(dst []byte, id, result json.RawMessage, err *Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	dst = slices.Grow(dst, len(id)+len(result)+64)
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	if err != nil {
		dst = append(append(dst, `,"error":`...), err.Raw()...)
	} else {
		dst = append(append(dst, `,"result":`...), result...)
	}
	return append(dst, "}\n"...)
}

func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			quoted, _ := json.Marshal(s)
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
