package probe

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const (
	maxAnswer      = 256 << 10 // bytes
	maxRedirects   = 3
	connectTimeout = 5 * time.Second
	sessionHeader  = "Mcp-Session-Id"
	stream         = "text/event-stream"
)

// client sends the requests of a Prober.
type client struct {
	options Options
	http    *http.Client
}

func newClient(o Options) *client {
	if o.Network != nil {
		o.Proxy, o.CAs = o.Network()
	}
	c := &client{options: o}
	transport := &http.Transport{
		TLSHandshakeTimeout: connectTimeout, ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: o.CAs},
	}
	if o.Proxy != nil {
		transport.Proxy = func(r *http.Request) (*url.URL, error) { return o.Proxy(r.URL) }
	}
	allow := func(_ context.Context, ip netip.Addr) bool { return o.Allow(ip) }
	c.http = &http.Client{Transport: netreach.Guard(transport, connectTimeout, allow), CheckRedirect: c.redirect}
	return c
}

// redirect follows redirects that keep the request and its encryption.
func (c *client) redirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	encrypted := next.URL.Scheme == "https" || next.URL.Scheme == "http" && last.URL.Scheme == "http"
	if next.Method != last.Method || len(via) > maxRedirects || !encrypted {
		return http.ErrUseLastResponse
	}
	return nil
}

// try sends the first request of an MCP session to an address.
func (c *client) try(ctx context.Context, address, transport string) listing.Probe {
	if transport == "sse" {
		return c.subscribe(ctx, address)
	}
	params := jsonrpc.Set(nil, "protocolVersion", jsonrpc.Quote(mcpversion.Legacy.Versions()[0]))
	params = jsonrpc.Set(params, "capabilities", json.RawMessage("{}"))
	params = jsonrpc.Set(params, "clientInfo", clientInfo)
	answer, foreign := c.post(ctx, address, "initialize", params, nil)
	if !foreign {
		return answer
	}
	header := make(http.Header)
	params = mcpversion.Meta{
		ProtocolVersion: mcpversion.Modern.Versions()[0], ClientInfo: clientInfo, ClientCapabilities: json.RawMessage("{}"),
	}.Stamp(json.RawMessage("{}"))
	mcpheader.Set(header, "server/discover", params)
	if modern, _ := c.post(ctx, address, "server/discover", params, header); modern.Answer != Failed {
		return modern
	}
	return answer
}

var clientInfo = json.RawMessage(`{"name":"agent-discover","version":"1"}`)

// post sends a request, and ends the session that the server may open for it. foreign reports whether the server has
// refused the request, perhaps because it uses another version of MCP.
func (c *client) post(ctx context.Context, address, method string, params json.RawMessage,
	header http.Header,
) (p listing.Probe, foreign bool) {
	body := jsonrpc.AppendRequest(nil, json.RawMessage("1"), method, params)
	response, err := c.send(ctx, http.MethodPost, address, bytes.TrimSpace(body), header)
	if err != nil {
		return failure(err), false
	}
	defer func() { _ = response.Body.Close() }()
	if refused, ok := status(response); ok {
		return refused, response.StatusCode < 500 && response.StatusCode >= 400
	}
	message, err := first(response)
	if err != nil {
		return failure(err), false
	}
	if jsonrpc.Get(message, "result") == nil {
		why := safetext.Clip(safetext.Label(jsonrpc.GetString(jsonrpc.Get(message, "error"), "message")), 200)
		return listing.Probe{Answer: Failed, Detail: "it answers: " + cmp.Or(why, "no result")}, true
	}
	if session := response.Header.Get(sessionHeader); session != "" {
		if ended, err := c.send(ctx, http.MethodDelete, address, nil, http.Header{sessionHeader: {session}}); err == nil {
			_ = ended.Body.Close()
		}
	}
	return listing.Probe{Answer: OK}, false
}

// send sends a request without credentials.
func (c *client) send(ctx context.Context, method, address string, body []byte, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Accept", "application/json, "+stream)
	request.Header.Set("User-Agent", cmp.Or(c.options.Agent, "agent-discover"))
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(request)
}

// subscribe opens the event stream of a server with MCP 2024-11-05.
func (c *client) subscribe(ctx context.Context, address string) listing.Probe {
	response, err := c.send(ctx, http.MethodGet, address, nil, nil)
	if err != nil {
		return failure(err)
	}
	defer func() { _ = response.Body.Close() }()
	if refused, ok := status(response); ok {
		return refused
	}
	if kindOf(response) != stream {
		return listing.Probe{Answer: Failed, Detail: "it answers with something else than an event stream"}
	}
	return listing.Probe{Answer: OK}
}

// status returns the result for a response whose status is not a success, and false for any other response.
func status(response *http.Response) (listing.Probe, bool) {
	switch code := response.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden && response.Header.Get("WWW-Authenticate") != "":
		return listing.Probe{Answer: SignIn}, true
	case code < 200 || code >= 300:
		return listing.Probe{
			Answer: Failed, Detail: strings.TrimSpace(fmt.Sprintf("it answers with status %d %s", code, http.StatusText(code))),
		}, true
	}
	return listing.Probe{}, false
}

func kindOf(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}

var errForeign = errors.New("it does not answer like an MCP server")

// first returns the first JSON-RPC response in the body of an HTTP response.
func first(response *http.Response) (json.RawMessage, error) {
	limited := io.LimitReader(response.Body, maxAnswer)
	if kindOf(response) != stream {
		body, err := io.ReadAll(limited)
		if err == nil && !isResponse(body) {
			err = errForeign
		}
		return body, err
	}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxAnswer)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, value...), '\n')
		} else if len(line) == 0 {
			if isResponse(data) {
				return data, nil
			}
			data = nil
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return nil, errForeign
}

func isResponse(data []byte) bool {
	return jsonrpc.Valid(data) && jsonrpc.GetString(data, "jsonrpc") == "2.0" && jsonrpc.Get(data, "method") == nil
}

// failure returns the result for a request that failed with err.
func failure(err error) listing.Probe {
	detail := err.Error()
	if e, ok := errors.AsType[*url.Error](err); ok {
		detail = e.Err.Error() // without the address
	}
	name, isName := errors.AsType[*net.DNSError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, netreach.ErrRefused):
		detail = netreach.ErrRefused.Error()
	case errors.Is(err, context.DeadlineExceeded):
		detail = "it does not answer"
	case isName && name.IsNotFound:
		detail = "there is no server of that name"
	case isCertificate:
		detail = "its certificate is not trusted"
	}
	return listing.Probe{Answer: Failed, Detail: safetext.Clip(safetext.Label(detail), 200)}
}
