package mcphttp

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	refusalSize  = 1 << 20 // bytes that are read of the body of a refusal
	refusalShown = 300     // and that an error shows of one that says nothing in JSON
)

// setSecret is the advice to who has no credentials, or wrong ones.
const setSecret = `set the secret AUTHORIZATION of this server (such as "Bearer …"), or API_KEY`

// refusal is a status that is no success.
type refusal struct {
	status int
	line   string // 404 Not Found
	body   []byte
	says   string // the body, for a person
	rpc    *jsonrpc.Error
	id     json.RawMessage // which message rpc answers
}

// readRefusal reads a response that is no success; the caller closes it.
func readRefusal(response *http.Response) *refusal {
	body, _ := io.ReadAll(io.LimitReader(response.Body, refusalSize)) // what there is of it
	r := &refusal{status: response.StatusCode, line: response.Status, body: body}
	message, err := jsonrpc.Parse(body)
	switch {
	case err == nil && jsonrpc.Get(message.Error, "code") != nil:
		r.rpc, r.id = jsonrpc.ParseError(message.Error), message.ID
		r.says = r.rpc.Message
	case !strings.Contains(response.Header.Get("Content-Type"), "html"):
		r.says = oneLine(string(body))
	}
	if wait := response.Header.Get("Retry-After"); wait != "" && r.says == "" {
		r.says = "try again after " + oneLine(wait)
	}
	return r
}

// oneLine returns a text of the server for an error: one line of at most
// refusalShown characters.
func oneLine(text string) string { return safetext.Clip(safetext.Label(text), refusalShown) }

// lost reports whether the server says that it does not know the session. MCP
// has 404 for that; many servers answer 400.
func (r *refusal) lost() bool {
	if r.rpc != nil && (r.rpc.Code == jsonrpc.CodeMethodNotFound || r.rpc.Code == jsonrpc.CodeInvalidParams) {
		return false
	}
	return r.status == http.StatusNotFound ||
		r.status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(r.body), []byte("session"))
}

// gone is the error with which a link ends whose session is lost.
func (l *Link) gone(r *refusal) error {
	return fault.Wrap(ErrLost, fault.Unavailable, "%s does not know it any more (%s)", l.Shown, l.answered(r))
}

// refused says what a refusal means; first is that of the first request of all.
func (l *Link) refused(r *refusal, first bool) error {
	text := l.Shown + " " + l.answered(r)
	other := map[Transport]string{Streamable: "An older server may want the transport sse", SSE: "A newer server may want the transport streamable-http"}[l.Transport]
	switch {
	case r.status == http.StatusUnauthorized:
		return fault.New(fault.Failed, "%s; it wants credentials: %s", text, setSecret)
	case r.status == http.StatusForbidden:
		return fault.New(fault.Failed, "%s; it does not accept the credentials, or wants some: %s", text, setSecret)
	case first && (r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed):
		return fault.New(fault.Failed, "%s; is the URL right? %s", text, other)
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
		return fault.New(fault.Unavailable, "%s; try again later", text)
	}
	return fault.New(fault.Failed, "%s", text)
}

func (l *Link) answered(r *refusal) string {
	text := "answered " + oneLine(r.line)
	if r.says != "" {
		text += ": " + strings.TrimSuffix(oneLine(r.says), ".")
	}
	return text
}

// trouble says why a request got no response. The cause stays out of it,
// because it holds the whole URL.
func (l *Link) trouble(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var known *fault.Error
	var unnamed *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var late net.Error
	switch text := err.Error(); {
	case errors.As(err, &known):
		return known
	case l.life.Err() != nil || errors.Is(err, context.Canceled):
		return fault.Wrap(context.Canceled, fault.Unavailable, "the session with %s is over", l.Shown)
	case errors.As(err, &unnamed) && unnamed.IsNotFound:
		return l.unreachable("the name of its host is not known")
	case strings.Contains(text, "refused"):
		return fault.Wrap(errNobody, fault.Unavailable, "%s cannot be reached: connection refused; does it run?", l.Shown)
	case errors.As(err, &untrusted):
		return l.unreachable("its certificate is not trusted: " + oneLine(untrusted.Err.Error()))
	case errors.As(err, &late) && late.Timeout():
		return fault.New(fault.Timeout, "%s cannot be reached: it did not answer in time", l.Shown)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "connection reset"):
		return fault.New(fault.Failed, "%s closed the connection without an answer; whether the call took effect is unknown", l.Shown)
	default:
		return l.unreachable(oneLine(text))
	}
}

func (l *Link) unreachable(why string) error {
	return fault.New(fault.Unavailable, "%s cannot be reached: %s", l.Shown, why)
}

// broken says that an answer broke off.
func (l *Link) broken() error {
	return fault.New(fault.Failed, "the connection to %s ended before the answer came; whether the call took effect is unknown", l.Shown)
}

// strange says what is wrong with a body that holds no answer to its request.
func (l *Link) strange(body []byte) error {
	m, _ := jsonrpc.Parse(body)
	if jsonrpc.Get(m.Error, "code") != nil { // of a server that could not read the request's id
		rpc := jsonrpc.ParseError(m.Error)
		return fault.New(fault.Failed, "%s answered with MCP error %d: %s", l.Shown, rpc.Code, oneLine(rpc.Message))
	}
	return fault.New(fault.Failed, "%s answered with something that is no answer to the request", l.Shown)
}

func (l *Link) tooLong() error {
	return fault.New(fault.Failed, "%s answered with a message of more than %d MiB", l.Shown, l.Limit>>20)
}
