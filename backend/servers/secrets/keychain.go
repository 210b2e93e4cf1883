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
	// service is the service name of all our entries in the keychain.
	service = "agent-discover"
	// abandonAfter is how long an operation may wait for the user to answer the
	// keychain's prompt.
	abandonAfter = 2 * time.Minute
	// checkTimeout limits a check of the keychain's state; quickCheckTimeout
	// limits a check that delays the answer to a caller.
	checkTimeout      = 2 * time.Second
	quickCheckTimeout = 250 * time.Millisecond
)

// errMissing is returned by a keeper that has no value for an account.
var errMissing = errors.New("no such value")

// errBlocked is returned while an operation of the keychain does not end.
var errBlocked = fault.New(fault.Unavailable, "the keychain is locked or waits for you: unlock it, or answer what it asks, and try again")

// keychain is the keeper that stores values in the operating system's keychain.
// The library for it has no timeouts. So each operation runs in a goroutine of
// its own, at most one at a time, and while it hangs, further calls fail
// immediately.
//
// Entries have the service "agent-discover" and the account
// <data folder>/<server>/<name>. The data folder is represented by a hash of its
// path, so that two data folders never share a value. The name of a server
// contains no slash, so everything after the second slash is the secret's name.
type keychain struct {
	folder   string        // first part of every account
	off      bool          // disabled by the user
	deadline time.Duration // how long a caller waits for an operation
	backend  backend
	gate     chan struct{} // holds a token while an operation runs
	checking sync.Mutex    // held by the caller that checks a hung keychain

	mu     sync.Mutex
	serial int           // number of the current operation, changed when it ends
	conn   io.Closer     // connection of the operation; nil if it cannot be aborted
	hung   chan struct{} // closed while the operation is past its deadline
}

// backend is the part of keychain access that differs between operating systems.
type backend struct {
	// connect returns the connection that the next operation uses. Closing it
	// aborts the operation. It is nil on systems without such a connection. The
	// error is a fault if there is no keychain.
	connect func() (io.Closer, error)
	// check reports whether the keychain is locked. It must not make the
	// keychain prompt the user.
	check func(context.Context) (locked bool, err error)
}

func newKeychain(folder string, off bool, deadline time.Duration) *keychain {
	if deadline <= 0 {
		deadline = 8 * time.Second
	}
	return &keychain{
		folder: folderID(folder), off: off, deadline: deadline, backend: systemBackend(),
		gate: make(chan struct{}, 1), hung: make(chan struct{}),
	}
}

// folderID returns a short hash of the path of a data folder.
func folderID(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		folder = strings.ToLower(folder) // file systems there ignore case
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

// check reports whether the keychain is locked. The error is a fault that says why
// the keychain cannot be used.
func (k *keychain) check(ctx context.Context) (locked bool, err error) {
	if k.off {
		return false, fault.New(fault.Unavailable, "the keychain is switched off by AGENT_DISCOVER_KEYCHAIN")
	}
	if k.isHung() && !k.tryAbandon(ctx) {
		return true, errBlocked
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return k.backend.check(ctx)
}

// do runs one operation and waits for its end, but no longer than the deadline.
func (k *keychain) do(ctx context.Context, operation func() error) error {
	if k.off {
		_, err := k.check(ctx) // returns the error of a disabled keychain
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
		return translate(err)
	case <-ctx.Done():
		return errBlocked
	}
}

// enter waits until no other operation runs. If that one hangs and cannot be
// aborted, enter returns errBlocked at once.
func (k *keychain) enter(ctx context.Context) error {
	k.mu.Lock()
	hung := k.hung
	k.mu.Unlock()
	select {
	case k.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errBlocked
	case <-hung:
	}
	if !k.tryAbandon(ctx) {
		return errBlocked
	}
	select {
	case k.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errBlocked
	}
}

// isHung reports whether an operation is past its deadline.
func (k *keychain) isHung() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.hung:
		return true
	default:
		return false
	}
}

// tryAbandon aborts a hung operation if the keychain is unlocked, because a new
// operation would then succeed: the prompt that the old one waits for may be
// gone. Only one caller at a time checks; for the others tryAbandon returns false.
func (k *keychain) tryAbandon(ctx context.Context) bool {
	if !k.checking.TryLock() {
		return false
	}
	defer k.checking.Unlock()
	k.mu.Lock()
	serial := k.serial
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, quickCheckTimeout)
	defer cancel()
	if locked, err := k.backend.check(ctx); err != nil || locked {
		return false
	}
	return k.abandon(serial)
}

// run runs an operation to its end, which may be long after its caller's deadline.
func (k *keychain) run(operation func() error) error {
	k.mu.Lock()
	k.serial++
	serial := k.serial
	k.mu.Unlock()
	late := time.AfterFunc(k.deadline, func() { k.markHung(serial) })
	lost := time.AfterFunc(abandonAfter, func() { k.abandon(serial) })
	err := k.runSafely(operation)
	late.Stop()
	lost.Stop()
	k.mu.Lock()
	k.serial++ // a timer that fires from now on finds another number
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

// runSafely runs an operation and turns a panic into an error: the library panics
// when its connection is closed during an operation.
func (k *keychain) runSafely(operation func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("keychain: %v", cause)
		}
	}()
	conn, err := k.backend.connect()
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.conn = conn
	k.mu.Unlock()
	return operation()
}

func (k *keychain) markHung(serial int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.serial == serial {
		close(k.hung)
	}
}

// abandon aborts an operation by closing its connection. It returns false if the
// operation has none.
func (k *keychain) abandon(serial int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.serial != serial {
		return true // it has ended
	}
	if k.conn == nil {
		return false
	}
	go func(conn io.Closer) { _ = conn.Close() }(k.conn) // in a goroutine, because Close blocks while the bus does not read
	k.conn = nil
	return true
}

// translate turns errors of the keychain's library into faults and errMissing.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return errMissing
	case strings.Contains(err.Error(), "failed to unlock"):
		return fault.Wrap(err, fault.Unavailable, "the keychain is locked, and its prompt to unlock it was not answered; unlock it and try again")
	}
	if _, known := errors.AsType[*fault.Error](err); known {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "the keychain failed: %s", backendError(err))
}
