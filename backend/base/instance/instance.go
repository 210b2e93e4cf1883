// Package instance answers which hub runs for a data folder, whether it is the
// one it claims to be, and how one is started. It is what the companion, the
// window, the tray and the command line share before they can talk to a hub,
// and it talks about nothing else.
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

// Protocol is the version of what a companion and a hub say to each other
// before MCP begins. A hub speaks every version from 1 to its own.
const Protocol = 1

// Info describes a running hub, as it stands in run/hub.json.
type Info struct {
	process.ID
	Version  string    `json:"version"`
	Protocol int       `json:"protocol"`
	Host     string    `json:"host"`
	Port     int       `json:"port"`
	Token    string    `json:"token"`
	Started  time.Time `json:"started"`
	AuthOff  bool      `json:"auth_off,omitempty"` // its REST interface asks for no token
}

// Address is where the hub listens, as host:port.
func (i Info) Address() string { return net.JoinHostPort(i.Host, strconv.Itoa(i.Port)) }

// ErrNone says that no hub runs for a data folder.
var ErrNone = fault.New(fault.Unavailable, "no hub is running; start one with: agent-discover serve")

// Read returns the running hub of a folder, or ErrNone. A file that a killed
// hub left behind counts as none.
func Read(folder paths.Folder) (Info, error) {
	data, err := os.ReadFile(folder.Run("hub.json"))
	if err != nil {
		return Info{}, ErrNone
	}
	var info Info
	if json.Unmarshal(data, &info) != nil || !info.Alive() {
		return Info{}, ErrNone
	}
	return info, nil
}

// Lock is the right to be the hub of a data folder.
type Lock struct {
	folder paths.Folder
	file   *flock.Flock
}

// Acquire takes the folder's lock. When another hub holds it the error is a
// fault.Conflict that says which.
func Acquire(folder paths.Folder) (*Lock, error) {
	file := flock.New(folder.Run("lock"), flock.SetPermissions(0o600))
	ok, err := file.TryLock()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the lock in %s cannot be taken; is the folder on a file system with locks?", folder.Run(""))
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

// Announce publishes the hub, once it listens.
func (l *Lock) Announce(info Info) error {
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return fmt.Errorf("encode hub.json: %w", err)
	}
	if err := paths.WriteFile(l.folder.Run("hub.json"), data); err != nil {
		return fmt.Errorf("announce hub: %w", err)
	}
	return nil
}

// Release withdraws what was announced and gives the lock up.
func (l *Lock) Release() error {
	err := os.Remove(l.folder.Run("hub.json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Unlock())
}

// Stopped reports whether the user wants no hub to run.
func Stopped(folder paths.Folder) bool { return wished(folder, "stopped") }

// SetStopped records that wish, or takes it back.
func SetStopped(folder paths.Folder, stopped bool) error { return wish(folder, "stopped", stopped) }

// Paused reports whether the user wants the hub to run no server.
func Paused(folder paths.Folder) bool { return wished(folder, "paused") }

// SetPaused records that wish, or takes it back. A hub that runs already reads
// it at its next start only.
func SetPaused(folder paths.Folder, paused bool) error { return wish(folder, "paused", paused) }

func wished(folder paths.Folder, name string) bool {
	_, err := os.Stat(folder.Run(name))
	return err == nil
}

func wish(folder paths.Folder, name string, wanted bool) error {
	if wanted {
		return paths.WriteFile(folder.Run(name), []byte(time.Now().Format(time.RFC3339)+"\n"))
	}
	if err := os.Remove(folder.Run(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// NewSecret returns 256 random bits in hexadecimal, for tokens and nonces.
func NewSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Proof shows that its maker knows the token without telling it. It is bound
// to the role of the maker, to both nonces and to the address at which the
// other side was reached, so that it cannot be passed on.
func Proof(token, role, address string, nonces ...string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(strings.Join(append([]string{"agent-discover", role, address}, nonces...), "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// SameProof compares in constant time.
func SameProof(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }
