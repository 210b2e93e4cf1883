package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// Lock is a lock that only one hub can hold for a data folder. It is safe for concurrent use.
type Lock struct {
	folder paths.Folder
	file   *flock.Flock
	path   paths.Found // the file, as it was when the lock was taken

	mu    sync.Mutex
	note  []byte // the content of hub.json; nil before Announce
	ended string // why the hub ends by itself; "" if it does not
}

// Acquire takes the lock of a folder. If another hub holds it, the error is a
// fault.Conflict that describes that hub.
func Acquire(folder paths.Folder) (*Lock, error) {
	file := lockOf(folder)
	ok, err := file.TryLock()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not lock a file in %s; is the folder on a file system with locks?",
			folder.Run(""))
	}
	if !ok {
		return nil, held(folder)
	}
	return &Lock{folder: folder, file: file, path: paths.Find(folder.Run("lock"))}, nil
}

func lockOf(folder paths.Folder) *flock.Flock {
	return flock.New(folder.Run("lock"), flock.SetPermissions(0o600))
}

func held(folder paths.Folder) error {
	if info, err := Read(folder); err == nil {
		return fault.New(fault.Conflict, "a hub already runs for %s: process %d, version %s, at http://%s, since %s",
			string(folder), info.PID, info.Version, info.Address(), info.Started.Local().Format(time.DateTime))
	}
	if id, ok := Holder(folder); ok {
		return fault.New(fault.Conflict, "another hub (process %d) is just starting or stopping for %s", id.PID, string(folder))
	}
	return fault.New(fault.Conflict, "another hub is just starting or stopping for %s", string(folder))
}

// Announce writes run/hub.json, so that other programs find the hub. The hub must
// listen already.
func (l *Lock) Announce(info Info) error {
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return fmt.Errorf("encode hub.json: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note = data
	return l.announce()
}

func (l *Lock) announce() error {
	if err := paths.WriteFile(l.folder.Run("hub.json"), l.note); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write %s, by which other programs find the hub: %s",
			l.folder.Run("hub.json"), paths.Reason(err))
	}
	return nil
}

// Lost returns why this hub no longer holds the lock of its folder: the file of the lock, or the folder, was removed,
// moved or replaced. It returns nil if the hub holds the lock.
func (l *Lock) Lost() error { return l.path.Lost() }

// Renew writes run/hub.json again if it was removed or changed. written reports whether it did so. Call it only while
// Lost returns nil.
func (l *Lock) Renew() (written bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.note == nil || l.announced() {
		return false, nil
	}
	return true, l.announce()
}

// announced reports whether run/hub.json has the content that this hub wrote.
func (l *Lock) announced() bool {
	now, err := paths.ReadFile(l.folder.Run("hub.json"))
	return err == nil && string(now) == string(l.note)
}

// Abandon records why the hub ends by itself; see Ended.
func (l *Lock) Abandon(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = why
}

// Release removes run/hub.json, unless it belongs to another hub, and releases the lock.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	switch {
	case l.note != nil && l.announced():
		err = paths.Remove(l.folder.Run("hub.json"))
	case l.note != nil && l.Lost() == nil: // damaged, and no other hub can have written it
		_ = paths.Remove(l.folder.Run("hub.json")) // usually it does not exist
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if l.ended != "" {
		_ = paths.WriteFile(l.folder.Run("ended"), []byte(l.ended)) // fails if the folder was removed; the log has the reason
	} else {
		_ = paths.Remove(l.folder.Run("ended")) // usually it does not exist
	}
	return errors.Join(err, l.file.Unlock())
}

// Ended returns why the last hub of a folder ended by itself although it was in use, or "".
func Ended(folder paths.Folder) string {
	why, err := paths.ReadFile(folder.Run("ended"))
	if err != nil {
		return ""
	}
	return string(why)
}

// signature names the hub that holds a lock. It is in the file of the lock.
type signature struct {
	process.ID
	Folder paths.Folder `json:"folder"`
}

// signedFrom is the offset of the signature in the file of the lock. The byte before it is the one that is locked on
// Windows, where other programs cannot read it.
const signedFrom = 1

// Sign writes which process holds the lock into its file, so that Holder finds a hub that has not announced itself yet
// or whose hub.json was lost.
func (l *Lock) Sign() error {
	data, err := json.Marshal(signature{process.Self(), l.folder})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(l.folder.Run("lock"), os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteAt(append(data, '\n'), signedFrom) // Holder ignores what follows the first value
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write %s: %s", l.folder.Run("lock"), paths.Reason(err))
	}
	return nil
}

// Holder returns the process of the hub that holds the lock of a folder. Unlike Read, it finds a hub that does not say
// its address: it is starting, its hub.json was removed, or it hangs.
func Holder(folder paths.Folder) (id process.ID, ok bool) {
	if info, err := Read(folder); err == nil {
		return info.ID, true
	}
	file, err := paths.OpenRegular(folder.Run("lock"))
	if err != nil {
		return process.ID{}, false
	}
	defer func() { _ = file.Close() }() // opened only for reading
	var by signature
	err = json.NewDecoder(io.NewSectionReader(file, signedFrom, 64<<10)).Decode(&by)
	return by.ID, err == nil && by.Folder != "" && by.Alive() && sameFolder(folder, by.Folder)
}

// Silent returns the error about a hub that Holder finds and Read does not.
func Silent(folder paths.Folder, id process.ID) error {
	return fault.New(fault.Unavailable, "a hub (process %d) holds the lock of %s, but does not say its address: it is starting, or it hangs. "+
		"If this lasts, end it with: agent-discover stop --force (or restart --force)", id.PID, string(folder))
}
