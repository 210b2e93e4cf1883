package instance

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Hello is the answer of a hub to GET /hello?nonce=….
//
// A page that stays open while the hub restarts must not trust another process that
// listens on the old port. It requests /hello?nonce=N&session=ID, with the id that it
// got with its token, and goes on only if the SessionProof shows that the other side
// knows the session. Another process learns only a nonce and an id, which are not
// secret. Then the page signs a challenge of /api/session/challenge with the key that
// it registered, and gets a token of this hub from /api/session/resume; the token of
// an earlier hub is worthless. In a browser, with the proofKey that came with the token:
//
//	const text = new TextEncoder(), hex = (a) => Array.from(a, (b) => b.toString(16).padStart(2, "0")).join("");
//	const key = await crypto.subtle.importKey("raw", text.encode(proofKey), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
//	const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
//	const hello = await (await fetch(`/hello?nonce=${nonce}&session=${session}`)).json();
//	const message = ["agent-discover", "session", `127.0.0.1:${location.port}`, nonce, hello.nonce].join("\n");
//	const proof = Uint8Array.from((hello.session_proof ?? "").match(/../g) ?? [], (b) => parseInt(b, 16));
//	const known = await crypto.subtle.verify("HMAC", key, proof, text.encode(message));
//
// The address in the proof is 127.0.0.1 and the port, even if the page was loaded
// with another name of this machine. If an answer has no SessionProof, the hub does
// not know the session, and the page needs a new ticket.
type Hello struct {
	Nonce        string `json:"nonce"`
	Proof        string `json:"proof"` // made with the hub's own token
	SessionProof string `json:"session_proof,omitempty" doc:"HMAC-SHA-256 in hexadecimal, with the session's proof_key as its key. The message consists of the lines agent-discover, session, 127.0.0.1:PORT, the nonce of the request and the nonce of this response."`
	Version      string `json:"version"`
	Protocol     int    `json:"protocol"`
	AuthOff      bool   `json:"auth_off,omitempty" doc:"Whether requests need no token."`
}

// Client calls the REST interface of one hub. On each connection it first checks
// that the hub is at the other end, before it sends the token.
type Client struct {
	info  Info
	token string
	http  *http.Client
	next  *following // nil if the client does not follow a hub that is replaced
}

// following is the hub that a client follows.
type following struct {
	find func(ctx context.Context) (Info, error)
	mu   sync.Mutex
	now  *Client // a client of the hub that has replaced the first one, or nil
}

// NewClient returns a client, which connects at the first request.
func NewClient(info Info) *Client {
	return &Client{info: info, token: info.Token, http: &http.Client{Transport: &http.Transport{
		// A request on a connection that was used before may meet its end, and nobody would know whether the hub has read it.
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dialProven(ctx, info) },
	}}}
}

// NewFollowingClient is like NewClient, but if the hub refuses a connection, because it has ended or is restarting, the
// client calls next and sends this request and the later ones to the hub that next returns.
func NewFollowingClient(info Info, next func(ctx context.Context) (Info, error)) *Client {
	c := NewClient(info)
	c.next = &following{find: next}
	return c
}

// current returns the client of the hub to which requests go now.
func (c *Client) current() *Client {
	if c.next == nil {
		return c
	}
	c.next.mu.Lock()
	defer c.next.mu.Unlock()
	return cmp.Or(c.next.now, c)
}

// replaced returns the client of the hub that has replaced the one of former.
func (c *Client) replaced(ctx context.Context, former *Client) (*Client, error) {
	c.next.mu.Lock()
	defer c.next.mu.Unlock()
	if now := cmp.Or(c.next.now, c); now != former { // another request has found it
		return now, nil
	}
	info, err := c.next.find(ctx)
	if err != nil {
		return nil, err
	}
	c.next.now = NewClient(info)
	return c.next.now, nil
}

// HTTP returns the client's HTTP client, for WebSockets and other requests. It
// checks on each connection that the hub is at the other end. The caller has to add
// the token.
func (c *Client) HTTP() *http.Client { return c.current().http }

// Do sends a request with body as JSON, or without a body if body is nil. It decodes
// the answer into out unless out is nil. A status of 400 or higher is returned as an
// error with the hub's message.
func (c *Client) Do(ctx context.Context, method, path string, body, out any) error {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	answer, err := c.send(ctx, method, path, payload)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	data, err := io.ReadAll(answer)
	if err != nil {
		return brokeOff(err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}

// Download sends a GET request and copies the answer to out.
func (c *Client) Download(ctx context.Context, path string, out io.Writer) error {
	answer, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	if _, err := io.Copy(out, answer); err != nil {
		return brokeOff(err)
	}
	return nil
}

// send sends a request and returns the body of an answer with a status below 400.
func (c *Client) send(ctx context.Context, method, path string, payload []byte) (io.ReadCloser, error) {
	now := c.current()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for n, deadline := 1, time.Now().Add(stopPatience); ; n++ {
		answer, err := now.sendOnce(ctx, method, path, payload)
		stopping := fault.CodeOf(err) == fault.CodeStopping
		if stopping && time.Now().Before(deadline) {
			n = 0
		}
		again := stopping || Unreached(err) || method == http.MethodGet && cutOff(err) // a GET request may be sent twice
		if c.next == nil || !again || n == maxSends || ctx.Err() != nil {
			return answer, err
		}
		<-tick.C
		if now, err = c.replaced(ctx, now); err != nil {
			return nil, err
		}
	}
}

const (
	// maxSends is how often a request is sent to hubs that end one after the other.
	maxSends = 3
	// stopPatience is how long a request is sent again to a hub that refuses it because it is stopping. Such a hub finishes
	// its calls first.
	stopPatience = 20 * time.Second
)

// cutOff reports whether err means that the connection was closed before the answer came.
func cutOff(err error) bool {
	broken, ok := errors.AsType[*url.Error](err)
	return ok && !broken.Timeout()
}

func (c *Client) sendOnce(ctx context.Context, method, path string, body []byte) (io.ReadCloser, error) {
	var payload io.Reader
	if body != nil {
		payload = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+c.info.Address()+path, payload)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.info.NoAnswer(err)
	}
	if resp.StatusCode < 400 {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, brokeOff(err)
	}
	return nil, answerError(resp.StatusCode, data)
}

func brokeOff(err error) error {
	return fault.Wrap(err, fault.Unavailable, "the connection to the hub ended before its whole answer came; try again")
}

// answerError returns the error that a response of the hub reports.
func answerError(status int, data []byte) error {
	var body struct {
		Error           string `json:"error"`
		Code            string `json:"code"`
		MissingVariable string `json:"missing_variable"`
	}
	if json.Unmarshal(data, &body) != nil || body.Error == "" {
		body.Error = http.StatusText(status)
	}
	kind, known := fault.KindOfName(body.Code)
	if known {
		body.Code = ""
	} else {
		kind = fault.KindOfStatus(status)
	}
	return &fault.Error{Kind: kind, Message: body.Error, Code: body.Code, Variable: body.MissingVariable}
}

// Ping checks that the hub answers. It returns an error with a timeout if the hub does not answer within five seconds.
func Ping(ctx context.Context, info Info) error {
	conn, err := dialProven(ctx, info)
	if err != nil {
		return err
	}
	return conn.Close()
}

func dialProven(ctx context.Context, info Info) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", info.Address())
	if err != nil {
		return nil, &connectError{err}
	}
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if err := prove(conn, info); err != nil {
		_ = conn.Close()
		return nil, &connectError{err}
	}
	return conn, conn.SetDeadline(time.Time{})
}

func prove(conn net.Conn, info Info) error {
	nonce := NewSecret()
	req, err := http.NewRequest(http.MethodGet, "http://"+info.Address()+"/hello?nonce="+url.QueryEscape(nonce), nil)
	if err != nil {
		return err
	}
	if err := req.Write(conn); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return err
	}
	var hello Hello
	if json.Unmarshal(data, &hello) != nil ||
		!SameProof(hello.Proof, Proof(info.Token, "hub", info.Address(), nonce, hello.Nonce)) {
		return fault.New(fault.Denied, "the program that listens at %s is not this user's hub", info.Address())
	}
	return nil
}
