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
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	Folder   paths.Folder `json:"folder"` // its data folder; "" for hubs of earlier versions
	Version  string       `json:"version"`
	Protocol int          `json:"protocol"`
	Host     string       `json:"host"`
	Port     int          `json:"port"`
	Token    string       `json:"token"`
	Started  time.Time    `json:"started"`
	AuthOff  bool         `json:"auth_off,omitempty"` // its REST interface needs no token
	// TakenPort is the configured port if another program used it when the hub started, so that the hub listens on
	// another one; otherwise 0.
	TakenPort int `json:"taken_port,omitempty"`
}

// Address returns host:port of the hub.
func (i Info) Address() string { return net.JoinHostPort(i.Host, strconv.Itoa(i.Port)) }

// ErrNone means that no hub runs for a data folder.
var ErrNone = fault.New(fault.Unavailable, "no hub is running; start one with: agent-discover start")

// NoAnswer returns the error for a request that the hub did not answer because of err.
func (i Info) NoAnswer(err error) error {
	return fault.Wrap(err, fault.Unavailable, "the hub at %s (process %d) does not answer; if this lasts, end it with: "+
		"agent-discover stop --force (or restart --force)", i.Address(), i.PID)
}

// Read returns the running hub of a folder, or an error that is ErrNone or wraps it. It ignores the file that a killed
// hub left behind, and that of the hub of another folder.
func Read(folder paths.Folder) (Info, error) {
	data, err := paths.ReadFile(folder.Run("hub.json"))
	if err != nil {
		return Info{}, ErrNone
	}
	var info Info
	if json.Unmarshal(data, &info) != nil || !info.Alive() {
		return Info{}, ErrNone
	}
	if !sameFolder(folder, info.Folder) {
		return Info{}, fault.Wrap(ErrNone, fault.Unavailable,
			"no hub is running for %s; %s in it was copied and belongs to the hub of %s, which is left alone. To start a hub for this folder: "+
				"agent-discover start", string(folder), filepath.Join("run", "hub.json"), string(info.Folder))
	}
	return info, nil
}

// Elsewhere reports whether err is that of Read for a folder whose hub.json belongs to the running hub of another folder.
func Elsewhere(err error) bool { return errors.Is(err, ErrNone) && err != error(ErrNone) }

// sameFolder reports whether two paths lead to one data folder. Hubs of earlier versions did not name theirs.
func sameFolder(folder, named paths.Folder) bool {
	if named == "" || named == folder {
		return true
	}
	one, err := os.Stat(string(folder))
	other, failed := os.Stat(string(named))
	return err == nil && failed == nil && os.SameFile(one, other)
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
