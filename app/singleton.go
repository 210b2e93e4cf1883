package app

import (
	"bufio"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// One window may be open for each data folder, and one for each inspected server. A second start passes its request
// to the first and exits. The starts find each other through a file lock and a loopback port, which work on every
// system without a session bus.

// singletonTimeout limits how long a second start tries to reach the open window.
const singletonTimeout = 5 * time.Second

// activation is the request that a second start passes to the first.
type activation struct {
	Secret string `json:"secret"`
	Page   string `json:"page,omitempty"`
	Token  string `json:"token,omitempty"` // startup token of the desktop, which permits raising the window
}

// rendezvous is the content of the file in which the first start publishes its address and a secret. A caller that
// knows the secret can read the file, so the caller belongs to the same user.
type rendezvous struct {
	Address string `json:"address"`
	Secret  string `json:"secret"`
}

// singleton is the exclusive right to open the window with a given name. It receives the activations of later starts.
type singleton struct {
	lock       *flock.Flock
	listener   net.Listener
	rendezvous rendezvous
}

// acquireSingleton acquires the singleton with a name. It returns nil if another window holds the singleton and has
// received v.
func acquireSingleton(ctx context.Context, folder paths.Folder, name string, v activation) (*singleton, error) {
	ctx, cancel := context.WithTimeout(ctx, singletonTimeout)
	defer cancel()
	lock := flock.New(folder.Run(name+".lock"), flock.SetPermissions(0o600))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := lock.TryLock(); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "could not lock a file in %s; does its file system support locks?",
				folder.Run(""))
		} else if ok {
			return newSingleton(folder, name, lock)
		}
		err := call(ctx, folder.Run(name+".json"), v)
		if err == nil {
			return nil, nil
		}
		select {
		case <-tick.C: // the other window is starting or exiting
		case <-ctx.Done():
			return nil, fault.Wrap(err, fault.Unavailable, "the window is already open but does not respond; end it and try again")
		}
	}
}

func newSingleton(folder paths.Folder, name string, lock *flock.Flock) (*singleton, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fault.Wrap(err, fault.Unavailable, "could not listen on loopback"), lock.Unlock())
	}
	s := &singleton{lock, listener, rendezvous{listener.Addr().String(), instance.NewSecret()}}
	data, err := json.Marshal(s.rendezvous)
	if err == nil {
		err = paths.WriteFile(folder.Run(name+".json"), data)
	}
	if err != nil {
		return nil, errors.Join(err, s.leave())
	}
	return s, nil
}

// leave releases the singleton, which makes serve return.
func (s *singleton) leave() error { return errors.Join(s.listener.Close(), s.lock.Unlock()) }

// serve calls handle for every activation until leave is called.
func (s *singleton) serve(handle func(activation)) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		if v, ok := s.receive(conn); ok {
			handle(v)
		}
	}
}

// receive reads an activation: one line of at most 8 KiB, within a second. ok reports whether the line contains the
// secret.
func (s *singleton) receive(conn net.Conn) (v activation, ok bool) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	line, err := bufio.NewReader(io.LimitReader(conn, 8<<10)).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &v) != nil || subtle.ConstantTimeCompare([]byte(v.Secret), []byte(s.rendezvous.Secret)) != 1 {
		return activation{}, false
	}
	_, err = conn.Write([]byte("ok\n"))
	return v, err == nil
}

// call passes v to the window that published its address in file.
func call(ctx context.Context, file string, v activation) error {
	data, err := paths.ReadFile(file)
	if err != nil {
		return err
	}
	var to rendezvous
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
		return errors.Join(errors.New("the listener is not a window of this program"), err)
	}
	return nil
}
