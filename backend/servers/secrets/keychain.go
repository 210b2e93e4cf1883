package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	// service is the name under which the keychain lists what is ours.
	service = "agent-discover"
	// patience is how long the keychain is given for a question that it asks
	// the user; then the operation that it asks for is given up.
	patience = 2 * time.Minute
	// lookTime is how long a look at the keychain may take; glanceTime, one
	// that is made before an answer at once.
	lookTime   = 2 * time.Second
	glanceTime = 250 * time.Millisecond
)

// errMissing is what a keeper answers that does not hold a value.
var errMissing = errors.New("no such value")

// errWaits is the answer while the keychain gives none.
var errWaits = fault.New(fault.Unavailable, "the keychain is locked or waits for you: unlock it, or answer what it asks, and try again")

// keychain is the system's own keeper of secrets. The library that speaks with
// it knows no time limit, so each operation has a goroutine, and there is at
// most one: while it hangs, everybody else is answered at once.
//
//	service agent-discover, account <data folder>/<server>/<name>
//
// The data folder is named by a hash of its path, so that two of them never
// share a value. A server's name holds no slash: what follows the second one
// is the secret's name, whatever is in it.
type keychain struct {
	folder   string        // begins every account
	off      bool          // the user wants none
	deadline time.Duration // of an operation, for whoever waits for it
	desk     desk
	gate     chan struct{} // holds one operation
	looking  sync.Mutex

	mu     sync.Mutex
	serial int           // of the operation that runs, or ran last
	conn   io.Closer     // ends it; nil where nothing can
	hung   chan struct{} // closed while it is over its deadline
}

// desk is where the system's keychain is found. It differs between systems.
type desk struct {
	// connect returns what the next operation will use, to end it by; nil
	// where that cannot be done. Without a keychain it is a fault.
	connect func() (io.Closer, error)
	// look says how things stand, and makes the keychain ask nothing.
	look func(context.Context) (locked bool, err error)
}

func newKeychain(folder string, off bool, deadline time.Duration) *keychain {
	if deadline <= 0 {
		deadline = 8 * time.Second
	}
	return &keychain{
		folder: nameOf(folder), off: off, deadline: deadline, desk: systemDesk(),
		gate: make(chan struct{}, 1), hung: make(chan struct{}),
	}
}

// nameOf shortens the path of a data folder to a name for it.
func nameOf(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		folder = strings.ToLower(folder) // two spellings of one folder
	}
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:6])
}

func (k *keychain) get(ctx context.Context, account string) (value string, err error) {
	answer := make(chan string, 1)
	err = k.do(ctx, func() error {
		value, err := keyring.Get(service, k.folder+"/"+account)
		answer <- value
		return err
	})
	if err != nil {
		return "", err
	}
	return <-answer, nil
}

func (k *keychain) set(ctx context.Context, account, value string) error {
	return k.do(ctx, func() error { return keyring.Set(service, k.folder+"/"+account, value) })
}

func (k *keychain) delete(ctx context.Context, account string) error {
	err := k.do(ctx, func() error { return keyring.Delete(service, k.folder+"/"+account) })
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}

// look reports whether the keychain can be used, and whether it will have to
// be unlocked first.
func (k *keychain) look(ctx context.Context) (locked bool, err error) {
	if k.off {
		return false, fault.New(fault.Unavailable, "the keychain is switched off by AGENT_DISCOVER_KEYCHAIN")
	}
	if k.hangs() && !k.recovers(ctx) {
		return true, errWaits
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return k.desk.look(ctx)
}

// do runs one operation and waits for it, for the deadline at most.
func (k *keychain) do(ctx context.Context, operation func() error) error {
	if k.off {
		_, err := k.look(ctx)
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, k.deadline)
	defer cancel()
	if err := k.enter(ctx); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- k.run(operation) }()
	select {
	case err := <-done:
		return explain(err)
	case <-ctx.Done():
		return errWaits
	}
}

// enter waits for the operation before, unless that hangs.
func (k *keychain) enter(ctx context.Context) error {
	k.mu.Lock()
	hung := k.hung
	k.mu.Unlock()
	select {
	case k.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errWaits
	case <-hung:
	}
	if !k.recovers(ctx) {
		return errWaits
	}
	select {
	case k.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errWaits
	}
}

// hangs reports whether an operation is over its deadline.
func (k *keychain) hangs() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.hung:
		return true
	default:
		return false
	}
}

// recovers gives up the operation that hangs if another one would not: who it
// waits for may be gone. While one caller looks, the others need not.
func (k *keychain) recovers(ctx context.Context) bool {
	if !k.looking.TryLock() {
		return false
	}
	defer k.looking.Unlock()
	k.mu.Lock()
	serial := k.serial
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, glanceTime)
	defer cancel()
	if locked, err := k.desk.look(ctx); err != nil || locked {
		return false
	}
	return k.giveUp(serial)
}

// run runs an operation to its end, however long that takes.
func (k *keychain) run(operation func() error) error {
	k.mu.Lock()
	k.serial++
	serial := k.serial
	k.mu.Unlock()
	late := time.AfterFunc(k.deadline, func() { k.noteHung(serial) })
	lost := time.AfterFunc(patience, func() { k.giveUp(serial) })
	err := k.guard(operation)
	late.Stop()
	lost.Stop()
	k.mu.Lock()
	k.serial++ // what has not stopped in time is about nothing
	k.conn = nil
	select {
	case <-k.hung:
		k.hung = make(chan struct{})
	default:
	}
	k.mu.Unlock()
	<-k.gate
	return err
}

// guard also survives the library's panic when it is cut off in the middle.
func (k *keychain) guard(operation func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("keychain: %v", cause)
		}
	}()
	conn, err := k.desk.connect()
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.conn = conn
	k.mu.Unlock()
	return operation()
}

func (k *keychain) noteHung(serial int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.serial == serial {
		close(k.hung)
	}
}

// giveUp ends an operation from outside; false where that cannot be done.
func (k *keychain) giveUp(serial int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.serial != serial {
		return true // it has ended by itself
	}
	if k.conn == nil {
		return false
	}
	go func(conn io.Closer) { _ = conn.Close() }(k.conn) // what uses it ends with an error; a bus that reads nothing may hold it up
	k.conn = nil
	return true
}

// explain turns the library's errors into ours.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return errMissing
	case strings.Contains(err.Error(), "failed to unlock"):
		return fault.Wrap(err, fault.Unavailable, "the keychain is locked, and nobody unlocked it when it asked")
	}
	if _, known := errors.AsType[*fault.Error](err); known {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "the keychain refused: %s", deskError(err))
}
