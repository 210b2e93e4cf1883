// Package instance finds the hub that runs for a data folder, checks that the process
// at an address is that hub, and starts a hub if none runs. The companion, window, tray
// and command line use it to reach the hub. The requests to the hub are defined in
// other packages.
package instance

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// Protocol is the version of the handshake between a companion and a hub, before
// MCP begins. A hub supports all versions from 1 to this one.
const Protocol = 1

// Info describes a running hub; it is the content of run/hub.json.
type Info struct {
	process.ID
	Version  string    `json:"version"`
	Protocol int       `json:"protocol"`
	Host     string    `json:"host"`
	Port     int       `json:"port"`
	Token    string    `json:"token"`
	Started  time.Time `json:"started"`
	AuthOff  bool      `json:"auth_off,omitempty"` // its REST interface needs no token
}

// Address returns host:port of the hub.
func (i Info) Address() string { return net.JoinHostPort(i.Host, strconv.Itoa(i.Port)) }

// ErrNone means that no hub runs for a data folder.
var ErrNone = fault.New(fault.Unavailable, "no hub is running; start one with: agent-discover start")

// Read returns the running hub of a folder, or ErrNone. It ignores the file that a
// killed hub left behind.
func Read(folder paths.Folder) (Info, error) {
	data, err := paths.ReadFile(folder.Run("hub.json"))
	if err != nil {
		return Info{}, ErrNone
	}
	var info Info
	if json.Unmarshal(data, &info) != nil || !info.Alive() {
		return Info{}, ErrNone
	}
	return info, nil
}

// Lock is a lock that only one hub can hold for a data folder.
type Lock struct {
	folder paths.Folder
	file   *flock.Flock
}

// Acquire takes the lock of a folder. If another hub holds it, the error is a
// fault.Conflict that describes that hub.
func Acquire(folder paths.Folder) (*Lock, error) {
	file := flock.New(folder.Run("lock"), flock.SetPermissions(0o600))
	ok, err := file.TryLock()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not lock a file in %s; is the folder on a file system with locks?",
			folder.Run(""))
	}
	if !ok {
		return nil, held(folder)
	}
	return &Lock{folder: folder, file: file}, nil
}

func held(folder paths.Folder) error {
	info, err := Read(folder)
	if err != nil {
		return fault.New(fault.Conflict, "another hub is just starting or stopping for %s", string(folder))
	}
	return fault.New(fault.Conflict, "a hub already runs for %s: process %d, version %s, at http://%s, since %s",
		string(folder), info.PID, info.Version, info.Address(), info.Started.Local().Format(time.DateTime))
}

// Announce writes run/hub.json, so that other programs find the hub. The hub must
// listen already.
func (l *Lock) Announce(info Info) error {
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return fmt.Errorf("encode hub.json: %w", err)
	}
	if err := paths.WriteFile(l.folder.Run("hub.json"), data); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write %s, by which other programs find the hub: %s",
			l.folder.Run("hub.json"), paths.Reason(err))
	}
	return nil
}

// Release removes run/hub.json and releases the lock.
func (l *Lock) Release() error {
	err := paths.Remove(l.folder.Run("hub.json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Unlock())
}

// SetStopped saves or removes the user's request to stop the hub. While the request is
// saved, programs do not start the hub again.
func SetStopped(folder paths.Folder, stopped bool) error { return mark(folder, "stopped", stopped) }

// StopRequest returns the path of the file whose existence means that the user has
// requested the hub to stop.
func StopRequest(folder paths.Folder) string { return folder.Run("stopped") }

// Paused reports whether the user has paused all servers.
func Paused(folder paths.Folder) bool { return marked(folder, "paused") }

// SetPaused saves or removes the pause setting. A running hub does not notice the
// change: it reads the setting only when it starts.
func SetPaused(folder paths.Folder, paused bool) error { return mark(folder, "paused", paused) }

func marked(folder paths.Folder, name string) bool {
	_, err := os.Stat(folder.Run(name))
	return err == nil
}

func mark(folder paths.Folder, name string, set bool) error {
	if set { // an empty file can be created even on a full disk
		return paths.Retry(func() error { return os.WriteFile(folder.Run(name), nil, 0o600) })
	}
	if err := paths.Remove(folder.Run(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// NewSecret returns 256 random bits in hexadecimal, for a token or nonce.
func NewSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Proof returns an HMAC that proves knowledge of a token without revealing it. It
// covers the role of the side that makes it, the nonces of both sides and the
// address of the connection, so that it is useless on another connection.
func Proof(token, role, address string, nonces ...string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(strings.Join(append([]string{"agent-discover", role, address}, nonces...), "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// SameProof compares two proofs in constant time.
func SameProof(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }
