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
	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	refusalSize  = 1 << 20 // bytes of a refusal's body that are read
	refusalShown = 300     // characters of the server's text in an error
)

// setSecret is the advice for missing or wrong credentials.
const setSecret = `set the secret AUTHORIZATION of this server (such as "Bearer …"), or API_KEY`

// refusal is a response that is not a success.
type refusal struct {
	status int
	line   string // such as "404 Not Found"
	body   []byte
	says   string          // the message in the body, or advice from Retry-After; may be empty
	rpc    *jsonrpc.Error  // the body's JSON-RPC error, or nil
	id     json.RawMessage // the id of the message that rpc answers
}

// readRefusal reads a response that is not a success. The caller closes the response.
func readRefusal(response *http.Response) *refusal {
	body, _ := io.ReadAll(io.LimitReader(response.Body, refusalSize)) // a part of the body is enough
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

// oneLine returns a text of the server as one line of at most refusalShown
// characters, for an error.
func oneLine(text string) string { return safetext.Clip(safetext.Label(text), refusalShown) }

// lost reports whether the refusal means that the server no longer knows the session. The status for that is 404 in
// MCP, but some servers answer 410 and many 400.
func (r *refusal) lost() bool {
	if r.rpc != nil && (r.rpc.Code == jsonrpc.CodeMethodNotFound || r.rpc.Code == jsonrpc.CodeInvalidParams) {
		return false
	}
	return r.status == http.StatusNotFound || r.status == http.StatusGone ||
		r.status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(r.body), []byte("session"))
}

// gone returns the error with which the link ends after a lost session.
func (l *Link) gone(r *refusal) error {
	return fault.Wrap(ErrLost, fault.Unavailable, "%s no longer knows the session (%s)", l.options.Shown, r.answered())
}

// refused returns the error for a refusal, with advice. first marks the refusal of
// the link's first request.
func (l *Link) refused(r *refusal, first bool) error {
	text := l.options.Shown + " " + r.answered()
	other := map[Transport]string{
		Streamable: "An older server may want the transport sse", SSE: "A newer server may want the transport streamable-http",
	}[l.options.Transport]
	switch {
	case r.status == http.StatusUnauthorized:
		return fault.New(fault.Failed, "%s; it requires credentials: %s", text, setSecret)
	case r.status == http.StatusForbidden:
		return fault.New(fault.Failed, "%s; it rejects the credentials, or requires some: %s", text, setSecret)
	case first && (r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed):
		return fault.New(fault.Failed, "%s; is the URL right? %s", text, other)
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
		return fault.New(fault.Unavailable, "%s; try again later", text)
	}
	return fault.New(fault.Failed, "%s", text)
}

// answered describes the refusal for an error message, where it follows the server's address.
func (r *refusal) answered() string {
	text := "answered " + oneLine(r.line)
	if r.says != "" {
		text += ": " + strings.TrimSuffix(oneLine(r.says), ".")
	}
	return text
}

// trouble returns a fault that explains why a request got no response. It does
// not wrap err, whose text contains the whole URL.
func (l *Link) trouble(ctx context.Context, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	var known *fault.Error
	var unnamed *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var late net.Error
	through, proxied := netreach.Through(l.options.Proxy, l.base), netreach.ProxyFor(l.options.Proxy, l.base) != nil
	switch text := err.Error(); {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return fault.Wrap(context.Canceled, fault.Unavailable, "the session with %s is over", l.options.Shown)
	case errors.As(err, &unnamed) && unnamed.IsNotFound && proxied:
		return l.unreachable("the name of the proxy is not known" + through)
	case errors.As(err, &unnamed) && unnamed.IsNotFound:
		return l.unreachable("the name of its host is not known" + through)
	case strings.Contains(text, "refused") && proxied:
		return l.unreachable("connection refused" + through)
	case strings.Contains(text, "refused"):
		return fault.Wrap(errRefused, fault.Unavailable, "%s cannot be reached: connection refused; is it running?", l.options.Shown)
	case errors.As(err, &untrusted):
		return l.unreachable("its certificate is not trusted: " + oneLine(untrusted.Err.Error()))
	case errors.As(err, &late) && late.Timeout():
		return fault.New(fault.Timeout, "%s cannot be reached: it did not answer in time%s", l.options.Shown, through)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "connection reset"):
		return fault.New(fault.Failed, "%s closed the connection without an answer; whether the call took effect is unknown",
			l.options.Shown)
	default:
		return l.unreachable(oneLine(text) + through)
	}
}

func (l *Link) unreachable(why string) error {
	return fault.New(fault.Unavailable, "%s cannot be reached: %s", l.options.Shown, why)
}

// broken returns the error for a connection that ended before the whole answer came.
func (l *Link) broken() error {
	return fault.New(fault.Failed, "the connection to %s ended before the answer came; whether the call took effect is unknown",
		l.options.Shown)
}

// strange returns the error for a response body that does not contain the answer to
// the request.
func (l *Link) strange(body []byte) error {
	m, _ := jsonrpc.Parse(body)
	if jsonrpc.Get(m.Error, "code") != nil { // the server could not read the id of the request
		rpc := jsonrpc.ParseError(m.Error)
		return fault.New(fault.Failed, "%s answered with MCP error %d: %s", l.options.Shown, rpc.Code, oneLine(rpc.Message))
	}
	return fault.New(fault.Failed, "%s sent a response that does not answer the request", l.options.Shown)
}

// full returns the error for an answer that was skipped because of Options.Budget.
func (l *Link) full() error {
	return fault.New(fault.Failed, "the answer of %s had to be dropped: too many large answers arrive at the same time; call again",
		l.options.Shown)
}

func (l *Link) tooLong() error {
	return fault.New(fault.Failed, "%s answered with a message of more than %d MiB", l.options.Shown, l.options.Limit>>20)
}
