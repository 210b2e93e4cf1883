// Package bridge answers how an editor's stdio reaches the hub. The companion
// (in the editor's process tree) copies lines to and from a socket of the hub;
// before the first line both prove that they know the token, which itself never
// crosses the wire. It has no server logic.
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
)

// upgradeName is the protocol named in the HTTP upgrade.
const upgradeName = "agent-discover/1"

const handshakeTimeout = 5 * time.Second

// The frames of the handshake, one JSON line each, in this order.
type (
	// greeting is the companion's first word.
	greeting struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
		Nonce    string `json:"nonce"`
		Session  string `json:"session"` // presented again after a reconnect
	}
	// counterGreeting is the hub's, with the proof that it knows the token.
	counterGreeting struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
		Nonce    string `json:"nonce"`
		Proof    string `json:"proof"`
	}
	// credentials are the companion's proof, and its wish that an older hub
	// make room for a newer one.
	credentials struct {
		Proof   string `json:"proof"`
		Replace bool   `json:"replace,omitempty"`
	}
	// verdict ends the handshake.
	verdict struct {
		Ready    bool   `json:"ready"`
		Notice   string `json:"notice,omitempty"`   // for the companion's user
		Stopping bool   `json:"stopping,omitempty"` // the hub makes room: start a new one
		Error    string `json:"error,omitempty"`
	}
)

// stream is a socket after the handshake. Reads go through the buffer that the
// handshake filled.
type stream struct {
	net.Conn
	buffered *bufio.Reader
	notice   string // what the hub wants the user to know
}

func (s *stream) Read(p []byte) (int, error) { return s.buffered.Read(p) }

// errReplaced says that an older hub stopped to make room.
var errReplaced = fault.New(fault.Unavailable, "the older hub is stopping to make room for this version")

// Dial opens a session with the hub that info describes. version is ours,
// session any unguessable string that is presented again to resume.
func Dial(ctx context.Context, info instance.Info, version, session string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: handshakeTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", info.Address())
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the hub at %s does not answer", info.Address())
	}
	s := &stream{Conn: conn, buffered: bufio.NewReader(conn)}
	_ = conn.SetDeadline(time.Now().Add(handshakeTimeout))
	if err := s.shakeHands(info, version, session); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, conn.SetDeadline(time.Time{})
}

func (s *stream) shakeHands(info instance.Info, version, session string) error {
	if err := s.upgrade(info); err != nil {
		return err
	}
	hello := greeting{Protocol: instance.Protocol, Version: version, Nonce: instance.NewSecret(), Session: session}
	if err := s.send(hello); err != nil {
		return err
	}
	var counter counterGreeting
	if err := s.receive(&counter); err != nil {
		return err
	}
	if !instance.SameProof(counter.Proof, instance.Proof(info.Token, "hub", info.Address(), hello.Nonce, counter.Nonce)) {
		return errStranger(info)
	}
	proof := instance.Proof(info.Token, "companion", info.Address(), counter.Nonce, hello.Nonce)
	if err := s.send(credentials{Proof: proof, Replace: newer(version, counter.Version)}); err != nil {
		return err
	}
	var end verdict
	if err := s.receive(&end); err != nil {
		return err
	}
	switch {
	case end.Stopping:
		return errReplaced
	case !end.Ready:
		return fault.New(fault.Unavailable, "the hub refused the session: %s", end.Error)
	}
	s.notice = end.Notice
	return nil
}

func errStranger(info instance.Info) error {
	return fault.New(fault.Denied, "what listens at %s is not this user's hub", info.Address())
}

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
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return fault.Wrap(err, fault.Unavailable, "the hub at %s does not answer", info.Address())
	}
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Upgrade") != upgradeName {
		return errStranger(info)
	}
	return nil
}

func (s *stream) send(frame any) error {
	data, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	_, err = s.Write(append(data, '\n'))
	return err
}

// maxFrame bounds a handshake line, in bytes.
const maxFrame = 4 << 10

func (s *stream) receive(frame any) error {
	var line []byte
	for len(line) < maxFrame {
		c, err := s.buffered.ReadByte()
		if err != nil {
			return fmt.Errorf("handshake: %w", err)
		}
		if c == '\n' {
			return json.Unmarshal(line, frame)
		}
		line = append(line, c)
	}
	return fmt.Errorf("handshake: a line of over %d bytes", maxFrame)
}
