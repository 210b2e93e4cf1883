package companion

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/version"
)

// upgradeName is the name of the protocol in the Upgrade headers of the HTTP
// request and its response.
const upgradeName = "agent-discover/1"

const handshakeTimeout = 5 * time.Second

// These are the messages of the handshake in the order in which they are sent,
// one JSON line each.
type (
	// greeting is sent by the companion.
	greeting struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
		Nonce    string `json:"nonce"`
		Session  string `json:"session"` // id of the session, which a reconnecting companion repeats
		// Farewell says that the companion understands a farewell, the last line
		// that a stopping hub sends.
		Farewell bool `json:"farewell,omitempty"`
		// Repeats says that the companion sends the requests in farewell.Undone again.
		Repeats bool `json:"repeats,omitempty"`
		Entry
	}
	// counterGreeting is sent by the hub. It proves that the hub knows the token.
	counterGreeting struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
		Nonce    string `json:"nonce"`
		Proof    string `json:"proof"`
	}
	// credentials are sent by the companion. They prove that the companion
	// knows the token. Replace asks an older hub to stop, so that a hub of the
	// companion's version can start.
	credentials struct {
		Proof   string `json:"proof"`
		Replace bool   `json:"replace,omitempty"`
	}
	// verdict is sent by the hub and ends the handshake.
	verdict struct {
		Ready    bool   `json:"ready"`
		Surface  string `json:"surface,omitempty"`  // surface in the greeting; empty if the hub is too old for surfaces
		Notice   string `json:"notice,omitempty"`   // for the user
		Stopping bool   `json:"stopping,omitempty"` // the hub is stopping; the companion must start a new one
		Error    string `json:"error,omitempty"`
	}
)

// stream is a socket after the handshake. The buffered reader may already have
// read bytes beyond the handshake, so all reads go through it.
type stream struct {
	net.Conn
	buffered *bufio.Reader
	notice   string // message of the hub for the user
	version  string // of the hub
}

func (s *stream) Read(p []byte) (int, error) { return s.buffered.Read(p) }

// Dial opens a session with the hub that info describes. version is the version
// of the calling program. session is an unguessable string; a later Dial with
// the same string resumes the session.
func Dial(ctx context.Context, info instance.Info, version, session string, entry Entry) (net.Conn, error) {
	dialer := net.Dialer{Timeout: handshakeTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", info.Address())
	if err != nil {
		return nil, info.NoAnswer(err)
	}
	s := &stream{Conn: conn, buffered: bufio.NewReader(conn)}
	_ = conn.SetDeadline(time.Now().Add(handshakeTimeout))
	if err := s.shakeHands(info, greeting{
		Protocol: instance.Protocol, Version: version, Nonce: instance.NewSecret(), Session: session, Farewell: true, Repeats: true,
		Entry: entry,
	}); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, conn.SetDeadline(time.Time{})
}

// shakeHands runs the companion's side of the handshake.
func (s *stream) shakeHands(info instance.Info, hello greeting) error {
	if err := s.upgrade(info); err != nil {
		return err
	}
	if err := s.send(hello); err != nil {
		return err
	}
	var counter counterGreeting
	if err := s.receive(&counter); err != nil {
		return err
	}
	if !instance.SameProof(counter.Proof, instance.Proof(info.Token, "hub", info.Address(), hello.Nonce, counter.Nonce)) {
		return errNotThisHub(info)
	}
	proof := instance.Proof(info.Token, "companion", info.Address(), counter.Nonce, hello.Nonce)
	if err := s.send(credentials{Proof: proof, Replace: version.Newer(hello.Version, counter.Version)}); err != nil {
		return err
	}
	var end verdict
	if err := s.receive(&end); err != nil {
		return err
	}
	switch {
	case end.Stopping:
		return fault.New(fault.Unavailable, "the older hub is stopping for this version; connect again")
	case !end.Ready:
		return fault.New(fault.Unavailable, "the hub refused the session: %s", end.Error)
	case end.Surface != hello.Surface:
		return fault.New(fault.Unavailable,
			"the hub is older than this program and cannot show the surface %q; restart it: agent-discover restart", hello.Surface)
	}
	s.notice, s.version = end.Notice, counter.Version
	return nil
}

// errNotThisHub returns the error for a program that listens at the hub's
// address but cannot prove that it knows the token.
func errNotThisHub(info instance.Info) error {
	return fault.New(fault.Denied, "the program at %s is not this user's hub; start the hub with: agent-discover start", info.Address())
}

// upgrade switches the HTTP connection to the protocol upgradeName.
func (s *stream) upgrade(info instance.Info) error {
	req, err := http.NewRequest(http.MethodGet, "http://"+info.Address()+"/companion", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", upgradeName)
	if err := req.Write(s.Conn); err != nil {
		return err
	}
	resp, err := http.ReadResponse(s.buffered, req)
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return info.NoAnswer(err)
	}
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Upgrade") != upgradeName {
		return errNotThisHub(info)
	}
	return nil
}

// send writes one handshake message.
func (s *stream) send(frame any) error {
	data, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	_, err = s.Write(append(data, '\n'))
	return err
}

// maxHandshakeLine is the longest handshake line, in bytes.
const maxHandshakeLine = 4 << 10

// receive reads one handshake message.
func (s *stream) receive(frame any) error {
	var line []byte
	for len(line) < maxHandshakeLine {
		c, err := s.buffered.ReadByte()
		if err != nil {
			return fmt.Errorf("handshake: %w", err)
		}
		if c == '\n' {
			return json.Unmarshal(line, frame)
		}
		line = append(line, c)
	}
	return fmt.Errorf("handshake: line longer than %d bytes", maxHandshakeLine)
}
