package app

import (
	"bufio"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// There is one window for a data folder, and one for each server under test. A second start hands over what it was
// asked for and ends. That works over a lock and a loopback port on every system, with a session bus or without.

// patience is how long two starts may take to find each other.
const patience = 5 * time.Second

// visit is what a second start tells the first.
type visit struct {
	Secret string `json:"secret"`
	Page   string `json:"page,omitempty"`
	Token  string `json:"token,omitempty"` // of the desktop: the user wants to see this window
}

// meeting says where the first one listens, and the word that a visitor must know; others on this machine do not.
type meeting struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
}

// seat is the right to be the one window of a name.
type seat struct {
	lock     *flock.Flock
	listener net.Listener
	meeting  meeting
}

// takeSeat returns the seat of a name, or nil when another window has it and was told of v.
func takeSeat(ctx context.Context, folder paths.Folder, name string, v visit) (*seat, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lock := flock.New(folder.Run(name+".lock"), flock.SetPermissions(0o600))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := lock.TryLock(); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "the lock in %s cannot be taken; is the folder on a file system with locks?", folder.Run(""))
		} else if ok {
			return newSeat(folder, name, lock)
		}
		err := call(ctx, folder.Run(name+".json"), v)
		if err == nil {
			return nil, nil
		}
		select {
		case <-tick.C: // it is just starting, or just ending
		case <-ctx.Done():
			return nil, fault.Wrap(err, fault.Unavailable, "the window is open already but does not answer; end it and try again")
		}
	}
}

func newSeat(folder paths.Folder, name string, lock *flock.Flock) (*seat, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fault.Wrap(err, fault.Unavailable, "no port on loopback is free"), lock.Unlock())
	}
	s := &seat{lock, listener, meeting{listener.Addr().String(), instance.NewSecret()}}
	data, err := json.Marshal(s.meeting)
	if err == nil {
		err = paths.WriteFile(folder.Run(name+".json"), data)
	}
	if err != nil {
		return nil, errors.Join(err, s.leave())
	}
	return s, nil
}

// leave gives the seat up; Serve returns.
func (s *seat) leave() error { return errors.Join(s.listener.Close(), s.lock.Unlock()) }

// serve tells of each visit until the seat is left.
func (s *seat) serve(tell func(visit)) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		if v, ok := s.receive(conn); ok {
			tell(v)
		}
	}
}

// receive takes one short line from somebody who knows the secret and is quick.
func (s *seat) receive(conn net.Conn) (v visit, ok bool) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	line, err := bufio.NewReader(io.LimitReader(conn, 8<<10)).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &v) != nil || subtle.ConstantTimeCompare([]byte(v.Secret), []byte(s.meeting.Secret)) != 1 {
		return visit{}, false
	}
	_, err = conn.Write([]byte("ok\n"))
	return v, err == nil
}

// call tells the window that a file speaks of.
func call(ctx context.Context, file string, v visit) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var to meeting
	if err := json.Unmarshal(data, &to); err != nil {
		return err
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", to.Address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	v.Secret = to.Secret
	if err := json.NewEncoder(conn).Encode(v); err != nil {
		return err
	}
	if answer, err := bufio.NewReader(conn).ReadString('\n'); err != nil || answer != "ok\n" {
		return errors.Join(errors.New("what listens there is no window of ours"), err)
	}
	return nil
}
